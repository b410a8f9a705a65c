#include "libjournal/journal/compaction_choice.h"

#include <algorithm>
#include <tuple>

namespace saranga::journal {
namespace {

constexpr std::size_t kFirstPrune = std::size_t{1} << 16;
constexpr unsigned kOffsetBits = 40;

std::uint64_t place_of(const Record& record, std::size_t file) {
  return static_cast<std::uint64_t>(file) << kOffsetBits | record.offset;
}

std::uint64_t key_of(Bytes body, std::uint32_t key_bytes) {
  std::uint64_t key = 0;
  for (const std::byte byte : body.first(key_bytes)) key = key << 8 | static_cast<unsigned>(byte);
  return key;
}

}  // namespace

void CompactionChoice::apply(const Record& record, std::size_t file) {
  survivors_.apply(record, file);
  switch (record.kind) {
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx:
    case RecordKind::kDeleteTx:
    case RecordKind::kPrepare:
    case RecordKind::kCommit:
    case RecordKind::kRollback: count(record, file); break;
    case RecordKind::kUpdate: note_update(record, file); break;
    case RecordKind::kEvent:
    case RecordKind::kAdd:
    case RecordKind::kDelete: break;
  }
}

// The same counts as those by which a load finds out whether a commit is whole.
void CompactionChoice::count(const Record& record, std::size_t file) {
  if (record.kind == RecordKind::kCommit || record.kind == RecordKind::kRollback) {
    const Open* open = transactions_.find(record.tx_id);
    if (open == nullptr) return;
    const std::int32_t counted = open->last_file == file ? open->in_last_file : 0;
    if (record.kind == RecordKind::kCommit && counted == record.number) {
      if (committed_.size() <= open->instance) {
        committed_.resize(static_cast<std::size_t>(open->instance) + 1);
      }
      committed_[static_cast<std::size_t>(open->instance)] = true;
    }
    return transactions_.end(record.tx_id);
  }
  Open& open = transactions_.open(record.tx_id);
  if (record.kind == RecordKind::kPrepare) return;
  if (open.last_file != file) open.in_last_file = 0;
  open.last_file = file;
  ++open.in_last_file;
}

std::optional<std::size_t> CompactionChoice::replaceable(const Record& record,
                                                         std::uint64_t body_bytes) const {
  if (record.kind != RecordKind::kUpdate) return std::nullopt;
  for (std::size_t i = 0; i < options_.replaceable.size(); ++i) {
    const ReplaceableUpdate& type = options_.replaceable[i];
    if (type.user_type == record.user_type && type.body_bytes == body_bytes) return i;
  }
  return std::nullopt;
}

void CompactionChoice::note_update(const Record& record, std::size_t file) {
  const auto type = replaceable(record, record.body.size());
  if (!type) return;
  std::vector<Latest>& latest = latest_[*type];
  latest.push_back({.id = record.id,
                    .key = key_of(record.body, options_.replaceable[*type].key_bytes),
                    .place = place_of(record, file)});
  prune_at_.resize(latest_.size(), kFirstPrune);
  if (latest.size() < prune_at_[*type]) return;
  prune(latest);
  prune_at_[*type] = std::max(kFirstPrune, latest.size() * 2);
}

void CompactionChoice::prune(std::vector<Latest>& latest) {
  std::erase_if(latest, [&](const Latest& one) { return is_deleted(one.id); });
  std::ranges::sort(latest, {},
                    [](const Latest& one) { return std::tuple(one.id, one.key, one.place); });
  // Of equal ones the last stays.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < latest.size(); ++i) {
    const bool replaced = i + 1 < latest.size() && latest[i + 1].id == latest[i].id &&
                          latest[i + 1].key == latest[i].key;
    if (!replaced) latest[kept++] = latest[i];
  }
  latest.resize(kept);
}

void CompactionChoice::finish() {
  survivors_.finish();
  for (std::vector<Latest>& latest : latest_) {
    prune(latest);
    for (const Latest& one : latest) last_places_.push_back(one.place);
    latest = {};
  }
  std::ranges::sort(last_places_);
  for (const OpenTransaction& tx : survivors_.open()) {
    if (!tx.prepared && !options_.keep_open_transactions) {
      rolled_back_.push_back(tx.tx_id);
      continue;
    }
    ++kept_transactions_;
    kept_open_.insert(static_cast<std::int64_t>(transactions_.open(tx.tx_id).instance));
    for (const PlacedRecord& placed : tx.records) open_ids_.insert(placed.id);
  }
}

TransactionFate CompactionChoice::fate(std::uint64_t instance) const {
  if (kept_open_.contains(static_cast<std::int64_t>(instance))) return TransactionFate::kOpen;
  return instance < committed_.size() && committed_[static_cast<std::size_t>(instance)]
             ? TransactionFate::kCommitted
             : TransactionFate::kDropped;
}

bool CompactionChoice::is_replaced(const Record& record, std::uint64_t body_bytes,
                                   std::size_t file) const {
  if (!replaceable(record, body_bytes) || is_deleted(record.id)) return false;
  return !std::ranges::binary_search(last_places_, place_of(record, file));
}

}  // namespace saranga::journal
