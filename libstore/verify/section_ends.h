// Where the sections of an encoded AMQP message end, read from their sizes alone. Private to the
// library.
#pragma once

#include <cstdint>
#include <optional>

#include "saranga/io/directory.h"

namespace saranga::store {

/// A section that goes on behind the end of its file.
struct CutSection {
  std::uint64_t offset = 0;       ///< of its first byte
  std::uint64_t end = 0;          ///< where it should end, as far as its size is known
  std::uint64_t needs_bytes = 0;  ///< that the file lacks, at least
};

/// Steps from section to section, beginning at `from`, and reads no more of each than its size, or
/// its neighbours with it. Nothing when the last one ends with the file, or when something stands
/// there that is no section: what that means is for others to say. The layout of sections:
/// docs/format/amqp.md#sections.
[[nodiscard]] std::optional<CutSection> find_cut_section(const ReadableFile& file,
                                                         std::uint64_t size_bytes,
                                                         std::uint64_t from);

}  // namespace saranga::store
