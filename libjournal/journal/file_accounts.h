// What every journal file is still needed for, kept while records are read and written, by the
// rules of a broker (docs/format/journal.md#reclaiming-and-reuse).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "libjournal/journal/live_table.h"
#include "saranga/journal/record_encoder.h"

namespace saranga::journal {

/// Stands for one file from the day it gets its header id to the day it is freed. Used again then.
using FileSlot = std::uint32_t;

/// A transaction without outcome.
struct OpenTransactionState {
  std::int64_t tx_id = 0;
  bool prepared = false;  ///< in doubt: a valid PREPARE, and a manager decides
};

/// The sums over all records. One thread.
class FileAccounts {
 public:
  [[nodiscard]] FileSlot open_file();
  /// The file has been freed; nothing refers to it any more.
  void forget(FileSlot file);

  /// Takes a record of `length_bytes` that is in `file`. False when it alone would not keep a load
  /// from taking the file for an empty one.
  bool apply(const RecordFields& fields, std::uint32_t length_bytes, FileSlot file);

  /// All records that were on disk have been applied; from now on they are appended.
  void end_of_load() { lone_updates_.clear(); }

  [[nodiscard]] bool is_live(std::int64_t id) const { return live_.find(id) != kNone; }
  [[nodiscard]] std::size_t live_ids() const { return live_.size(); }
  [[nodiscard]] bool is_open(std::int64_t tx_id) const { return transactions_.contains(tx_id); }
  /// How many records of a transaction are in a file: what its PREPARE or COMMIT there has to say.
  [[nodiscard]] std::int32_t count_in(std::int64_t tx_id, FileSlot file) const;
  /// The transactions without outcome, in the order of their first record.
  [[nodiscard]] std::vector<OpenTransactionState> open_transactions() const;

  /// Which of these files nothing needs any more. They are all closed files with data, ascending by
  /// header id; freeing them in this order, each one durably, brings back no deleted record.
  [[nodiscard]] std::vector<FileSlot> reclaimable(std::span<const FileSlot> closed) const;

 private:
  /// A record that waits for the outcome of its transaction.
  struct Pending {
    std::int64_t id = 0;
    FileSlot file = 0;
    std::uint32_t length_bytes = 0;
    std::int8_t user_type = 0;
  };
  struct Transaction {
    std::vector<Pending> records;  // adds and updates, in order
    std::vector<Pending> deletes;
    std::vector<FileSlot> touched;  // each once
    FileSlot last_file = kNone;
    std::int32_t in_last_file = 0;
    bool prepared = false;
    std::uint64_t order = 0;
  };
  struct File {
    std::uint64_t positives = 0;  // what has to be cancelled before the file may go
    std::unordered_map<FileSlot, std::uint64_t> cancels;  // what records here cancel elsewhere
  };

  void count(std::uint32_t live, const Pending& record);
  void add(const Pending& record);
  void remove(std::int64_t id, FileSlot in_file);
  Transaction& open(std::int64_t tx_id);
  void collect(std::int64_t tx_id, const Pending& record, bool is_delete);
  void touch(Transaction& tx, FileSlot file);
  void prepare(const RecordFields& fields, FileSlot file);
  bool commit(const RecordFields& fields, FileSlot file);
  bool rollback(std::int64_t tx_id, FileSlot file);
  void settle(const Transaction& tx, FileSlot file);
  [[nodiscard]] std::optional<Transaction> take(std::int64_t tx_id);

  LiveTable live_;
  std::unordered_map<std::int64_t, std::vector<FileSlot>> lone_updates_;  // by id, during a load
  std::vector<File> files_;
  std::vector<FileSlot> unused_;
  std::unordered_map<std::int64_t, Transaction> transactions_;
  std::uint64_t next_order_ = 0;
};

}  // namespace saranga::journal
