#include "saranga/journal/liveness.h"

#include <algorithm>
#include <deque>

#include "libjournal/journal/live_table.h"
#include "saranga/journal/transaction_fold.h"
#include "saranga/bytes/id_hash.h"

namespace saranga::journal {
namespace {

/// A record that waits for the outcome of its transaction.
struct PendingRecord {
  std::int64_t id = 0;
  std::uint32_t file = 0;
  std::uint32_t length_bytes = 0;
  std::int8_t user_type = 0;
  bool is_update = false;
};

using PendingTransaction = FoldedTransaction<PendingRecord>;

/// The positives of other files that one file cancels, while it is being read.
class CancelCounter {
 public:
  Cancelling& of(std::uint32_t file) {
    // Deletes mostly go to the file that the one before went to.
    if (last_ == nullptr || last_->file != file) {
      last_ = &counts_[file];
      last_->file = file;
    }
    return *last_;
  }
  [[nodiscard]] std::vector<Cancelling> sorted() const {
    std::vector<Cancelling> result;
    for (const auto& [file, count] : counts_) result.push_back(count);
    std::ranges::sort(result, {}, &Cancelling::file);
    return result;
  }

 private:
  IdMap<Cancelling, std::uint32_t> counts_;
  Cancelling* last_ = nullptr;
};

std::uint32_t file_number(std::size_t file) { return static_cast<std::uint32_t>(file); }

/// The files that a transaction wrote to, with those of its valid prepares.
std::vector<std::uint32_t> touched_files(const PendingTransaction& tx,
                                         std::vector<std::uint32_t> files) {
  for (const auto* records : {&tx.records, &tx.deletes}) {
    for (const PendingRecord& record : *records) files.push_back(record.file);
  }
  std::ranges::sort(files);
  const auto rest = std::ranges::unique(files);
  files.erase(rest.begin(), rest.end());
  return files;
}

OpenTouch open_touch(const PendingTransaction& tx, const std::vector<std::uint32_t>& files) {
  OpenTouch touch{.tx_id = tx.tx_id, .prepared = tx.prepared};
  for (const std::uint32_t file : files) touch.files.push_back({.file = file});
  const auto count = [&](const PendingRecord& record) {
    const auto found =
        std::ranges::lower_bound(touch.files, record.file, {}, &OpenTouch::InFile::file);
    if (found == touch.files.end() || found->file != record.file) return;
    ++found->records;
    found->bytes += record.length_bytes;
  };
  for (const PendingRecord& record : tx.records) count(record);
  for (const PendingRecord& record : tx.deletes) count(record);
  if (tx.prepare) count(*tx.prepare);
  return touch;
}

}  // namespace

struct Liveness::State {
  explicit State(LivenessOptions given) : options(given) {}

  FileLiveness& file(std::size_t index) {
    if (index >= files.size()) {
      files.resize(index + 1);
      counters.resize(index + 1);
    }
    return files[index];
  }
  void count_update(std::uint32_t index, std::uint32_t length, std::uint32_t in_file,
                    std::int8_t type);
  void add(std::int64_t id, std::uint32_t length, std::uint32_t in_file, std::int8_t type);
  void update(std::uint32_t index, const PendingRecord& record);
  void remove(std::int64_t id, std::uint32_t in_file);
  void commit(const Record& record, std::uint32_t in_file);
  void rollback(const Record& record, std::uint32_t in_file);
  void outcome(const PendingTransaction& tx, std::uint32_t in_file);
  /// The files that a transaction wrote to; its prepares are forgotten then.
  [[nodiscard]] std::vector<std::uint32_t> take_touched(const PendingTransaction& tx);
  /// Files with data, ascending.
  [[nodiscard]] std::vector<std::uint32_t> data_files(
      std::span<const FileCircumstances> circumstances) const;

