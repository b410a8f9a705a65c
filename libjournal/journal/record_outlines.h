// What the planning of a compaction has to know of each record, kept small enough that it need not
// be read a second time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "saranga/journal/format.h"

namespace saranga::journal {

/// A record without its body.
struct RecordOutline {
  Record record{};  ///< kind and ids; user type and offset when they were asked for
  std::uint64_t body_bytes = 0;
  std::size_t file = 0;
};

/// Keeps the outlines of a journal in the order of reading, some five bytes each, and gives them
/// back once. One thread.
class RecordOutlines {
 public:
  /// Gives up, and gives its memory back, when it would take more than that.
  explicit RecordOutlines(std::size_t limit_bytes) : limit_chunks_(limit_bytes / kChunkBytes) {}

  /// `placed`: with the user type and the offset. Files come one after the other.
  void add(const Record& record, std::size_t file, bool placed);
  /// Whether it has all that was added.
  [[nodiscard]] bool complete() const { return !gave_up_; }
  /// The next one, when all have been added; nothing behind the last.
  [[nodiscard]] std::optional<RecordOutline> next();

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

  void put(std::uint64_t value);
  [[nodiscard]] std::uint64_t get();

  std::size_t limit_chunks_;
  bool gave_up_ = false;
  std::deque<std::vector<std::byte>> chunks_;
  std::size_t at_ = 0;      // of the reading, in the first chunk
  RecordOutline previous_;  // numbers are told by how they differ from it
  bool reading_ = false;
};

}  // namespace saranga::journal
