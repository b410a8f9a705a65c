// The story of an id: every record of both journals that is about it, in order, and how the
// transactions ended that these records belong to.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "saranga/store/loader.h"

namespace saranga::store {

/// How a transaction ended.
enum class Outcome : std::uint8_t {
  kOutside,   ///< a record outside of transactions
  kOpen,      ///< no outcome: rolled back by the next start
  kPrepared,  ///< in doubt
  kCommitted,
  kRolledBack,
};

/// "", "open", "prepared", "committed" or "rolled back". A constant.
[[nodiscard]] SARANGA_API std::string_view outcome_name(Outcome outcome);

/// One record of a story.
struct StoryRecord {
  journal::JournalKind journal = journal::JournalKind::kMessages;
  journal::Place place{};
  std::int64_t id = 0;
  std::int64_t tx_id = 0;
  bool in_transaction = false;
  journal::RecordKind kind = journal::RecordKind::kAdd;
  std::int8_t user_type = 0;  ///< of an add or update

  /// Whether it is about the id itself, or belongs to the transaction of that number.
  [[nodiscard]] bool is_about(std::int64_t wanted) const {
    return (journal::traits(kind).has_id && id == wanted) || (in_transaction && tx_id == wanted);
  }
};

/// Shows every record of both journals of a loaded store to an observer, as loading it has done.
/// What cannot be read has been told by then.
SARANGA_API void read_again(const LoadedStore& store, RecordObserver& observer);

/// Names of queues that are no longer bound, by id, as far as the bindings journal still has their
/// records.
[[nodiscard]] SARANGA_API std::map<std::int64_t, std::string> former_queues(
    const LoadedStore& store);

/// Collects the records about some ids while a store is loaded. An id may be that of a message, a
/// queue, an address, another record, or a transaction.
class SARANGA_API StoryCollector final : public RecordObserver {
 public:
  explicit StoryCollector(std::set<std::int64_t> ids) : ids_(std::move(ids)) {}
  void record(journal::JournalKind journal, const journal::Record& record,
              std::size_t file) override;

  /// In load order.
  [[nodiscard]] const std::vector<StoryRecord>& records() const { return records_; }
  [[nodiscard]] Outcome outcome(const StoryRecord& record) const;
  [[nodiscard]] const std::set<std::int64_t>& ids() const { return ids_; }

 private:
  using Key = std::pair<journal::JournalKind, std::int64_t>;  // transaction ids are per journal

  std::set<std::int64_t> ids_;
  std::vector<StoryRecord> records_;
  std::map<Key, Outcome> outcomes_;
};

}  // namespace saranga::store
