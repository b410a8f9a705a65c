// The accounting of a load, by Artemis' rules: which records are live in which file, what keeps
// each file, which files the next check would free, and whether a compaction would start by itself
// (docs/format/journal.md#reclaiming-and-reuse, docs/format/journal.md#compaction).
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "saranga/bytes/export.h"
#include "saranga/journal/format.h"

namespace saranga::journal {

/// What the records of one file count for.
struct FileLiveness {
  bool has_data = false;           ///< holds something that a load does not take for a free file
  std::uint64_t positives = 0;     ///< Artemis' own count: what has to be cancelled by others
  std::uint64_t live_records = 0;  ///< adds and updates of ids that are not deleted
  std::uint64_t live_bytes = 0;
  std::uint64_t pending_records = 0;  ///< of transactions without outcome
  std::uint64_t pending_bytes = 0;
  std::uint64_t open_touches = 0;      ///< transactions without outcome that wrote here
  std::uint64_t replaced_records = 0;  ///< of ids that were added again: nothing ever cancels them
  std::uint64_t replaced_bytes = 0;
  std::uint64_t adds = 0;          ///< ids first added here; deletes do not lower it
  std::uint64_t replaceables = 0;  ///< replaceable updates, one an id and file at most
};

/// How many positives of another file the records of a file cancel.
struct Cancelling {
  std::uint32_t file = 0;  ///< the file whose positives they are
  std::uint64_t by_deletes = 0;
  std::uint64_t by_outcomes = 0;  ///< by commits and rollbacks of transactions that wrote there

  [[nodiscard]] std::uint64_t count() const { return by_deletes + by_outcomes; }
};

/// One record of a live id.
struct LiveRecord {
  std::uint32_t file = 0;
  std::uint32_t length_bytes = 0;
  std::int8_t user_type = 0;
  bool is_first = false;  ///< the one that made the id live, as a rule an add
};

/// A transaction without outcome at the end of the journal.
struct OpenTouch {
  struct InFile {
    std::uint32_t file = 0;
    std::uint64_t records = 0;  ///< the prepare included
    std::uint64_t bytes = 0;
  };
  std::int64_t tx_id = 0;
  bool prepared = false;        ///< in doubt; otherwise the next start rolls it back
  std::vector<InFile> files{};  ///< ascending
};

/// What a broker does with a file at its next check.
enum class FileState : std::uint8_t {
  kFree,         ///< holds nothing: a start takes it for a free file
  kCurrent,      ///< is written to, and takes no part
  kReclaimable,  ///< becomes free
  kKept,
};

/// What the caller knows of a file besides its records.
struct FileCircumstances {
  bool marked = false;             ///< looks damaged: a load does not take it for a free file
  bool retention_pending = false;  ///< waits for its copy to the retention folder
};

/// Why a file is in its state.
struct FileVerdict {
  FileState state = FileState::kFree;
  std::uint64_t cancelled = 0;             ///< positives cancelled by this and later closed files
  std::uint64_t cancelled_by_current = 0;  ///< counts only when the current file is closed
  std::uint64_t cancelled_too_early = 0;   ///< by earlier files: never counts
  bool retention_pending = false;
  std::vector<Cancelling> needed_for{};  ///< earlier files that are kept and that this one cancels

  /// Positives that nothing in a closed file cancels.
  [[nodiscard]] std::uint64_t uncancelled(const FileLiveness& file) const {
    return file.positives > cancelled ? file.positives - cancelled : 0;
  }
};

/// The settings that decide about compaction.
struct CompactionRules {
  std::uint64_t file_size_bytes = 10'485'760;  ///< journal-file-size
  std::int64_t min_files = 10;                 ///< journal-compact-min-files; 0 switches it off
  std::int64_t percentage = 30;                ///< journal-compact-percentage
  double update_factor = 10;                   ///< since 2.18; infinite before
};

/// What a broker's own rules say about compaction, after the next check.
struct CompactionOutlook {
  std::uint64_t data_files = 0;   ///< closed files that are kept
  std::uint64_t live_bytes = 0;   ///< in them, as Artemis counts
  std::uint64_t limit_bytes = 0;  ///< fewer live bytes would start it
  std::uint64_t adds = 0;
  std::uint64_t replaceables = 0;
  bool starts_by_size = false;
  bool starts_by_updates = false;
  std::uint64_t input_files = 0;      ///< what one would read: the current file is closed for it
  std::uint64_t surviving_bytes = 0;  ///< what it would write, without its commit records
  std::uint64_t output_files = 0;     ///< about; the new current file is not among them

  [[nodiscard]] bool starts() const { return starts_by_size || starts_by_updates; }
};

struct LivenessOptions {
  /// User record types, as unsigned bytes, of which only the last update of an id counts.
  std::bitset<256> replaceable{};
};

/// Takes the records of a journal one after the other, as Survivors does, and does Artemis' sums.
/// It differs from what survives where Artemis differs: here the order of add and delete matters.
/// Memory: about 20 bytes for each live id and 12 for each of its records. One thread drives it.
class SARANGA_API Liveness {
 public:
  explicit Liveness(LivenessOptions options = {});
  ~Liveness();
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  /// `file` counts the files in the order of reading.
  void apply(const Record& record, std::size_t file);
  /// To be called once after the last record; the following are complete then.
  void finish();

  /// Files that any record was applied for; a file behind the last one counts for nothing.
  [[nodiscard]] std::size_t file_count() const;
  [[nodiscard]] FileLiveness file(std::size_t file) const;
  /// What the records of a file cancel, ascending by file.
  [[nodiscard]] std::span<const Cancelling> cancels(std::size_t file) const;
  [[nodiscard]] const std::vector<OpenTouch>& open() const;
  [[nodiscard]] std::size_t live_ids() const;
  [[nodiscard]] bool is_live(std::int64_t id) const;
  /// The records of a live id, the latest first; empty when it is not live.
  [[nodiscard]] std::vector<LiveRecord> records_of(std::int64_t id) const;
  /// Visits every live id in an order that depends only on the records. The records are those of
  /// records_of(), valid until the visitor returns.
  void visit_live(
      const std::function<void(std::int64_t, std::span<const LiveRecord>)>& visitor) const;

  /// Applies the rules of a check to all files: circumstances[i] belongs to file i, and there are
  /// as many files as circumstances. The last file with data is the current one.
  [[nodiscard]] std::vector<FileVerdict> check(
      std::span<const FileCircumstances> circumstances) const;
  /// What the rules of compaction say, after the check that gave these verdicts.
  [[nodiscard]] CompactionOutlook outlook(const CompactionRules& rules,
                                          std::span<const FileVerdict> verdicts) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace saranga::journal
