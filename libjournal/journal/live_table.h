// The live ids of a journal and where their records are, in as little memory as possible: a broker
// has millions of them. Shared by what sums up a load and by the writer.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "saranga/bytes/id_hash.h"

namespace saranga::journal {

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// Elements that never move, so that growing costs no second copy of a million of them.
template <class T>
class Pool {
 public:
  [[nodiscard]] T& operator[](std::uint32_t index) {
    return segments_[index / kSegment][index % kSegment];
  }
  [[nodiscard]] const T& operator[](std::uint32_t index) const {
    return segments_[index / kSegment][index % kSegment];
  }
  [[nodiscard]] std::uint32_t add() {
    if (size_ == segments_.size() * kSegment) segments_.push_back(std::make_unique<T[]>(kSegment));
    return size_++;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kSegment = std::uint32_t{1} << 13;
  std::vector<std::unique_ptr<T[]>> segments_;
  std::uint32_t size_ = 0;
};

/// A record of a live id; 12 bytes, because there are millions of them.
struct Entry {
  std::uint32_t next = kNone;  ///< the one before; the last in the chain made the id live
  std::uint32_t length_bytes = 0;
  std::uint32_t file_and_type = 0;

  static constexpr unsigned kTypeBits = 8;

  [[nodiscard]] std::uint32_t file() const { return file_and_type >> kTypeBits; }
  [[nodiscard]] std::int8_t type() const {
    return static_cast<std::int8_t>(static_cast<std::uint8_t>(file_and_type));
  }
};
static_assert(sizeof(Entry) == 12);

/// The live ids, each with the chain of its records. Deleted ones make room for others.
class LiveTable {
 public:
  LiveTable() : slots_(kFirstSlots, kNone) {}

  [[nodiscard]] std::size_t size() const { return live_; }
  /// The index of an id, kNone when it is not live.
  [[nodiscard]] std::uint32_t find(std::int64_t id) const {
    const std::uint32_t index = slots_[slot_of(id)];
    return index;
  }
  /// Makes an id live that is not.
  std::uint32_t insert(std::int64_t id) {
    if ((live_ + 1) * 4 > slots_.size() * 3) grow();
    std::uint32_t index = free_head_;
    if (index == kNone) {
      index = ids_.add();
      (void)firsts_.add();
    } else {
      free_head_ = firsts_[index];
    }
    ids_[index] = id;
    firsts_[index] = kNone;
    slots_[slot_of(id)] = index;
    ++live_;
    return index;
  }
  void push(std::uint32_t index, std::uint32_t length_bytes, std::uint32_t file, std::int8_t type) {
    std::uint32_t at = free_entry_;
    if (at == kNone) {
      at = entries_.add();
    } else {
      free_entry_ = entries_[at].next;
    }
    entries_[at] = {.next = firsts_[index],
                    .length_bytes = length_bytes,
                    .file_and_type = file << Entry::kTypeBits | static_cast<std::uint8_t>(type)};
    firsts_[index] = at;
  }
  /// The latest record of an id.
  [[nodiscard]] const Entry& latest(std::uint32_t index) const { return entries_[firsts_[index]]; }
  template <class F>
  void each(std::uint32_t index, F&& visit) const {
    for (std::uint32_t at = firsts_[index]; at != kNone; at = entries_[at].next) {
      visit(entries_[at]);
    }
  }
  /// Forgets the records of an id, which stays live.
  void clear(std::uint32_t index) {
    std::uint32_t at = firsts_[index];
    while (at != kNone) {
      const std::uint32_t next = entries_[at].next;
      entries_[at].next = free_entry_;
      free_entry_ = at;
      at = next;
    }
    firsts_[index] = kNone;
  }
  void erase(std::uint32_t index) {
    clear(index);
    close_gap(slot_of(ids_[index]));
    firsts_[index] = free_head_;
    free_head_ = index;
    ids_[index] = 0;
    --live_;
  }
  [[nodiscard]] std::int64_t id(std::uint32_t index) const { return ids_[index]; }
  /// Indexes of all live ids, ascending.
  [[nodiscard]] std::vector<bool> occupied() const {
    std::vector<bool> live(ids_.size(), true);
    for (std::uint32_t at = free_head_; at != kNone; at = firsts_[at]) live[at] = false;
    return live;
  }

 private:
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 8;

  [[nodiscard]] std::size_t home(std::int64_t id) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) * multiplier_ >>
                                    (64 - std::bit_width(slots_.size() - 1)));
  }
  /// Where the id is, or the free slot where it would be.
  [[nodiscard]] std::size_t slot_of(std::int64_t id) const {
    std::size_t at = home(id);
    while (slots_[at] != kNone && ids_[slots_[at]] != id) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  // Ids that came to their slots past the erased one move up, so that no marks stay behind.
  void close_gap(std::size_t gap) {
    const std::size_t mask = slots_.size() - 1;
    slots_[gap] = kNone;
    for (std::size_t at = (gap + 1) & mask; slots_[at] != kNone; at = (at + 1) & mask) {
      const std::size_t wanted = home(ids_[slots_[at]]);
      if (((at - wanted) & mask) < ((at - gap) & mask)) continue;
      slots_[gap] = slots_[at];
      slots_[at] = kNone;
      gap = at;
    }
  }
  void grow() {
    std::vector<std::uint32_t> old(slots_.size() * 2, kNone);
    old.swap(slots_);
    for (const std::uint32_t index : old) {
      if (index != kNone) slots_[slot_of(ids_[index])] = index;
    }
  }

  Pool<std::int64_t> ids_;
  Pool<std::uint32_t> firsts_;  // of a free id: the next free one
  Pool<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // open addressing: index by id
  // Ids that follow each other spread evenly under a multiplication, and nobody who writes a file
  // knows the multiplier.
  std::uint64_t multiplier_ = id_multiplier();
  std::uint32_t free_head_ = kNone;
  std::uint32_t free_entry_ = kNone;
  std::size_t live_ = 0;
};

}  // namespace saranga::journal
