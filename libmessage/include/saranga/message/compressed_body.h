// Bodies that a client compressed: one zlib stream (docs/format/messages.md#body-types).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/error.h"
#include "saranga/io/directory.h"

namespace saranga::message {

/// The inflated bytes. kDamaged when the stream is broken or cut, kUnsupported when it would exceed
/// `limit_bytes`: what a stream promises costs no more memory than that.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> inflate_body(Bytes body,
                                                                      std::size_t limit_bytes);

/// How many bytes come out of a compressed body, which is not kept: of any length, in constant
/// memory. Ends with an error as inflate_body does; what stands behind the end of the stream is
/// passed over, as a client does.
[[nodiscard]] SARANGA_API Result<std::uint64_t> inflated_size(Bytes body,
                                                              std::uint64_t limit_bytes);
/// The same of a body in a file of its own.
[[nodiscard]] SARANGA_API Result<std::uint64_t> inflated_size(const ReadableFile& file,
                                                              std::uint64_t limit_bytes);

}  // namespace saranga::message
