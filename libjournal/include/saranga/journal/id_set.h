// A set of record ids. Ids are handed out in sequence, so most are neighbours: a block of 256 ids
// costs one bit each.
#pragma once

#include <array>
#include <cstdint>

#include "saranga/bytes/id_hash.h"

namespace saranga::journal {

/// Not thread-safe while it is changed; concurrent contains() calls are fine.
class IdSet {
 public:
  class Reader;

  void insert(std::int64_t id) {
    std::uint64_t& word = blocks_[id >> 8][static_cast<std::size_t>(id >> 6 & 3)];
    const std::uint64_t bit = std::uint64_t{1} << (id & 63);
    if ((word & bit) == 0) ++size_;
    word |= bit;
  }
  void erase(std::int64_t id) {
    const auto block = blocks_.find(id >> 8);
    if (block == blocks_.end()) return;
    std::uint64_t& word = block->second[static_cast<std::size_t>(id >> 6 & 3)];
    const std::uint64_t bit = std::uint64_t{1} << (id & 63);
    if ((word & bit) != 0) --size_;
    word &= ~bit;
  }
  [[nodiscard]] bool contains(std::int64_t id) const {
    const auto block = blocks_.find(id >> 8);
    if (block == blocks_.end()) return false;
    return (block->second[static_cast<std::size_t>(id >> 6 & 3)] >> (id & 63) & 1) != 0;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  using Block = std::array<std::uint64_t, 4>;
  IdMap<Block> blocks_;
  std::size_t size_ = 0;
};

/// Looks up ids one after the other, faster when they are neighbours. The set must not change
/// meanwhile, and must outlive the reader. One thread.
class IdSet::Reader {
 public:
  explicit Reader(const IdSet& set) : set_(set) {}
  [[nodiscard]] bool contains(std::int64_t id) {
    if (id >> 8 != number_ || !looked_) {
      const auto found = set_.blocks_.find(id >> 8);
      block_ = found == set_.blocks_.end() ? nullptr : &found->second;
      number_ = id >> 8;
      looked_ = true;
    }
    if (block_ == nullptr) return false;
    return ((*block_)[static_cast<std::size_t>(id >> 6 & 3)] >> (id & 63) & 1) != 0;
  }

 private:
  const IdSet& set_;
  const Block* block_ = nullptr;
  std::int64_t number_ = 0;
  bool looked_ = false;
};

}  // namespace saranga::journal
