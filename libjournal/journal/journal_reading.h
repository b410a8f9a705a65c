// Reading some files of a journal from front to back, window by window.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "saranga/io/jobs.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"

namespace saranga::journal {

/// One reading. One thread drives it.
class JournalReading {
 public:
  enum class What : std::uint8_t {
    kRecords,   ///< records() has some of file()
    kFileEnd,   ///< scanner() knows everything about file()
    kFinished,  ///< all files have been read
  };

  /// `wanted` are indices of `files`, in the order of reading. With `jobs`, some windows are
  /// scanned there while the caller looks at those before; nothing else may be waited for there
  /// meanwhile. All must outlive the reading.
  JournalReading(const ReadableDirectory& directory, std::span<const JournalFile> files,
                 std::vector<std::size_t> wanted, std::size_t window_bytes,
                 JobRunner* jobs = nullptr)
      : directory_(directory),
        files_(files),
        wanted_(std::move(wanted)),
        options_{.window_bytes = window_bytes},
        jobs_(jobs) {}
  ~JournalReading();
  JournalReading(const JournalReading&) = delete;
  JournalReading& operator=(const JournalReading&) = delete;

  [[nodiscard]] Result<What> next();
  /// Adds a file behind those that are wanted so far, also when these have been read.
  void want(std::size_t file) { wanted_.push_back(file); }
  /// Valid until the next call of next().
  [[nodiscard]] std::span<const Record> records() const {
    return present_.batches[present_.taken - 1].records;
  }
  [[nodiscard]] std::size_t file() const { return present_.file; }
  [[nodiscard]] const FileScanner& scanner() const { return present_.scan->scanner; }
  [[nodiscard]] std::uint64_t done_bytes() const { return finished_bytes_ + position_; }

 private:
  struct Scan {
    std::unique_ptr<ReadableFile> file;
    FileScanner scanner;
  };
  /// A few windows of one file.
  struct Portion {
    std::size_t file = 0;
    std::shared_ptr<Scan> scan{};  // none: the file is to be opened
    std::vector<Batch> batches{};
    std::vector<std::uint64_t> positions{};  // behind each of them
    std::size_t taken = 0;                   // by whoever drives the reading
    bool ended = false;                      // the file, behind them
    std::optional<Error> error{};            // likewise
  };
  class FillJob;

  /// Says what the next portion is, when there is one.
  [[nodiscard]] bool prepare(Portion& portion);
  void fill(Portion& portion);
  [[nodiscard]] Result<bool> next_portion();

  const ReadableDirectory& directory_;
  std::span<const JournalFile> files_;
  std::vector<std::size_t> wanted_;
  ScanOptions options_;
  JobRunner* jobs_;
  std::size_t next_ = 0;
  Portion present_;
  Portion ahead_;  // being filled, when there is one
  bool filling_ = false;
  bool at_end_ = false;  // of the present file, which has been told
  std::uint64_t finished_bytes_ = 0;
  std::uint64_t position_ = 0;  // in the present file
};

}  // namespace saranga::journal
