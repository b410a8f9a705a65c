#include "libstore/explain/journal.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace saranga::store {
namespace {

// Looks at cohorts after which no more needs are counted, so that even a store of very many queues
// and long chains is explained in seconds.
constexpr std::uint64_t kMostWork = 10'000'000;
// What one file needs may be messages of every queue there is; nobody reads more than this.
constexpr std::size_t kMostQueues = 100;

std::vector<journal::FileVerdict> check(const LoadedJournal& loaded,
                                        const journal::Liveness& liveness) {
  std::vector<journal::FileCircumstances> circumstances;
  for (std::size_t i = 0; i < loaded.folder.files.size(); ++i) {
    using Role = journal::JournalFile::Role;
    circumstances.push_back({.marked = i < loaded.scanned.size() && loaded.scanned[i].marked,
                             .retention_pending = loaded.folder.files[i].role == Role::kRetention});
  }
  return liveness.check(circumstances);
}

}  // namespace

bool Needs::only_acknowledge() const {
  const bool starts = std::ranges::all_of(
      others, [](const RecordShare& share) { return share.release == Release::kNextStart; });
  return starts && !retention_copy && !compaction &&
         std::ranges::none_of(settle, &TransactionShare::prepared);
}

RecordShare& share_of(std::vector<RecordShare>& shares, journal::JournalKind journal,
                      std::int8_t user_type) {
  const auto found = std::ranges::find(shares, user_type, &RecordShare::user_type);
  if (found != shares.end()) return *found;
  return shares.emplace_back(RecordShare{.user_type = user_type,
                                         .name = type_name(journal, user_type),
                                         .release = release_of(journal, user_type)});
}

std::vector<QueueShare> ShareCount::by_messages() const {
  std::vector<QueueShare> shares;
  for (const auto& [id, share] : queues) shares.push_back(share);
  std::ranges::stable_sort(shares, std::greater<>(), &QueueShare::messages);
  return shares;
}

std::vector<QueueShare> ShareCount::by_bytes() const {
  std::vector<QueueShare> shares;
  for (const auto& [id, share] : queues) shares.push_back(share);
  std::ranges::stable_sort(shares, std::greater<>(), &QueueShare::bytes);
  return shares;
}

std::vector<TransactionShare> ShareCount::by_id() const {
  std::vector<TransactionShare> shares;
  for (const auto& [id, share] : transactions) shares.push_back(share);
  return shares;
}

JournalExplainer::JournalExplainer(const LoadedJournal& loaded, journal::JournalKind kind,
                                   const journal::Liveness& liveness, const HolderFinder* finder)
    : loaded_(loaded),
      kind_(kind),
      liveness_(liveness),
      verdicts_(check(loaded, liveness)),
      pins_(liveness, finder, verdicts_.size()),
      graph_(liveness, verdicts_),
      open_(verdicts_.size()),
      seen_(pins_.cohorts().size(), 0) {
  for (const journal::OpenTouch& touch : liveness.open()) {
    for (const auto& in_file : touch.files) {
      open_[in_file.file].push_back({.tx_id = touch.tx_id,
                                     .prepared = touch.prepared,
                                     .records = in_file.records,
                                     .bytes = in_file.bytes});
    }
  }
}

std::vector<JournalFileReport> JournalExplainer::reports(const Model& model) {
  std::vector<JournalFileReport> reports;
  for (std::size_t file = 0; file < verdicts_.size(); ++file) {
    reports.push_back(report(file, model));
  }
  return reports;
}

