// What a journal has to hold, told by the operations alone. Knows nothing of files and bytes.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "saranga/journal/record_encoder.h"
#include "tests/support/journal_builder.h"

namespace saranga::test {

/// One append, and how sure it is.
struct Operation {
  journal::RecordFields fields{};
  Buffer body{};
  std::uint64_t position = 0;  ///< as the writer counted it
  bool settled = false;        ///< was found after a restart, or has never been in doubt
};

/// A record that a load delivers.
struct LoadedRecord {
  std::int64_t id = 0;
  std::int8_t user_type = 0;
  bool is_update = false;
  Buffer body{};
  friend bool operator==(const LoadedRecord&, const LoadedRecord&) = default;
};

/// A transaction in doubt.
struct PreparedTransaction {
  Buffer xid{};
  std::vector<LoadedRecord> records{};
  std::vector<std::int64_t> deletes{};
  friend bool operator==(const PreparedTransaction&, const PreparedTransaction&) = default;
};

/// What a load delivers.
struct LoadedState {
  std::vector<LoadedRecord> records;
  std::map<std::int64_t, PreparedTransaction> prepared;
  friend bool operator==(const LoadedState&, const LoadedState&) = default;
};

/// Applies operations one after the other.
class Model {
 public:
  void apply(const Operation& operation) {
    using journal::RecordKind;
    const journal::RecordFields& fields = operation.fields;
    Transaction& tx = open_[fields.tx_id];
    switch (fields.kind) {
      case RecordKind::kAdd: records_.push_back(record_of(operation)); break;
      case RecordKind::kUpdate: records_.push_back(record_of(operation)); break;
      case RecordKind::kDelete: deleted_.insert(fields.id); break;
      case RecordKind::kAddTx: tx.work.records.push_back(record_of(operation)); break;
      case RecordKind::kUpdateTx: tx.work.records.push_back(record_of(operation)); break;
      case RecordKind::kDeleteTx: tx.work.deletes.push_back(fields.id); break;
      case RecordKind::kPrepare:
        tx.prepared = true;
        tx.work.xid = operation.body;
        break;
      case RecordKind::kCommit:
        records_.insert(records_.end(), tx.work.records.begin(), tx.work.records.end());
        deleted_.insert(tx.work.deletes.begin(), tx.work.deletes.end());
        open_.erase(fields.tx_id);
        break;
      case RecordKind::kRollback: open_.erase(fields.tx_id); break;
      case RecordKind::kEvent: break;
    }
  }

  [[nodiscard]] LoadedState state() const {
    LoadedState state;
    for (const LoadedRecord& record : records_) {
      if (!deleted_.contains(record.id)) state.records.push_back(record);
    }
    for (const auto& [tx_id, tx] : open_) {
      if (tx.prepared) state.prepared[tx_id] = tx.work;
    }
    return state;
  }

 private:
  struct Transaction {
    bool prepared = false;
    PreparedTransaction work;
  };
  static LoadedRecord record_of(const Operation& operation) {
    return {.id = operation.fields.id,
            .user_type = operation.fields.user_type,
            .is_update = operation.fields.kind == journal::RecordKind::kUpdate ||
                         operation.fields.kind == journal::RecordKind::kUpdateTx,
            .body = operation.body};
  }

  std::vector<LoadedRecord> records_;
  std::set<std::int64_t> deleted_;
  std::map<std::int64_t, Transaction> open_;
};

}  // namespace saranga::test
