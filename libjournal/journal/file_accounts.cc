#include "libjournal/journal/file_accounts.h"

#include <algorithm>
#include <utility>

namespace saranga::journal {

FileSlot FileAccounts::open_file() {
  if (unused_.empty()) {
    files_.emplace_back();
    return static_cast<FileSlot>(files_.size() - 1);
  }
  const FileSlot slot = unused_.back();
  unused_.pop_back();
  return slot;
}

void FileAccounts::forget(FileSlot file) {
  files_[file] = {};
  for (File& other : files_) other.cancels.erase(file);
  unused_.push_back(file);
}

bool FileAccounts::apply(const RecordFields& fields, std::uint32_t length_bytes, FileSlot file) {
  const Pending record{
      .id = fields.id, .file = file, .length_bytes = length_bytes, .user_type = fields.user_type};
  switch (fields.kind) {
    case RecordKind::kEvent: return false;
    case RecordKind::kAdd: add(record); break;
    case RecordKind::kUpdate:
      if (const std::uint32_t live = live_.find(fields.id); live != kNone) {
        count(live, record);
      } else {
        lone_updates_[fields.id].push_back(file);
      }
      break;
    case RecordKind::kDelete: remove(fields.id, file); break;
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx: collect(fields.tx_id, record, false); break;
    case RecordKind::kDeleteTx: collect(fields.tx_id, record, true); break;
    case RecordKind::kPrepare: prepare(fields, file); break;
    case RecordKind::kCommit: return commit(fields, file);
    case RecordKind::kRollback: return rollback(fields.tx_id, file);
  }
  return true;
}

void FileAccounts::count(std::uint32_t live, const Pending& record) {
  live_.push(live, record.length_bytes, record.file, record.user_type);
  ++files_[record.file].positives;
}

void FileAccounts::add(const Pending& record) {
  std::uint32_t live = live_.find(record.id);
  if (live == kNone) {
    live = live_.insert(record.id);
  } else {
    live_.clear(live);  // what the replaced records counted for stays counted, as in a broker
  }
  count(live, record);
}

// An update whose add has gone with its file keeps nothing. Artemis does not count its delete
// either, and may free the file of the delete first; the next load then finds the update alone.
// Here the delete stays as long as the update does.
void FileAccounts::remove(std::int64_t id, FileSlot in_file) {
  auto& cancels = files_[in_file].cancels;
  if (const auto lone = lone_updates_.find(id); lone != lone_updates_.end()) {
    for (const FileSlot file : lone->second) {
      ++files_[file].positives;
      ++cancels[file];
    }
    lone_updates_.erase(lone);
  }
  const std::uint32_t live = live_.find(id);
  if (live == kNone) return;
  live_.each(live, [&](const Entry& entry) { ++cancels[entry.file()]; });
  live_.erase(live);
}

FileAccounts::Transaction& FileAccounts::open(std::int64_t tx_id) {
  const auto [found, fresh] = transactions_.try_emplace(tx_id);
  if (fresh) found->second.order = next_order_++;
  return found->second;
}

void FileAccounts::touch(Transaction& tx, FileSlot file) {
  // Mostly the file of the record before, so it is looked for from the back.
  if (std::find(tx.touched.rbegin(), tx.touched.rend(), file) != tx.touched.rend()) return;
  tx.touched.push_back(file);
  ++files_[file].positives;
}

void FileAccounts::collect(std::int64_t tx_id, const Pending& record, bool is_delete) {
  Transaction& tx = open(tx_id);
  if (tx.last_file != record.file) tx.in_last_file = 0;
  tx.last_file = record.file;
  ++tx.in_last_file;
  touch(tx, record.file);
  (is_delete ? tx.deletes : tx.records).push_back(record);
}

std::int32_t FileAccounts::count_in(std::int64_t tx_id, FileSlot file) const {
  const auto found = transactions_.find(tx_id);
  if (found == transactions_.end() || found->second.last_file != file) return 0;
  return found->second.in_last_file;
}

void FileAccounts::prepare(const RecordFields& fields, FileSlot file) {
  Transaction& tx = open(fields.tx_id);
  tx.prepared = count_in(fields.tx_id, file) == fields.number;
  if (tx.prepared) touch(tx, file);
}

std::optional<FileAccounts::Transaction> FileAccounts::take(std::int64_t tx_id) {
  const auto found = transactions_.find(tx_id);
  if (found == transactions_.end()) return std::nullopt;
  std::optional<Transaction> taken(std::move(found->second));
  transactions_.erase(found);
  return taken;
}

bool FileAccounts::commit(const RecordFields& fields, FileSlot file) {
  const std::int32_t counted = count_in(fields.tx_id, file);
  const auto tx = take(fields.tx_id);
  if (!tx) return false;
  // A wrong number drops the whole transaction, as if it had never touched its files.
  if (counted != fields.number) {
    for (const FileSlot touched : tx->touched) --files_[touched].positives;
    return true;
  }
  for (const Pending& record : tx->records) {
    const std::uint32_t live = live_.find(record.id);
    live == kNone ? add(record) : count(live, record);
  }
  for (const Pending& record : tx->deletes) remove(record.id, record.file);
  settle(*tx, file);
  return true;
}

bool FileAccounts::rollback(std::int64_t tx_id, FileSlot file) {
  const auto tx = take(tx_id);
  if (tx) settle(*tx, file);
  return tx.has_value();
}

// The outcome in `file` cancels what each touched file was kept for; so a file with records of the
// transaction stays until the file with its outcome is closed.
void FileAccounts::settle(const Transaction& tx, FileSlot file) {
  for (const FileSlot touched : tx.touched) ++files_[file].cancels[touched];
}

std::vector<OpenTransactionState> FileAccounts::open_transactions() const {
  std::vector<std::pair<std::uint64_t, OpenTransactionState>> ordered;
  for (const auto& [tx_id, tx] : transactions_) {
    ordered.push_back({tx.order, {.tx_id = tx_id, .prepared = tx.prepared}});
  }
  std::ranges::sort(ordered, {}, [](const auto& entry) { return entry.first; });
  std::vector<OpenTransactionState> result;
  for (const auto& [order, state] : ordered) result.push_back(state);
  return result;
}

// Artemis remembers once and for all that a file cancels nothing in a file that stays. That is
// wrong for the file of a transaction's delete when the commit comes later, so it is looked at anew
// here.
std::vector<FileSlot> FileAccounts::reclaimable(std::span<const FileSlot> closed) const {
  std::vector<std::uint32_t> rank(files_.size(), kNone);
  for (std::uint32_t at = 0; at < closed.size(); ++at) rank[closed[at]] = at;
  // Only what the file itself and later ones cancel counts.
  std::vector<std::uint64_t> cancelled(closed.size());
  for (std::uint32_t at = 0; at < closed.size(); ++at) {
    for (const auto& [file, count] : files_[closed[at]].cancels) {
      if (rank[file] <= at) cancelled[rank[file]] += count;
    }
  }
  std::vector<FileSlot> result;
  std::vector<bool> stays(closed.size());
  for (std::uint32_t at = 0; at < closed.size(); ++at) {
    const File& file = files_[closed[at]];
    // What is deleted here must not come back when this file goes before the deleted record does.
    const bool needed = std::ranges::any_of(file.cancels, [&](const auto& entry) {
      return rank[entry.first] < at && stays[rank[entry.first]];
    });
    stays[at] = needed || cancelled[at] < file.positives;
    if (!stays[at]) result.push_back(closed[at]);
  }
  return result;
}

}  // namespace saranga::journal