  LivenessOptions options;
  LiveTable live;
  TransactionFold<PendingRecord> transactions;
  IdMap<std::vector<std::uint32_t>> prepared_in;  // files, by tx id
  std::vector<FileLiveness> files;
  std::deque<CancelCounter> counters;  // they must not move
  std::vector<std::vector<Cancelling>> cancels;
  std::vector<OpenTouch> open;
};

Liveness::Liveness(LivenessOptions options) : state_(std::make_unique<State>(options)) {}
Liveness::~Liveness() = default;

// ---- events -------------------------------------------------------------------------------------

void Liveness::apply(const Record& record, std::size_t file) {
  State& state = *state_;
  const std::uint32_t in_file = file_number(file);
  if (record.kind != RecordKind::kCommit && record.kind != RecordKind::kRollback &&
      record.kind != RecordKind::kEvent) {
    state.file(file).has_data = true;
  }
  const PendingRecord pending{
      .id = record.id,
      .file = in_file,
      .length_bytes = record.length_bytes,
      .user_type = record.user_type,
      .is_update = record.kind == RecordKind::kUpdate || record.kind == RecordKind::kUpdateTx};
  switch (record.kind) {
    case RecordKind::kEvent: break;
    case RecordKind::kAdd:
      state.add(record.id, record.length_bytes, in_file, record.user_type);
      break;
    case RecordKind::kUpdate:
      // Without its add it is delivered by a load, but it keeps nothing.
      if (const std::uint32_t index = state.live.find(record.id); index != kNone) {
        state.update(index, pending);
      }
      break;
    case RecordKind::kDelete: state.remove(record.id, in_file); break;
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx:
      state.transactions.collect(record.tx_id, file, pending, false);
      break;
    case RecordKind::kDeleteTx:
      state.transactions.collect(record.tx_id, file, pending, true);
      break;
    case RecordKind::kPrepare:
      if (state.transactions.prepare(record.tx_id, file, record.number, pending) == record.number) {
        state.prepared_in[record.tx_id].push_back(in_file);
      }
      break;
    case RecordKind::kCommit: state.commit(record, in_file); break;
    case RecordKind::kRollback: state.rollback(record, in_file); break;
  }
}

void Liveness::State::count_update(std::uint32_t index, std::uint32_t length, std::uint32_t in_file,
                                   std::int8_t type) {
  live.push(index, length, in_file, type);
  FileLiveness& counted = file(in_file);
  ++counted.positives;
  ++counted.live_records;
  counted.live_bytes += length;
}

void Liveness::State::add(std::int64_t id, std::uint32_t length, std::uint32_t in_file,
                          std::int8_t type) {
  std::uint32_t index = live.find(id);
  if (index == kNone) {
    index = live.insert(id);
  } else {
    // The entry is replaced and what it counted for stays counted: nothing can cancel it any more.
    live.each(index, [&](const Entry& entry) {
      FileLiveness& counted = file(entry.file());
      --counted.live_records;
      counted.live_bytes -= entry.length_bytes;
      ++counted.replaced_records;
      counted.replaced_bytes += entry.length_bytes;
    });
    live.clear(index);
  }
  count_update(index, length, in_file, type);
  ++file(in_file).adds;
}

void Liveness::State::update(std::uint32_t index, const PendingRecord& record) {
  const Entry& latest = live.latest(index);
  // Artemis counts a replaceable update only when it opens the file's entry in the list of updates.
  const bool goes_on = latest.next != kNone && latest.file() == record.file;
  if (record.is_update && !goes_on &&
      options.replaceable.test(static_cast<std::uint8_t>(record.user_type))) {
    ++file(record.file).replaceables;
  }
  count_update(index, record.length_bytes, record.file, record.user_type);
}

void Liveness::State::remove(std::int64_t id, std::uint32_t in_file) {
  const std::uint32_t index = live.find(id);
  if (index == kNone) return;
  (void)file(in_file);
  live.each(index, [&](const Entry& entry) {
    FileLiveness& counted = files[entry.file()];
    --counted.live_records;
    counted.live_bytes -= entry.length_bytes;
    ++counters[in_file].of(entry.file()).by_deletes;
  });
  live.erase(index);
}

void Liveness::State::commit(const Record& record, std::uint32_t in_file) {
  std::int32_t counted = 0;
  const auto tx = transactions.commit(record.tx_id, in_file, counted);
  if (!tx) return;
  file(in_file).has_data = true;
  // A wrong number drops the whole transaction, as if it had never touched its files.
  if (counted != record.number) {
    prepared_in.erase(record.tx_id);
    return;
  }
  for (const PendingRecord& pending : tx->records) {
    const std::uint32_t index = live.find(pending.id);
    if (index == kNone) {
      add(pending.id, pending.length_bytes, pending.file, pending.user_type);
    } else {
      update(index, pending);
    }
  }
  for (const PendingRecord& pending : tx->deletes) remove(pending.id, pending.file);
  outcome(*tx, in_file);
}

void Liveness::State::rollback(const Record& record, std::uint32_t in_file) {
  std::int32_t counted = 0;
  const auto tx = transactions.commit(record.tx_id, in_file, counted);
  if (!tx) return;
  file(in_file).has_data = true;
  outcome(*tx, in_file);
}

void Liveness::State::outcome(const PendingTransaction& tx, std::uint32_t in_file) {
  for (const std::uint32_t touched : take_touched(tx)) {
    ++file(touched).positives;
    ++counters[in_file].of(touched).by_outcomes;
  }
}

std::vector<std::uint32_t> Liveness::State::take_touched(const PendingTransaction& tx) {
  std::vector<std::uint32_t> prepares;
  if (const auto found = prepared_in.find(tx.tx_id); found != prepared_in.end()) {
    prepares = std::move(found->second);
    prepared_in.erase(found);
  }
  return touched_files(tx, std::move(prepares));
}

void Liveness::finish() {
  State& state = *state_;
  for (const PendingTransaction& tx : state.transactions.take_open()) {
    OpenTouch touch = open_touch(tx, state.take_touched(tx));
    for (const OpenTouch::InFile& in_file : touch.files) {
      FileLiveness& counted = state.file(in_file.file);
      ++counted.positives;
      ++counted.open_touches;
      counted.pending_records += in_file.records;
      counted.pending_bytes += in_file.bytes;
    }
    state.open.push_back(std::move(touch));
  }
  for (const CancelCounter& counter : state.counters) state.cancels.push_back(counter.sorted());
  state.counters.clear();
}

// ---- results ------------------------------------------------------------------------------------

std::size_t Liveness::file_count() const { return state_->files.size(); }

FileLiveness Liveness::file(std::size_t file) const {
  return file < state_->files.size() ? state_->files[file] : FileLiveness{};
}

std::span<const Cancelling> Liveness::cancels(std::size_t file) const {
  if (file >= state_->cancels.size()) return {};
  return state_->cancels[file];
}

const std::vector<OpenTouch>& Liveness::open() const { return state_->open; }
std::size_t Liveness::live_ids() const { return state_->live.size(); }
bool Liveness::is_live(std::int64_t id) const { return state_->live.find(id) != kNone; }

namespace {

void records_at(const LiveTable& live, std::uint32_t index, std::vector<LiveRecord>& records) {
  records.clear();
  live.each(index, [&](const Entry& entry) {
    records.push_back({.file = entry.file(),
                       .length_bytes = entry.length_bytes,
                       .user_type = entry.type(),
                       .is_first = entry.next == kNone});
  });
}

}  // namespace

std::vector<LiveRecord> Liveness::records_of(std::int64_t id) const {
  std::vector<LiveRecord> records;
  const std::uint32_t index = state_->live.find(id);
  if (index != kNone) records_at(state_->live, index, records);
  return records;
}

void Liveness::visit_live(
    const std::function<void(std::int64_t, std::span<const LiveRecord>)>& visitor) const {
  std::vector<LiveRecord> records;
  const std::vector<bool> occupied = state_->live.occupied();
  for (std::uint32_t index = 0; index < occupied.size(); ++index) {
    if (!occupied[index]) continue;
    records_at(state_->live, index, records);
    visitor(state_->live.id(index), records);
  }
}

std::vector<std::uint32_t> Liveness::State::data_files(
    std::span<const FileCircumstances> circumstances) const {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < circumstances.size(); ++i) {
    const bool has_data = i < files.size() && files[i].has_data;
    if (has_data || circumstances[i].marked) result.push_back(file_number(i));
  }
  return result;
}

