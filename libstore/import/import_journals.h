// The two journals that an import writes. Private to this folder.
#pragma once

#include <memory>

#include "saranga/io/write_engine.h"
#include "saranga/store/importer.h"

namespace saranga::store {

/// One journal. Every record belongs to the transaction of the import, when there is one.
class ImportJournal {
 public:
  /// Directory, jobs and sink must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<ImportJournal>> open(
      WritableDirectory& directory, const journal::WriterOptions& options, JobRunner& jobs,
      FindingSink& sink);

  /// From here on records belong to this transaction.
  void begin(std::int64_t tx_id) { tx_id_ = tx_id; }
  [[nodiscard]] Result<void> add(std::int64_t id, std::int8_t type, Bytes body);
  [[nodiscard]] Result<void> update(std::int64_t id, std::int8_t type, Bytes body);
  /// The same in a transaction of their own.
  [[nodiscard]] Result<void> add_tx(std::int64_t tx_id, std::int64_t id, std::int8_t type,
                                    Bytes body);
  [[nodiscard]] Result<void> update_tx(std::int64_t tx_id, std::int64_t id, std::int8_t type,
                                       Bytes body);
  [[nodiscard]] Result<void> remove_tx(std::int64_t tx_id, std::int64_t id, Bytes body);
  [[nodiscard]] Result<void> prepare(std::int64_t tx_id, Bytes xid);
  [[nodiscard]] bool is_live(std::int64_t id) const { return writer_->is_live(id); }

  /// Makes durable what was written so far.
  [[nodiscard]] Result<void> sync() { return writer_->sync(); }
  /// Commits, if there is a transaction, and makes everything durable.
  [[nodiscard]] Result<void> finish();
  /// Takes back what was not committed, and ends the transaction. A failure leaves that to the next
  /// start of a broker.
  void abandon();

 private:
  explicit ImportJournal(JobRunner& jobs) : engine_(jobs) {}

  PwriteEngine engine_;
  std::unique_ptr<journal::JournalWriter> writer_;
  std::int64_t tx_id_ = 0;
  bool has_records_ = false;  // in the transaction
};

}  // namespace saranga::store
