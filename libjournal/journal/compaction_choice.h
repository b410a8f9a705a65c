// Which records a compaction keeps, from one reading of the whole journal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saranga/journal/compactor.h"
#include "saranga/journal/format.h"
#include "saranga/journal/survivors.h"

namespace saranga::journal {

/// What becomes of a transaction's records.
enum class TransactionFate : std::uint8_t {
  kDropped,    ///< rolled back, never ended, or ended with a wrong number
  kCommitted,  ///< its adds and updates count, its deletes have done their work
  kOpen,       ///< in doubt, or to be ended later: nothing of it may be lost
};

/// Counts transactions as they begin, so that two that have one id are told apart: the n-th in one
/// reading is the n-th in the next.
template <class State>
class TransactionCounter {
 public:
  /// The transaction of that id that is open; begins one when there is none.
  State& open(std::int64_t tx_id) {
    const auto [found, fresh] = states_.try_emplace(tx_id);
    if (fresh) found->second.instance = next_++;
    return found->second;
  }
  [[nodiscard]] State* find(std::int64_t tx_id) {
    const auto found = states_.find(tx_id);
    return found == states_.end() ? nullptr : &found->second;
  }
  void end(std::int64_t tx_id) { states_.erase(tx_id); }
  [[nodiscard]] const IdMap<State>& left() const { return states_; }

 private:
  IdMap<State> states_;
  std::uint64_t next_ = 0;
};

/// Takes the records in load order, then answers for each. One thread.
class CompactionChoice {
 public:
  /// `file_names` are those of the files by the order of reading; both must outlive this.
  CompactionChoice(const CompactorOptions& options, FindingSink& sink,
                   const std::vector<std::string>& file_names)
      : options_(options), survivors_(sink, file_names), latest_(options.replaceable.size()) {}

  void apply(const Record& record, std::size_t file);
  /// To be called once, behind the last record.
  void finish();

  [[nodiscard]] bool is_deleted(std::int64_t id) const { return deleted().contains(id); }
  [[nodiscard]] const IdSet& deleted() const { return survivors_.deleted(); }
  /// Whether a delete has to stay: an open transaction has a record of that id, and the delete
  /// would be missed once it is committed.
  [[nodiscard]] bool keeps_delete(std::int64_t id) const { return open_ids_.contains(id); }
  [[nodiscard]] TransactionFate fate(std::uint64_t instance) const;
  /// Whether later updates may say anew what this one says: its user type and its place matter.
  [[nodiscard]] bool is_replaceable(const Record& record) const {
    return replaceable(record, record.body.size()).has_value();
  }
  /// Whether a later update says anew what this one says, which has so many bytes of body.
  [[nodiscard]] bool is_replaced(const Record& record, std::uint64_t body_bytes,
                                 std::size_t file) const;

  [[nodiscard]] std::uint64_t live_records() const { return survivors_.records().size(); }
  [[nodiscard]] std::uint64_t kept_transactions() const { return kept_transactions_; }
  [[nodiscard]] const std::vector<std::int64_t>& rolled_back() const { return rolled_back_; }

 private:
  struct Open {
    std::uint64_t instance = 0;
    std::size_t last_file = 0;
    std::int32_t in_last_file = 0;
  };
  /// The last update of an id that says something about a key.
  struct Latest {
    std::int64_t id = 0;
    std::uint64_t key = 0;
    std::uint64_t place = 0;
  };

  [[nodiscard]] std::optional<std::size_t> replaceable(const Record& record,
                                                       std::uint64_t body_bytes) const;
  void count(const Record& record, std::size_t file);
  void note_update(const Record& record, std::size_t file);
  void prune(std::vector<Latest>& latest);

  const CompactorOptions& options_;
  Survivors survivors_;
  TransactionCounter<Open> transactions_;
  std::vector<bool> committed_;  // by instance
  IdSet kept_open_;              // by instance
  IdSet open_ids_;
  std::vector<std::vector<Latest>> latest_;  // by replaceable type
  std::vector<std::size_t> prune_at_;
  std::vector<std::uint64_t> last_places_;  // ascending
  std::uint64_t kept_transactions_ = 0;
  std::vector<std::int64_t> rolled_back_;
};

}  // namespace saranga::journal
