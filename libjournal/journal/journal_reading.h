// Reading some files of a journal from front to back, window by window.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"

namespace saranga::journal {

/// One reading. One thread.
class JournalReading {
 public:
  enum class What : std::uint8_t {
    kRecords,   ///< records() has some of file()
    kFileEnd,   ///< scanner() knows everything about file()
    kFinished,  ///< all files have been read
  };

  /// `wanted` are indices of `files`, in the order of reading. All must outlive the reading.
  JournalReading(const ReadableDirectory& directory, std::span<const JournalFile> files,
                 std::vector<std::size_t> wanted, std::size_t window_bytes)
      : directory_(directory),
        files_(files),
        wanted_(std::move(wanted)),
        options_{.window_bytes = window_bytes} {}

  [[nodiscard]] Result<What> next();
  /// Adds a file behind those that are wanted so far, also when these have been read.
  void want(std::size_t file) { wanted_.push_back(file); }
  [[nodiscard]] std::span<const Record> records() const { return batch_.records; }
  [[nodiscard]] std::size_t file() const { return file_; }
  [[nodiscard]] const FileScanner& scanner() const { return *scanner_; }
  [[nodiscard]] std::uint64_t done_bytes() const {
    return finished_bytes_ + (scanner_ ? scanner_->position() : 0);
  }

 private:
  const ReadableDirectory& directory_;
  std::span<const JournalFile> files_;
  std::vector<std::size_t> wanted_;
  ScanOptions options_;
  std::size_t next_ = 0;
  std::size_t file_ = 0;
  bool ended_ = false;
  std::uint64_t finished_bytes_ = 0;
  std::unique_ptr<ReadableFile> opened_;
  std::unique_ptr<FileScanner> scanner_;
  Batch batch_;
};

}  // namespace saranga::journal
