#include "saranga/journal/survivors.h"

#include <fmt/format.h>

#include <algorithm>

namespace saranga::journal {

void Survivors::apply(const Record& record, std::size_t file) {
  switch (record.kind) {
    case RecordKind::kEvent: break;
    case RecordKind::kAdd:
    case RecordKind::kUpdate:
      records_.push_back({record.id, Place(file, record.offset)});
      if (records_.size() >= prune_at_) remove_deleted();
      break;
    case RecordKind::kDelete: deleted_.insert(record.id); break;
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx:
    case RecordKind::kDeleteTx: collect(record, file); break;
    case RecordKind::kPrepare: prepare(record, file); break;
    case RecordKind::kCommit: commit(record, file); break;
    // The records of an unknown transaction were reclaimed; its outcome says nothing then.
    case RecordKind::kRollback: transactions_.erase(record.tx_id); break;
  }
}

Survivors::Transaction& Survivors::transaction(std::int64_t tx_id) {
  const auto [found, fresh] = transactions_.try_emplace(tx_id);
  if (fresh) {
    found->second.open.tx_id = tx_id;
    found->second.order = next_order_++;
  }
  return found->second;
}

void Survivors::collect(const Record& record, std::size_t file) {
  Transaction& tx = transaction(record.tx_id);
  tx.in_last_file = count_in(tx, file) + 1;
  tx.last_file = file;
  auto& list = record.kind == RecordKind::kDeleteTx ? tx.open.deletes : tx.open.records;
  list.push_back({record.id, Place(file, record.offset)});
}

std::int32_t Survivors::count_in(const Transaction& tx, std::size_t file) {
  return tx.last_file == file ? tx.in_last_file : 0;
}

void Survivors::prepare(const Record& record, std::size_t file) {
  Transaction& tx = transaction(record.tx_id);
  const std::int32_t counted = count_in(tx, file);
  tx.open.prepare = Place(file, record.offset);
  tx.open.prepared = counted == record.number;
  tx.open.prepare_mismatch = counted != record.number;
  if (counted != record.number) mismatch(record, file, counted, "prepare");
}

void Survivors::commit(const Record& record, std::size_t file) {
  const auto found = transactions_.find(record.tx_id);
  if (found == transactions_.end()) return;
  Transaction& tx = found->second;
  const std::int32_t counted = count_in(tx, file);
  if (counted == record.number) {
    records_.insert(records_.end(), tx.open.records.begin(), tx.open.records.end());
    for (const PlacedRecord& deleted : tx.open.deletes) deleted_.insert(deleted.id);
  } else {
    mismatch(record, file, counted, "commit");
  }
  transactions_.erase(found);
}

void Survivors::mismatch(const Record& record, std::size_t file, std::int32_t counted,
                         const char* what) {
  sink_.finding({.code = "transaction-incomplete",
                 .severity = Severity::kDamage,
                 .file = file_names_[file],
                 .offset = record.offset,
                 .length_bytes = record.length_bytes,
                 .id = record.tx_id,
                 .text = fmt::format("the {} of transaction {} counts {} records in this file, {} are "
                                     "there; a broker drops the whole transaction",
                                     what, record.tx_id, record.number, counted)});
}

// A delete anywhere kills its id, also in front of the add, so the set is kept to the end.
void Survivors::remove_deleted() {
  if (!deleted_.empty()) {
    std::erase_if(records_, [&](const PlacedRecord& r) { return deleted_.contains(r.id); });
  }
  prune_at_ = std::max<std::size_t>(std::size_t{1} << 16, records_.size() * 2);
}

void Survivors::finish() {
  remove_deleted();
  std::vector<Transaction*> left;
  for (auto& [id, tx] : transactions_) left.push_back(&tx);
  std::ranges::sort(left, {}, &Transaction::order);
  for (Transaction* tx : left) open_.push_back(std::move(tx->open));
  transactions_.clear();
}

}  // namespace saranga::journal
