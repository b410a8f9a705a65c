// Bodies that a client compressed: one zlib stream (docs/format/messages.md#body-types).
#pragma once

#include <cstddef>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/error.h"

namespace saranga::message {

/// The inflated bytes. kDamaged when the stream is broken or cut, kUnsupported when it would exceed
/// `limit_bytes`: what a stream promises costs no more memory than that.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> inflate_body(Bytes body,
                                                                      std::size_t limit_bytes);

}  // namespace saranga::message
