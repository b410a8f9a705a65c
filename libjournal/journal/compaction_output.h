// The new files of a compaction: how records are laid out in them, and writing them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "saranga/io/write_engine.h"
#include "saranga/journal/record_encoder.h"

namespace saranga::journal {

/// Puts records of given lengths into files, one behind the other.
class OutputLayout {
 public:
  OutputLayout(std::uint64_t file_size_bytes, std::uint32_t alignment_bytes);

  /// The file that the next record goes to.
  [[nodiscard]] std::size_t place(std::uint64_t length_bytes);
  /// The sizes of the files: what was asked for, more only for a record that is longer.
  [[nodiscard]] const std::vector<std::uint64_t>& sizes() const { return sizes_; }
  [[nodiscard]] std::uint64_t total_bytes() const;
  [[nodiscard]] std::uint64_t first_record_offset() const { return first_; }

 private:
  std::uint64_t file_size_;
  std::uint32_t alignment_;
  std::uint64_t first_;
  std::uint64_t at_ = 0;
  std::vector<std::uint64_t> sizes_;
};

/// A file to be written.
struct OutputFile {
  std::string name{};
  std::int64_t id = 0;
  std::uint64_t size_bytes = 0;
};

/// Depends on all bytes and on their order; for finding mistakes, not for an enemy.
[[nodiscard]] std::uint64_t content_sum(std::uint64_t before, const RecordFields& fields,
                                        Bytes body);

/// Writes the files, each to its whole size and synced. What was created is removed by whoever
/// knows the names. One thread.
class OutputWriter {
 public:
  /// All must outlive the writer; the engine serves no other meanwhile.
  OutputWriter(WritableDirectory& directory, WriteEngine& engine,
               const std::vector<OutputFile>& files, std::uint64_t first_record_offset,
               bool datasync);
  /// Waits for what is being written from its buffers.
  ~OutputWriter();
  OutputWriter(const OutputWriter&) = delete;
  OutputWriter& operator=(const OutputWriter&) = delete;

  /// Appends a record to a file, the present one or the next. The tag is set here.
  [[nodiscard]] Result<void> put(std::size_t file, RecordFields fields, Bytes body);
  /// Completes the last file, and those behind it that have no records; returns when all are
  /// durable.
  [[nodiscard]] Result<void> finish();
  /// Of the records put so far.
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  /// How many files are written to their end, counted from the first; never waits.
  [[nodiscard]] std::size_t complete_files() const;
  /// How many files were created, counted from the first.
  [[nodiscard]] std::size_t created() const { return created_; }

 private:
  struct Buffer {
    std::vector<std::byte> bytes;
    std::uint64_t free_at = 0;  // the requests that have to be complete before it is filled again
  };

  [[nodiscard]] Result<void> begin_file();
  [[nodiscard]] Result<void> end_file();
  [[nodiscard]] Result<void> zero_rest();
  /// Room behind what was put last; hands the buffer on when there is none.
  [[nodiscard]] Result<std::span<std::byte>> room(std::size_t bytes);
  [[nodiscard]] Result<void> hand_over();
  /// Has the oldest files synced until so many are left.
  void sync_down_to(std::size_t count);

  WritableDirectory& directory_;
  WriteEngine& engine_;
  const std::vector<OutputFile>& files_;
  std::uint64_t first_record_offset_;
  bool datasync_;
  std::vector<Buffer> buffers_;
  std::size_t buffer_ = 0;
  std::size_t filled_ = 0;       // bytes in the present buffer
  std::uint64_t written_ = 0;    // where it goes in the file
  std::uint64_t submitted_ = 0;  // requests
  std::shared_ptr<WritableFile> file_;
  std::size_t created_ = 0;
  std::vector<std::uint64_t> ends_;  // by file: the requests that write it
  std::deque<std::shared_ptr<WritableFile>> unsynced_;
  std::uint64_t sum_ = 0;
};

}  // namespace saranga::journal