std::vector<FileVerdict> Liveness::check(std::span<const FileCircumstances> circumstances) const {
  std::vector<FileVerdict> verdicts(circumstances.size());
  const std::vector<std::uint32_t> data = state_->data_files(circumstances);
  if (data.empty()) return verdicts;
  const std::uint32_t current = data.back();
  for (const std::uint32_t from : data) {
    for (const Cancelling& cancelling : cancels(from)) {
      if (cancelling.file >= verdicts.size()) continue;
      FileVerdict& target = verdicts[cancelling.file];
      (from == current           ? target.cancelled_by_current
       : from >= cancelling.file ? target.cancelled
                                 : target.cancelled_too_early) += cancelling.count();
    }
  }
  verdicts[current].state = FileState::kCurrent;
  for (const std::uint32_t at : data) {
    if (at == current) break;
    FileVerdict& verdict = verdicts[at];
    verdict.retention_pending = circumstances[at].retention_pending;
    // Rule 1: what is deleted here must not come back when this file goes first.
    for (const Cancelling& cancelling : cancels(at)) {
      if (cancelling.file >= at) break;
      if (verdicts[cancelling.file].state == FileState::kKept) {
        verdict.needed_for.push_back(cancelling);
      }
    }
    // Rule 2: everything here is cancelled, here or later.
    const bool goes = verdict.needed_for.empty() && verdict.uncancelled(file(at)) == 0 &&
                      !verdict.retention_pending;
    verdict.state = goes ? FileState::kReclaimable : FileState::kKept;
  }
  return verdicts;
}

