// A journal folder: which files belong to the journal, in which order they are read, and what the
// others are (docs/format/journal.md#files-and-names).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/io/directory.h"
#include "saranga/journal/format.h"

namespace saranga::journal {

/// The journals of a broker differ by the extension of their files.
enum class JournalKind : std::uint8_t {
  kMessages,  ///< *.amq, and *.hq of HornetQ
  kBindings,  ///< *.bindings
  kJms,       ///< *.jms, in the bindings folder of releases before 2.0
};

/// One readable file of a journal.
struct JournalFile {
  enum class Role : std::uint8_t {
    kData,       ///< data, current or free: the contents decide
    kRetention,  ///< .bkp: closed, waiting for its copy to the retention folder; its records count
    kCompacted,  ///< .cmp that a complete control file lists: the next start renames it
  };
  std::string name;
  std::uint64_t size_bytes = 0;
  FileHeader header{};
  Role role = Role::kData;
  bool header_guessed = false;  ///< the header was damaged; `header` holds what fits the records
  std::uint64_t missing_bytes = 0;  ///< so much smaller than most files of the journal
};

/// Another file next to the journal's, and why it is not read.
struct OddFile {
  enum class Why : std::uint8_t {
    kShort,       ///< shorter than a header
    kCreating,    ///< .tmp: was being created, the next start deletes it
    kLeftover,    ///< .cmp that no control file lists: the next start deletes it
    kConsumed,    ///< input of a finished compaction: the next start deletes it
    kControl,     ///< the compaction control file
    kDuplicate,   ///< a .bkp with the header id of another file
    kUnreadable,  ///< the system does not let us read it
  };
  std::string name;
  std::uint64_t size_bytes = 0;
  Why why = Why::kShort;
};

/// The control file of an interrupted compaction, read as a plan and never carried out here.
struct CompactionPlan {
  std::vector<std::string> consumed;                         ///< to be deleted
  std::vector<std::string> produced;                         ///< names that end in .cmp
  std::vector<std::pair<std::string, std::string>> renames;  ///< always empty in practice
};

/// The folder as a broker would see it at its next start.
struct JournalFolder {
  JournalKind kind = JournalKind::kMessages;
  std::vector<JournalFile> files;  ///< ascending by header id, then by name
  std::vector<OddFile> odd;        ///< by name
  std::optional<CompactionPlan> plan;
};

/// The name of a compaction's control file.
inline constexpr std::string_view kControlFileName = "journal-rename-control.ctr";

/// Reads the headers of a folder's files. What is odd goes to `sink`, with `label` (e.g. "journal")
/// in front of the file names. Errors are failures to list the folder.
[[nodiscard]] SARANGA_API Result<JournalFolder> read_folder(const ReadableDirectory& directory,
                                                            JournalKind kind,
                                                            std::string_view label,
                                                            FindingSink& sink);

/// Reads one file's header, guessing a damaged one from the records that follow. `name` only goes
/// into the result. Nothing when the file is shorter than a header.
[[nodiscard]] SARANGA_API Result<std::optional<JournalFile>> read_file_header(
    const ReadableFile& file, std::string name);

/// Decodes the body of a control file's record; nothing when it does not hold three whole lists.
[[nodiscard]] SARANGA_API std::optional<CompactionPlan> parse_plan(Bytes body);

/// Which journal a file name belongs to by its extension, `.bkp`, `.tmp` and `.cmp` included.
[[nodiscard]] SARANGA_API std::optional<JournalKind> journal_kind_of(std::string_view name);

/// The number in a file's name ("activemq-data-12.amq" is 12); 0 when there is none.
[[nodiscard]] SARANGA_API std::int64_t name_number(std::string_view name);

}  // namespace saranga::journal
