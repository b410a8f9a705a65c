// Counts and sizes of a store: records by kind and type, live messages by size and age.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saranga/store/loader.h"
#include "saranga/store/record_filter.h"

namespace saranga::store {

/// Records of one kind and record type.
struct RecordCount {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

/// By kind and record type; the type is 0 for kinds that have none.
using RecordCounts = std::map<std::pair<journal::RecordKind, std::int8_t>, RecordCount>;

/// Counts the records of the message journal while a store is loaded: LoadOptions::observer takes
/// it.
class SARANGA_API RecordCounter final : public RecordObserver {
 public:
  /// Counts everything.
  RecordCounter() = default;
  /// Counts what fits; `now_ms` as in LoadOptions.
  RecordCounter(Filter filter, std::int64_t now_ms) : wanted_(std::move(filter)), now_ms_(now_ms) {}

  void begin_journal(const bindings::Catalog& catalog,
                     const std::vector<std::string>& labels) override;
  void record(journal::JournalKind journal, const journal::Record& record,
              std::size_t file) override;
  [[nodiscard]] RecordCounts counts() const;

 private:
  static constexpr std::size_t kTypes = 256;
  Filter wanted_;
  std::int64_t now_ms_ = 0;
  std::optional<RecordFilter> filter_;  // when not everything is counted
  std::vector<std::string> files_{};    // by place.file(), of the message journal
  // A table, because it is looked at for every record.
  std::array<RecordCount, journal::kKinds.size() * kTypes> table_{};
};

/// A histogram by powers of ten: bucket i counts values below 10^i of its unit, the last one the
/// rest.
struct Histogram {
  static constexpr std::size_t kBuckets = 12;
  std::array<std::uint64_t, kBuckets> counts{};

  void add(std::uint64_t value) {
    std::size_t bucket = 0;
    for (std::uint64_t limit = 1; bucket + 1 < kBuckets && value >= limit; limit *= 10) ++bucket;
    ++counts[bucket];
  }
};

/// Live messages of the journal.
struct MessageHistograms {
  Histogram body_bytes;   ///< bodies in files included
  Histogram age_seconds;  ///< messages without timestamp and those from the future count as 0
};

[[nodiscard]] SARANGA_API MessageHistograms measure_messages(const LoadedStore& store);

/// Live messages that fit a filter.
struct SelectedMessages {
  struct Sum {
    std::uint64_t messages = 0;
    std::uint64_t body_bytes = 0;  ///< bodies in files included
  };
  MessageHistograms histograms{};
  std::map<std::string, Sum> addresses{};  ///< by the address of the queue, else of the message
  std::uint64_t messages = 0;
};

[[nodiscard]] SARANGA_API SelectedMessages measure_selected(const LoadedStore& store,
                                                            Filter& filter, FindingSink& sink);

}  // namespace saranga::store
