// What the start of a broker does to a journal folder before it reads it, for whoever writes to one
// (docs/format/journal.md#control-file).
#pragma once

#include "saranga/io/writable_directory.h"
#include "saranga/journal/folder.h"

namespace saranga::journal {

/// The suffix of a compaction's output.
inline constexpr std::string_view kCompactedSuffix = ".cmp";
/// Above this, new header ids and names could run out.
inline constexpr std::int64_t kGreatestId = INT64_MAX / 2;

/// The name that a compaction's output gets in the end.
[[nodiscard]] std::string final_name(const JournalFile& compacted);

/// An error when the folder holds what writing to it would lose or hide.
[[nodiscard]] Result<void> check_before_writing(const JournalFolder& folder);

/// Finishes a compaction whose control file is there: removes its inputs, gives its outputs their
/// names, and removes the control file when all that is durable. What whoever began it had not
/// synced is synced first. Every step may be repeated.
[[nodiscard]] Result<void> finish_compaction(WritableDirectory& directory, JournalFolder& folder,
                                             bool datasync);

/// Removes files that were being created, outputs that no control file lists, and files that are
/// too short to be any.
[[nodiscard]] Result<void> remove_leftovers(WritableDirectory& directory,
                                            const JournalFolder& folder, bool datasync);

}  // namespace saranga::journal
