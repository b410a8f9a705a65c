// Bytes on their way into the files of a journal: gathered into batches, handed to a write engine,
// counted as durable in the order in which they were appended.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "saranga/io/write_engine.h"

namespace saranga::journal {

/// Memory that begins on a block, as direct I/O wants it.
class BlockBuffer {
 public:
  explicit BlockBuffer(std::size_t bytes) { grow(bytes, 0); }
  [[nodiscard]] std::byte* data() { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Makes room for `bytes`, keeping the first `kept`.
  void grow(std::size_t bytes, std::size_t kept);

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_ = 0;
};

/// Group commit: while batches are being written and synced, the next one fills. A batch belongs to
/// one file, and nothing is written to a file before all that was written to the one before it is
/// durable. One thread. The first error of the engine is final.
class AppendStream {
 public:
  struct Options {
    std::uint32_t alignment_bytes = 1;
    std::size_t buffer_bytes = 0;
    bool datasync = true;
  };

  /// `engine` serves nobody else and must outlive the stream.
  AppendStream(WriteEngine& engine, Options options);
  /// Waits for what is under way: the engine reads our buffers. What was not handed over is lost.
  ~AppendStream();
  AppendStream(const AppendStream&) = delete;
  AppendStream& operator=(const AppendStream&) = delete;

  /// Goes on in another file from `offset` on, which the alignment rounds up; what is left for the
  /// file before has been handed over by finish_file().
  void attach(std::shared_ptr<WritableFile> file, std::uint64_t offset, std::uint64_t size_bytes);
  /// Hands over everything for the present file, to be synced.
  [[nodiscard]] Result<void> finish_file();

  /// Where the next batch begins in the file: what was handed over ends here.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  /// Whether `bytes` more fit into the file.
  [[nodiscard]] bool fits(std::uint64_t bytes) const;
  /// Room for `bytes` that fit, as part of the present batch; the caller fills it before the next
  /// call. Counts as one append.
  [[nodiscard]] Result<std::span<std::byte>> append(std::size_t bytes);

  /// Hands over the batch when nothing is under way. Never waits.
  [[nodiscard]] Result<void> start();
  /// Takes note of what is complete. Never waits.
  [[nodiscard]] Result<void> poll();
  /// Returns when everything appended is durable.
  [[nodiscard]] Result<void> sync();

  /// How many appends there were, and how many of them are durable.
  [[nodiscard]] std::uint64_t appended() const { return appended_; }
  [[nodiscard]] std::uint64_t durable() const { return durable_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  struct InFlight {
    std::unique_ptr<BlockBuffer> buffer;
    const WritableFile* file = nullptr;
    std::uint64_t number = 0;    // as the engine counts
    std::uint64_t appended = 0;  // appends up to and with this batch
    bool makes_durable = false;
  };

  [[nodiscard]] std::uint64_t aligned(std::uint64_t offset) const;
  [[nodiscard]] Result<void> hand_over(bool sync);
  [[nodiscard]] Result<void> make_way();
  [[nodiscard]] Result<void> wait_for(std::uint64_t number);
  [[nodiscard]] std::unique_ptr<BlockBuffer> take_buffer();
  [[nodiscard]] Result<void> remember(Result<void> outcome);

  WriteEngine& engine_;
  Options options_;
  std::shared_ptr<WritableFile> file_;
  std::uint64_t offset_ = 0;  // of the batch in the file
  std::uint64_t file_size_bytes_ = 0;
  std::unique_ptr<BlockBuffer> buffer_;
  std::size_t filled_ = 0;
  std::deque<InFlight> in_flight_;
  std::vector<std::unique_ptr<BlockBuffer>> spare_;
  std::uint64_t submitted_ = 0;  // requests, as the engine counts
  std::uint64_t appended_ = 0;
  std::uint64_t sync_asked_ = 0;  // appends that a request with a sync covers
  std::uint64_t durable_ = 0;
  std::optional<Error> error_;
};

}  // namespace saranga::journal
