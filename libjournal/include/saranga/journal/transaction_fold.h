// The bookkeeping of transactions while a journal is read: which records wait for an outcome, and
// whether the numbers in PREPARE and COMMIT are right (docs/format/journal.md#transactions).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "saranga/bytes/id_hash.h"

namespace saranga::journal {

/// A transaction whose records are Items of the caller's choice.
template <class Item>
struct FoldedTransaction {
  std::int64_t tx_id = 0;
  bool prepared = false;          ///< a valid PREPARE was read: in doubt, a manager decides
  bool prepare_mismatch = false;  ///< a PREPARE whose number of records is not what was read
  std::optional<Item> prepare{};
  std::vector<Item> records;  ///< adds and updates, in order
  std::vector<Item> deletes;  ///< deletes, in order
};

/// Collects records until their transaction ends. `file` counts the files in the order of reading.
template <class Item>
class TransactionFold {
 public:
  using Transaction = FoldedTransaction<Item>;

  void collect(std::int64_t tx_id, std::size_t file, Item item, bool is_delete) {
    State& state = open(tx_id);
    state.in_last_file = state.count_in(file) + 1;
    state.last_file = file;
    (is_delete ? state.transaction.deletes : state.transaction.records).push_back(std::move(item));
  }
  /// Returns how many records of the transaction are in this file; `number` is what PREPARE says.
  std::int32_t prepare(std::int64_t tx_id, std::size_t file, std::int32_t number, Item item) {
    State& state = open(tx_id);
    const std::int32_t counted = state.count_in(file);
    state.transaction.prepare = std::move(item);
    state.transaction.prepared = counted == number;
    state.transaction.prepare_mismatch = counted != number;
    return counted;
  }
  /// The transaction, which is then forgotten; nothing when it is not known: its records have been
  /// reclaimed. `counted` receives how many of its records are in this file.
  std::optional<Transaction> commit(std::int64_t tx_id, std::size_t file, std::int32_t& counted) {
    const auto found = states_.find(tx_id);
    if (found == states_.end()) return std::nullopt;
    counted = found->second.count_in(file);
    std::optional<Transaction> result(std::move(found->second.transaction));
    states_.erase(found);
    return result;
  }
  void rollback(std::int64_t tx_id) { states_.erase(tx_id); }

  /// Takes the transactions without outcome, in the order of their first record.
  [[nodiscard]] std::vector<Transaction> take_open() {
    std::vector<State*> left;
    for (auto& [id, state] : states_) left.push_back(&state);
    std::ranges::sort(left, {}, &State::order);
    std::vector<Transaction> result;
    for (State* state : left) result.push_back(std::move(state->transaction));
    states_.clear();
    return result;
  }

 private:
  struct State {
    Transaction transaction;
    std::size_t last_file = 0;
    std::int32_t in_last_file = 0;  // records in the file touched last: what the numbers count
    std::uint64_t order = 0;

    [[nodiscard]] std::int32_t count_in(std::size_t file) const {
      return last_file == file ? in_last_file : 0;
    }
  };

  State& open(std::int64_t tx_id) {
    const auto [found, fresh] = states_.try_emplace(tx_id);
    if (fresh) {
      found->second.transaction.tx_id = tx_id;
      found->second.order = next_order_++;
    }
    return found->second;
  }

  IdMap<State> states_;
  std::uint64_t next_order_ = 0;
};

}  // namespace saranga::journal
