// Which records a compaction copies, and from where: what its plan knows need not be found out
// again, and what is dead need not be read again.
#pragma once

#include <cstdint>
#include <optional>

#include "libjournal/journal/packed_numbers.h"

namespace saranga::journal {

/// A record that is copied.
struct ListedRecord {
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint32_t length_bytes = 0;  ///< there
  std::int32_t number = 0;         ///< of a PREPARE or COMMIT, as it will be
};

/// Keeps them in load order, some four bytes each, and gives them back once. One thread.
class CopyList {
 public:
  /// Gives up, and gives its memory back, when it would take more than that.
  explicit CopyList(std::size_t limit_bytes) : numbers_(limit_bytes) {}

  /// Files come one after the other, and in each of them the places ascend.
  void add(const ListedRecord& record);
  /// Whether it has all that was added.
  [[nodiscard]] bool complete() const { return numbers_.complete(); }
  /// The next one, when all have been added; nothing behind the last.
  [[nodiscard]] std::optional<ListedRecord> next();

 private:
  PackedNumbers numbers_;
  ListedRecord previous_;  // places are told by how they differ from its end
  bool reading_ = false;
};

}  // namespace saranga::journal