JournalFileReport JournalExplainer::report(std::size_t file, const Model& model) {
  const journal::JournalFile& listed = loaded_.folder.files[file];
  const journal::FileLiveness counted = liveness_.file(file);
  JournalFileReport report{.file = loaded_.labels[file],
                           .header_id = listed.header.id,
                           .role = listed.role,
                           .size_bytes = listed.size_bytes,
                           .live_records = counted.live_records,
                           .live_bytes = counted.live_bytes,
                           .pending_bytes = counted.pending_bytes,
                           .replaced_records = counted.replaced_records,
                           .replaced_bytes = counted.replaced_bytes,
                           .positives = counted.positives,
                           .adds = counted.adds,
                           .replaceables = counted.replaceables,
                           .verdict = verdicts_[file]};
  if (file < loaded_.scanned.size()) report.account = loaded_.scanned[file].account;
  const std::uint64_t kept = counted.live_bytes + counted.pending_bytes;
  report.dead_bytes = report.account.record_bytes > kept ? report.account.record_bytes - kept : 0;
  add_holders(report, file);
  if (const auto oldest = pins_.oldest(file)) {
    report.oldest = OldestPin{.id = *oldest};
    const Message* message =
        kind_ == journal::JournalKind::kMessages ? model.find(*oldest) : nullptr;
    if (message != nullptr) report.oldest->timestamp_ms = message->timestamp_ms;
  }
  if (report.state() != journal::FileState::kKept) return report;
  const std::uint32_t set = graph_.holding_set(file);
  report.too_many = set == FileGraph::kTooMany;
  if (report.too_many) return report;
  const auto files = graph_.files_of(set);
  report.held_by.assign(files.begin(), files.end());
  report.needs = needs_of(set);
  if (report.needs) report.needs->close_current = graph_.needs_closing(file);
  return report;
}

void JournalExplainer::add_holders(JournalFileReport& report, std::size_t file) const {
  ShareCount count;
  for (const TransactionShare& open : open_[file]) count.transactions[open.tx_id] = open;
  for (const FileShare& share : pins_.shares(file)) {
    const Holder& holder = pins_.holder(share.holder);
    switch (holder.kind) {
      case Holder::Kind::kMessage:
        if (!holder.queues.empty()) report.messages += share.ids;
        for (const std::int64_t id : holder.queues) {
          QueueShare& queue = count.queue(id);
          queue.messages += share.ids;
          queue.bytes += share.bytes;
        }
        for (const std::int64_t tx_id : holder.transactions) {
          TransactionShare& transaction = count.transaction(tx_id, true);
          transaction.records += share.records;
          transaction.bytes += share.bytes;
        }
        break;
      case Holder::Kind::kUnreferenced: report.unreferenced += share.ids; break;
      case Holder::Kind::kRecord: {
        RecordShare& counted = share_of(report.others, kind_, holder.user_type);
        counted.records += share.records;
        counted.bytes += share.bytes;
      }
    }
  }
  report.queues = count.by_bytes();
  report.transactions = count.by_id();
  std::ranges::sort(report.others, [](const RecordShare& a, const RecordShare& b) {
    return std::tie(b.bytes, a.user_type) < std::tie(a.bytes, b.user_type);
  });
}

std::optional<Needs> JournalExplainer::needs_of(std::uint32_t set) {
  Needs needs;
  ShareCount count;
  ++counting_;
  for (const std::uint32_t file : graph_.files_of(set)) {
    if (work_ > kMostWork) return std::nullopt;
    const auto cohorts = pins_.cohorts_in(file);
    work_ += cohorts.size();
    for (const std::uint32_t number : cohorts) {
      if (seen_[number] == counting_) continue;
      seen_[number] = counting_;
      add_cohort(needs, count, pins_.cohorts()[number]);
    }
    for (const TransactionShare& open : open_[file]) {
      TransactionShare& share = count.transaction(open.tx_id, open.prepared);
      share.records += open.records;
      share.bytes += open.bytes;
    }
    if (is_stuck(file)) needs.compaction = true;
    if (verdicts_[file].retention_pending) needs.retention_copy = true;
  }
  needs.acknowledge = count.by_messages();
  if (needs.acknowledge.size() > kMostQueues) {
    needs.other_queues = needs.acknowledge.size() - kMostQueues;
    needs.acknowledge.resize(kMostQueues);
    needs.acknowledge.shrink_to_fit();
  }
  needs.settle = count.by_id();
  std::ranges::sort(needs.others, {}, &RecordShare::user_type);
  return needs;
}

void JournalExplainer::add_cohort(Needs& needs, ShareCount& count, const Cohort& cohort) const {
  const Holder& holder = pins_.holder(cohort.holder);
  switch (holder.kind) {
    case Holder::Kind::kMessage:
      if (!holder.queues.empty()) needs.messages += cohort.ids;
      for (const std::int64_t queue : holder.queues) count.queue(queue).messages += cohort.ids;
      for (const std::int64_t tx_id : holder.transactions) (void)count.transaction(tx_id, true);
      break;
    case Holder::Kind::kUnreferenced: needs.unreferenced += cohort.ids; break;
    case Holder::Kind::kRecord:
      share_of(needs.others, kind_, holder.user_type).records += cohort.ids;
  }
}

}  // namespace saranga::store
