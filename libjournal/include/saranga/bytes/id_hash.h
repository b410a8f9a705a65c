// Hash tables whose keys come from files: nobody who writes a file can choose keys that collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "saranga/bytes/export.h"

namespace saranga {

/// A random number, another one in every process. Any thread.
[[nodiscard]] SARANGA_API std::uint64_t id_hash_seed();

/// An odd number for tables that take the upper bits of a product with an id: near the golden
/// ratio, so that ids that follow each other fall on places far apart, and in its lower bits
/// another one in every process.
[[nodiscard]] inline std::uint64_t id_multiplier() {
  constexpr std::uint64_t kSecret = (std::uint64_t{1} << 40) - 1;
  return (0x9E3779B97F4A7C15U & ~kSecret) | (id_hash_seed() & kSecret) | 1;
}

/// Mixes a key with the process's number. Nothing may depend on the order that it gives.
class IdHash {
 public:
  IdHash() : seed_(id_hash_seed()) {}
  [[nodiscard]] std::size_t operator()(std::int64_t id) const noexcept {
    return mix(static_cast<std::uint64_t>(id));
  }
  [[nodiscard]] std::size_t operator()(std::uint64_t id) const noexcept { return mix(id); }
  [[nodiscard]] std::size_t operator()(std::uint32_t id) const noexcept { return mix(id); }

 private:
  [[nodiscard]] std::size_t mix(std::uint64_t bits) const noexcept {
    bits = (bits ^ seed_) * 0x9E3779B97F4A7C15U;
    bits = (bits ^ bits >> 32) * 0xD6E8FEB86659FD93U;
    return static_cast<std::size_t>(bits ^ bits >> 32);
  }
  std::uint64_t seed_;
};

template <class Value, class Key = std::int64_t>
using IdMap = std::unordered_map<Key, Value, IdHash>;
using IdHashSet = std::unordered_set<std::int64_t, IdHash>;

}  // namespace saranga
