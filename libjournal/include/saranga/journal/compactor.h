// Writing a journal anew with nothing but what a load keeps (docs/format/journal.md#compaction): in
// place, as a broker does it, or into another folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/io/jobs.h"
#include "saranga/io/write_engine.h"
#include "saranga/journal/folder.h"

namespace saranga::journal {

/// Plain updates of which only the last one counts: those of one record id whose bodies have this
/// length and begin with the same bytes.
struct ReplaceableUpdate {
  std::int8_t user_type = 0;
  std::uint32_t key_bytes = 0;  ///< at most 8
  std::uint32_t body_bytes = 0;
};

struct CompactorOptions {
  JournalKind kind = JournalKind::kMessages;
  std::string label{};  ///< in front of file names in findings: "journal"
  /// Size of new files; unset: what most files of the journal have.
  std::optional<std::uint64_t> file_size_bytes{};
  /// Where the first record of a file goes, and what its size is a multiple of, when the files do
  /// not tell: 1, or the block of ASYNCIO.
  std::optional<std::uint32_t> alignment_bytes{};
  /// Empty files are kept until there are so many; none in another folder.
  std::int32_t min_files = 2;
  std::vector<ReplaceableUpdate> replaceable{};
  /// Transactions that are neither prepared nor ended: a journal that nobody writes to has no use
  /// for them, one that somebody does will see their end.
  bool keep_open_transactions = false;
  /// Files from this header id on take no part: those that somebody is writing to. Empty files are
  /// left alone then.
  std::optional<std::int64_t> below_id{};
  std::optional<std::int64_t> first_number{};  ///< of new names; unset: above all that are there
  bool datasync = true;  ///< off: nothing is synced, and a power failure may take all of it
  std::size_t window_bytes = std::size_t{1} << 20;
  /// Memory for what is kept of each record to plan the new files, some five bytes, and again for
  /// each that is copied, some four. A journal with more records, by default five million, is read
  /// once more instead; what is written is the same.
  std::size_t outline_bytes = std::size_t{24} << 20;
  /// Where some windows of the first reading are scanned ahead, and waited for; unset: on the
  /// thread that drives the compaction. Must outlive it.
  JobRunner* jobs = nullptr;
};

/// What a compaction does, known before anything is written.
struct CompactionFigures {
  std::uint64_t files_before = 0;
  std::uint64_t bytes_before = 0;  ///< of all files of the journal, leftovers included
  std::uint64_t files_after = 0;
  std::uint64_t bytes_after = 0;
  std::uint64_t input_files = 0;
  std::uint64_t output_files = 0;
  std::uint64_t output_bytes = 0;  ///< that have to be written before anything is removed
  std::uint64_t records_before = 0;
  std::uint64_t record_bytes_before = 0;
  std::uint64_t records_after = 0;
  std::uint64_t record_bytes_after = 0;
  std::uint64_t live_records = 0;       ///< adds and updates that a load keeps, replaced ones too
  std::uint64_t replaced_updates = 0;   ///< of these: a later one says it anew
  std::uint64_t kept_transactions = 0;  ///< in doubt, or open
  std::vector<std::int64_t> rolled_back{};  ///< transactions that never came to their end
  std::uint64_t unreadable_bytes = 0;       ///< in the files that are read
  std::uint64_t damages = 0;                ///< findings of data that is damaged or lost
  std::uint64_t file_size_bytes = 0;        ///< of new files
  std::uint32_t alignment_bytes = 1;        ///< likewise

  /// Whether fewer files or fewer records are left.
  [[nodiscard]] bool worthwhile() const {
    return files_after < files_before || bytes_after < bytes_before ||
           records_after < records_before;
  }
};

/// One compaction, in steps: a broker can do other things in between. Records are copied through
/// buffers of some megabytes. Memory: 16 bytes for each live record, 24 for each replaceable
/// update, a bit or so for each deleted id and each transaction; also some five bytes for each
/// record until the plan is there, and then four for each that is copied, `outline_bytes` at most.
/// One thread drives it.
///
/// In place, a crash at any moment leaves what a load reads as the same records: the old files, or
/// the new ones with the control file that says so. Whoever starts next, a broker included,
/// finishes or undoes the rest.
class SARANGA_API Compactor {
 public:
  enum class Phase : std::uint8_t {
    kReading,    ///< which records count
    kMeasuring,  ///< what the new files will be
    kPlanned,    ///< figures() are complete, nothing has been written
    kWriting,
    kChecking,  ///< reading what was written
    kReady,     ///< the new files are complete and durable, and the old ones still count
    kDone,
  };

  /// Only tells what a compaction would do; ends with kPlanned.
  [[nodiscard]] static Compactor planning(const ReadableDirectory& from, CompactorOptions options,
                                          FindingSink& sink);
  /// The caller holds the broker's lock. Refused with kDamaged when anything but a torn end would
  /// be lost with the old files.
  [[nodiscard]] static Compactor in_place(WritableDirectory& directory, WriteEngine& engine,
                                          CompactorOptions options, FindingSink& sink);
  /// Into a folder without journal files. What is damaged is left behind, and told.
  [[nodiscard]] static Compactor to(const ReadableDirectory& from, WritableDirectory& to,
                                    WriteEngine& engine, CompactorOptions options,
                                    FindingSink& sink);
  /// Removes what was written when the compaction has not come to its end, unless the control file
  /// is there already.
  ~Compactor();
  Compactor(Compactor&&) noexcept;
  Compactor& operator=(Compactor&&) = delete;

  /// Does a piece of the work, about so many bytes of the files; false when there is nothing left
  /// to do. After an error nothing has changed that a load would see, and every later call fails.
  [[nodiscard]] Result<bool> step(std::uint64_t budget_bytes = std::uint64_t{4} << 20);
  [[nodiscard]] Phase phase() const;
  /// Finishes what an interrupted compaction left and removes leftovers, from kPlanned on; the
  /// first step that writes does it as well. In place only.
  [[nodiscard]] Result<void> repair();
  /// Complete from kPlanned on.
  [[nodiscard]] const CompactionFigures& figures() const;
  /// From kPlanned on: why the journal cannot be compacted in place.
  [[nodiscard]] const std::optional<Error>& obstacle() const;
  /// At kReady in place: the folder as it will be, for reading. Lives as long as the compactor.
  [[nodiscard]] const ReadableDirectory* preview() const;
  /// Whether the control file was written and the compaction could not be finished: then the next
  /// start does it.
  [[nodiscard]] bool left_to_next_start() const;

  /// How much of the work is done, in bytes read, and how much there is; of the reading, and again
  /// of the writing.
  [[nodiscard]] std::uint64_t done_bytes() const;
  [[nodiscard]] std::uint64_t total_bytes() const;

 private:
  struct State;
  explicit Compactor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace saranga::journal
