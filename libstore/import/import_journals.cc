#include "libstore/import/import_journals.h"

#include <utility>

namespace saranga::store {
namespace {

Result<void> without_position(Result<journal::Position> appended) {
  if (!appended) return std::unexpected(appended.error());
  return {};
}

}  // namespace

Result<std::unique_ptr<ImportJournal>> ImportJournal::open(WritableDirectory& directory,
                                                           const journal::WriterOptions& options,
                                                           JobRunner& jobs, FindingSink& sink) {
  std::unique_ptr<ImportJournal> made(new ImportJournal(jobs));
  auto writer = journal::JournalWriter::open(directory, made->engine_, options, sink);
  if (!writer) return std::unexpected(writer.error());
  made->writer_ = std::move(*writer);
  return made;
}

Result<void> ImportJournal::add(std::int64_t id, std::int8_t type, Bytes body) {
  if (tx_id_ != 0) return add_tx(tx_id_, id, type, body);
  return without_position(writer_->add(id, type, std::span(&body, 1)));
}

Result<void> ImportJournal::update(std::int64_t id, std::int8_t type, Bytes body) {
  if (tx_id_ != 0) return update_tx(tx_id_, id, type, body);
  return without_position(writer_->update(id, type, std::span(&body, 1)));
}

Result<void> ImportJournal::add_tx(std::int64_t tx_id, std::int64_t id, std::int8_t type,
                                   Bytes body) {
  has_records_ = true;
  return without_position(writer_->add_tx(tx_id, id, type, std::span(&body, 1)));
}

Result<void> ImportJournal::update_tx(std::int64_t tx_id, std::int64_t id, std::int8_t type,
                                      Bytes body) {
  has_records_ = true;
  return without_position(writer_->update_tx(tx_id, id, type, std::span(&body, 1)));
}

Result<void> ImportJournal::remove_tx(std::int64_t tx_id, std::int64_t id, Bytes body) {
  return without_position(writer_->remove_tx(tx_id, id, std::span(&body, 1)));
}

Result<void> ImportJournal::prepare(std::int64_t tx_id, Bytes xid) {
  return without_position(writer_->prepare(tx_id, std::span(&xid, 1)));
}

Result<void> ImportJournal::finish() {
  if (tx_id_ != 0 && has_records_) {
    // What is committed must be there when the commit is.
    if (auto synced = writer_->sync(); !synced) return synced;
    if (auto committed = writer_->commit(tx_id_); !committed) {
      return std::unexpected(committed.error());
    }
    has_records_ = false;
  }
  return writer_->sync();
}

void ImportJournal::abandon() {
  const std::int64_t tx_id = std::exchange(tx_id_, 0);
  if (tx_id == 0 || !std::exchange(has_records_, false)) return;
  if (writer_->rollback(tx_id)) (void)writer_->sync();
}

}  // namespace saranga::store
