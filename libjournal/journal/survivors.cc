#include "saranga/journal/survivors.h"

#include <fmt/format.h>

#include <algorithm>

namespace saranga::journal {

void Survivors::apply(const Record& record, std::size_t file) {
  const PlacedRecord placed{record.id, Place(file, record.offset)};
  switch (record.kind) {
    case RecordKind::kEvent: break;
    case RecordKind::kAdd:
    case RecordKind::kUpdate:
      records_.push_back(placed);
      if (records_.size() >= prune_at_) remove_deleted();
      break;
    case RecordKind::kDelete: deleted_.insert(record.id); break;
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx: transactions_.collect(record.tx_id, file, placed, false); break;
    case RecordKind::kDeleteTx: transactions_.collect(record.tx_id, file, placed, true); break;
    case RecordKind::kPrepare: {
      const auto counted = transactions_.prepare(record.tx_id, file, record.number, placed);
      if (counted != record.number) mismatch(record, file, counted, "prepare");
      break;
    }
    case RecordKind::kCommit: commit(record, file); break;
    // The records of an unknown transaction were reclaimed; its outcome says nothing then.
    case RecordKind::kRollback: transactions_.rollback(record.tx_id); break;
  }
}

void Survivors::commit(const Record& record, std::size_t file) {
  std::int32_t counted = 0;
  const auto tx = transactions_.commit(record.tx_id, file, counted);
  if (!tx) return;
  if (counted != record.number) return mismatch(record, file, counted, "commit");
  records_.insert(records_.end(), tx->records.begin(), tx->records.end());
  for (const PlacedRecord& deleted : tx->deletes) deleted_.insert(deleted.id);
}

void Survivors::mismatch(const Record& record, std::size_t file, std::int32_t counted,
                         const char* what) {
  sink_.finding(
      {.code = "transaction-incomplete",
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
    IdSet::Reader deleted(deleted_);
    std::erase_if(records_, [&](const PlacedRecord& r) { return deleted.contains(r.id); });
  }
  prune_at_ = std::max<std::size_t>(std::size_t{1} << 16, records_.size() * 2);
}

void Survivors::finish() {
  remove_deleted();
  open_ = transactions_.take_open();
}

}  // namespace saranga::journal
