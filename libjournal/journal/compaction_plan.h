// What the new files of a compaction are called, how large they are, and which old ones go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libjournal/journal/compaction_output.h"
#include "saranga/journal/compactor.h"

namespace saranga::journal {

/// What the first reading has learnt about a file.
struct ReadFile {
  std::uint64_t records = 0;
  bool marked = false;                    ///< looks damaged, or ends within a record
  std::uint64_t first_record_offset = 0;  ///< when there are records
  bool first_was_compacted = false;       ///< the first record has a compact count

  /// Nothing of a load's concern is in it.
  [[nodiscard]] bool is_spare() const { return records == 0 && !marked; }
};

/// The size that new files get: that of most files, as far as it is a possible one.
[[nodiscard]] std::uint64_t usual_file_size(const JournalFolder& folder,
                                            const CompactorOptions& options);

/// Where the first record goes: at a block, when the files were written in blocks.
[[nodiscard]] std::uint32_t usual_alignment(const std::vector<ReadFile>& read,
                                            const CompactorOptions& options,
                                            std::uint64_t file_size_bytes);

/// Greatest number in a name or header of the folder, whatever becomes of the file.
[[nodiscard]] std::int64_t greatest_number(const JournalFolder& folder);

/// "activemq-data" and "amq", as the newest file is called.
struct NamePattern {
  std::string prefix;
  std::string extension;
  [[nodiscard]] std::string name(std::int64_t number) const {
    return prefix + "-" + std::to_string(number) + "." + extension;
  }
};
[[nodiscard]] NamePattern name_pattern(const JournalFolder& folder);

/// Ascending ids for so many new files: those of the old files that they replace, and new ones when
/// these do not suffice. `keeping` are the ids of files that stay.
[[nodiscard]] std::vector<std::int64_t> output_ids(std::size_t count,
                                                   const std::vector<std::int64_t>& inputs,
                                                   const std::vector<std::int64_t>& keeping,
                                                   std::int64_t greatest);

}  // namespace saranga::journal
