#include "libjournal/journal/compaction_copy.h"

#include <algorithm>

namespace saranga::journal {
namespace {

constexpr std::int8_t kGreatestCompactCount = 127;

bool counts_compactions(RecordKind kind) {
  return kind == RecordKind::kAdd || kind == RecordKind::kUpdate || kind == RecordKind::kAddTx ||
         kind == RecordKind::kUpdateTx;
}

bool is_outcome(RecordKind kind) {
  return kind == RecordKind::kPrepare || kind == RecordKind::kCommit ||
         kind == RecordKind::kRollback;
}

}  // namespace

RecordFields copied_fields(const Record& record, std::int32_t number) {
  RecordFields fields{.kind = record.kind,
                      .user_type = record.user_type,
                      .number = number,
                      .tx_id = record.tx_id,
                      .id = record.id};
  if (counts_compactions(record.kind)) {
    const int count = std::max<int>(record.compact_count, 0) + 1;
    fields.compact_count = static_cast<std::int8_t>(std::min<int>(count, kGreatestCompactCount));
  }
  return fields;
}

Result<void> CompactionCopy::apply(const Record& record, std::uint64_t body_bytes,
                                   std::size_t file) {
  switch (record.kind) {
    case RecordKind::kEvent: return {};
    case RecordKind::kAdd:
    case RecordKind::kUpdate:
      if (deleted_.contains(record.id)) return {};
      if (choice_.is_replaced(record, body_bytes, file)) {
        ++counts_.replaced_updates;
        return {};
      }
      return put(record, body_bytes, file, nullptr);
    case RecordKind::kDelete:
      return choice_.keeps_delete(record.id) ? put(record, body_bytes, file, nullptr)
                                             : Result<void>{};
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx:
    case RecordKind::kDeleteTx:
    case RecordKind::kPrepare:
    case RecordKind::kCommit:
    case RecordKind::kRollback: return apply_in_transaction(record, body_bytes, file);
  }
  return {};
}

Result<void> CompactionCopy::apply_in_transaction(const Record& record, std::uint64_t body_bytes,
                                                  std::size_t file) {
  const bool ends = record.kind == RecordKind::kCommit || record.kind == RecordKind::kRollback;
  Open* open = transactions_.find(record.tx_id);
  if (open == nullptr) {
    if (ends) return {};  // its records were reclaimed
    open = &transactions_.open(record.tx_id);
  }
  if (!open->known) open->fate = choice_.fate(open->instance);
  open->known = true;
  bool keep = false;
  switch (record.kind) {
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx:
      keep = open->fate == TransactionFate::kOpen ||
             (open->fate == TransactionFate::kCommitted && !deleted_.contains(record.id));
      break;
    case RecordKind::kDeleteTx:
      keep = open->fate == TransactionFate::kOpen ||
             (open->fate == TransactionFate::kCommitted && choice_.keeps_delete(record.id));
      break;
    case RecordKind::kPrepare: keep = open->fate == TransactionFate::kOpen; break;
    // Without any record left there is nothing to commit.
    case RecordKind::kCommit: keep = open->wrote; break;
    default: break;
  }
  Result<void> done;
  if (keep) done = put(record, body_bytes, file, open);
  if (ends) transactions_.end(record.tx_id);
  return done;
}

Result<void> CompactionCopy::put(const Record& record, std::uint64_t body_bytes, std::size_t file,
                                 Open* transaction) {
  const std::uint64_t length = encoded_bytes(record.kind, body_bytes);
  const std::size_t to = layout_.place(length);
  std::int32_t number = 0;
  if (transaction != nullptr) {
    if (transaction->last_file != to) transaction->in_last_file = 0;
    transaction->last_file = to;
    if (is_outcome(record.kind)) {
      number = transaction->in_last_file;
    } else {
      ++transaction->in_last_file;
      transaction->wrote = true;
    }
  }
  ++counts_.records;
  counts_.bytes += length;
  if (list_ != nullptr) {
    list_->add({.file = file,
                .offset = record.offset,
                .length_bytes = record.length_bytes,
                .number = number});
  }
  return writer_ == nullptr ? Result<void>{}
                            : writer_->put(to, copied_fields(record, number), record.body);
}

}  // namespace saranga::journal
