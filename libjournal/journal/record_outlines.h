// What the planning of a compaction has to know of each record, kept small enough that it need not
// be read a second time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libjournal/journal/packed_numbers.h"
#include "saranga/journal/format.h"

namespace saranga::journal {

/// A record without its body.
struct RecordOutline {
  Record record{};  ///< kind, ids, place and length; the user type when it was asked for
  std::uint64_t body_bytes = 0;
  std::size_t file = 0;
};

/// Keeps the outlines of a journal in the order of reading, some five bytes each, and gives them
/// back once. One thread.
class RecordOutlines {
 public:
  /// Gives up, and gives its memory back, when it would take more than that.
  explicit RecordOutlines(std::size_t limit_bytes) : numbers_(limit_bytes) {}

  /// `typed`: with the user type. Files come one after the other.
  void add(const Record& record, std::size_t file, bool typed);
  /// Whether it has all that was added.
  [[nodiscard]] bool complete() const { return numbers_.complete(); }
  /// The next one, when all have been added, valid until the next call; null behind the last.
  [[nodiscard]] const RecordOutline* next();

 private:
  [[nodiscard]] std::int64_t expected_offset() const;

  PackedNumbers numbers_;
  RecordOutline previous_;  // numbers are told by how they differ from it
  bool reading_ = false;
};

}  // namespace saranga::journal
