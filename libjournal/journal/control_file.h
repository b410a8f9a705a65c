// The bytes of a compaction's control file (docs/format/journal.md#control-file).
#pragma once

#include <cstdint>
#include <vector>

#include "saranga/bytes/error.h"
#include "saranga/journal/folder.h"

namespace saranga::journal {

/// As Artemis writes it: a header with id 0, and one ADD at 16, or at the block behind the header.
/// kUnsupported when a name is none that every reader takes for the same.
[[nodiscard]] Result<std::vector<std::byte>> encode_control_file(const CompactionPlan& plan,
                                                                 std::uint32_t alignment_bytes);

}  // namespace saranga::journal
