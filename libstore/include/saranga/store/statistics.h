// Counts and sizes of a loaded store: records by type, messages by size and age.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "saranga/store/loader.h"

namespace saranga::store {

/// Records of one kind and record type in the message journal.
struct RecordCount {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

/// A histogram by powers of ten: bucket i counts values below 10^i of its unit, the last one the rest.
struct Histogram {
  static constexpr std::size_t kBuckets = 12;
  std::array<std::uint64_t, kBuckets> counts{};

  void add(std::uint64_t value) {
    std::size_t bucket = 0;
    for (std::uint64_t limit = 1; bucket + 1 < kBuckets && value >= limit; limit *= 10) ++bucket;
    ++counts[bucket];
  }
};

/// Sums over a store.
struct Statistics {
  /// By kind and record type; the type is 0 for kinds that have none.
  std::map<std::pair<journal::RecordKind, std::int8_t>, RecordCount> records;
  Histogram body_bytes;   ///< of live messages of the journal, bodies in files not counted
  Histogram age_seconds;  ///< likewise; messages without timestamp and from the future count as 0
};

/// Scans the message journal once more for the records; damage was reported by the load.
[[nodiscard]] SARANGA_API Statistics count_records(const LoadedStore& store, JobRunner& jobs);

}  // namespace saranga::store