CompactionOutlook Liveness::outlook(const CompactionRules& rules,
                                    std::span<const FileVerdict> verdicts) const {
  CompactionOutlook outlook;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const FileState state = verdicts[i].state;
    if (state != FileState::kKept && state != FileState::kCurrent) continue;
    const FileLiveness counted = file(i);
    ++outlook.input_files;
    outlook.surviving_bytes += counted.live_bytes + counted.pending_bytes + counted.replaced_bytes;
    if (state == FileState::kCurrent) continue;
    ++outlook.data_files;
    outlook.live_bytes += counted.live_bytes + counted.replaced_bytes;
    outlook.adds += counted.adds;
    outlook.replaceables += counted.replaceables;
  }
  // Artemis multiplies as float; near the limit that decides.
  const float total = static_cast<float>(outlook.data_files * rules.file_size_bytes);
  const float share = static_cast<float>(rules.percentage) / 100.0F;
  outlook.limit_bytes = static_cast<std::uint64_t>(std::max(total * share, 0.0F));
  const std::uint64_t room = std::max<std::uint64_t>(rules.file_size_bytes, 1024) - kHeaderBytes;
  outlook.output_files = (outlook.surviving_bytes + room - 1) / room;
  const bool enough =
      rules.min_files > 0 && outlook.data_files > static_cast<std::uint64_t>(rules.min_files);
  outlook.starts_by_size = enough && outlook.live_bytes < outlook.limit_bytes;
  outlook.starts_by_updates =
      enough && outlook.adds > 0 && outlook.replaceables > 0 &&
      static_cast<double>(outlook.replaceables / outlook.adds) > rules.update_factor;
  return outlook;
}

}  // namespace saranga::journal
