#include "libstore/explain/advice.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "libstore/explain/acknowledge.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

// Steps of all trials together, each of which walks the files and their chains.
constexpr std::uint64_t kMostSteps = 20'000'000;
constexpr std::uint64_t kMostTrials = 1000;

}  // namespace

Adviser::Adviser(const LoadedStore& store, JournalExplainer& journal, const HolderFinder& finder,
                 const ExplainOptions& options, Explanation& explanation)
    : store_(store), journal_(journal), finder_(finder), options_(options), out_(explanation) {
  for (const journal::FileVerdict& verdict : journal.verdicts()) {
    edges_ += 1 + verdict.needed_for.size();
  }
}

void Adviser::advise() {
  find_soles();
  count_usage();
  count_when_empty();
  advise_checks();
  advise_start();
  advise_acknowledging();
  advise_queues();
  advise_transactions();
  advise_compaction();
}

// ---- what keeps each file alone
// -------------------------------------------------------------------

void Adviser::Sole::add(Kind added, std::int64_t added_id) {
  if (kind == Kind::kNothing) {
    kind = added;
    id = added_id;
  } else if (kind != added || id != added_id) {
    kind = Kind::kMore;
  }
}

Adviser::Sole Adviser::sole_of(const std::vector<std::int64_t>& queues,
                               const std::vector<std::int64_t>& transactions) {
  Sole sole;
  for (const std::int64_t queue : queues) sole.add(Sole::Kind::kQueue, queue);
  for (const std::int64_t tx_id : transactions) sole.add(Sole::Kind::kTransaction, tx_id);
  return sole;
}

Adviser::Sole Adviser::sole_of_file(std::size_t file) const {
  Sole sole;
  if (journal_.is_stuck(file) || journal_.verdicts()[file].retention_pending) {
    sole.kind = Sole::Kind::kMore;
    return sole;
  }
  for (const TransactionShare& open : journal_.open_in(file)) {
    // One that is not prepared is rolled back by the next start.
    if (open.prepared) sole.add(Sole::Kind::kTransaction, open.tx_id);
  }
  for (const FileShare& share : journal_.pins().shares(file)) {
    const Holder& holder = journal_.pins().holder(share.holder);
    if (holder.kind == Holder::Kind::kUnreferenced) continue;
    if (holder.kind == Holder::Kind::kMessage) {
      for (const std::int64_t queue : holder.queues) sole.add(Sole::Kind::kQueue, queue);
      for (const std::int64_t tx : holder.transactions) sole.add(Sole::Kind::kTransaction, tx);
    } else if (release_of(journal::JournalKind::kMessages, holder.user_type) !=
               Release::kNextStart) {
      sole.kind = Sole::Kind::kMore;
    }
    if (sole.kind == Sole::Kind::kMore) break;
  }
  return sole;
}

void Adviser::find_soles() {
  const FileGraph& graph = journal_.graph();
  for (std::size_t file = 0; file < graph.size(); ++file) {
    soles_.push_back(graph.kept(file) ? sole_of_file(file) : Sole{});
  }
  freed_at_start_.resize(graph.size());
  for (const std::uint32_t file :
       graph.freed_if([&](std::size_t f) { return soles_[f].kind == Sole::Kind::kNothing; })) {
    freed_at_start_[file] = true;
  }
}

Freed Adviser::freed_when(const std::function<bool(std::size_t)>& released) const {
  Freed freed;
  const auto gone = journal_.graph().freed_if([&](std::size_t file) {
    return soles_[file].kind == Sole::Kind::kNothing || released(file);
  });
  for (const std::uint32_t file : gone) {
    if (freed_at_start_[file]) continue;
    ++freed.journal_files;
    freed.bytes += journal_.size_of(file);
  }
  return freed;
}

bool Adviser::is_sole(std::size_t file, Sole::Kind kind, std::int64_t id) const {
  return soles_[file].kind == kind && soles_[file].id == id;
}

// ---- queues
// ---------------------------------------------------------------------------------------

void Adviser::count_usage() {
  std::map<std::int64_t, QueueUsage> usage;
  const PinTable& pins = journal_.pins();
  for (const Cohort& cohort : pins.cohorts()) {
    for (const std::int64_t queue : pins.holder(cohort.holder).queues) {
      usage[queue].messages += cohort.ids;
    }
  }
  for (const JournalFileReport& file : out_.journal) {
    for (const QueueShare& share : file.queues) {
      ++usage[share.queue_id].journal_files;
      usage[share.queue_id].journal_bytes += share.bytes;
    }
  }
  for (const PageReport& page : out_.pages) {
    for (const QueueShare& share : page.queues) {
      QueueUsage& queue = usage[share.queue_id];
      ++queue.pages;
      queue.paged_messages += share.messages;
      queue.page_bytes += share.bytes;
    }
  }
  for (const LargeFileReport& large : out_.large_files) {
    for (const std::int64_t id : large.queues) {
      ++usage[id].large_files;
      usage[id].large_bytes += large.size_bytes;
    }
  }
  for (auto& [id, queue] : usage) {
    queue.queue_id = id;
    out_.queues.push_back(queue);
  }
  std::ranges::stable_sort(out_.queues, std::greater<>(), &QueueUsage::bytes);
}

// Pages come address by address. The current one goes only with all others: the address then leaves
// page mode, and an empty page takes its place.
void Adviser::count_pages(std::map<std::int64_t, Freed>& freed) const {
  Sole whole;  // of the address
  for (std::size_t i = 0; i < out_.pages.size(); ++i) {
    const PageReport& page = out_.pages[i];
    if (i == 0 || out_.pages[i - 1].address != page.address) whole = Sole{};
    if (page.state != PageState::kHeld && page.state != PageState::kCurrent) continue;
    Sole sole;
    for (const QueueShare& share : page.queues) sole.add(Sole::Kind::kQueue, share.queue_id);
    for (const TransactionShare& share : page.transactions) {
      sole.add(Sole::Kind::kTransaction, share.tx_id);
    }
    if (sole.kind != Sole::Kind::kNothing) whole.add(sole.kind, sole.id);
    const Sole& needed = page.state == PageState::kCurrent ? whole : sole;
    if (needed.kind != Sole::Kind::kQueue || page.size_bytes == 0) continue;
    ++freed[needed.id].pages;
    freed[needed.id].bytes += page.size_bytes;
  }
}

void Adviser::count_when_empty() {
  std::map<std::int64_t, Freed> others;
  count_pages(others);
  for (const LargeFileReport& large : out_.large_files) {
    const Sole sole = sole_of(large.queues, large.transactions);
    if (sole.kind != Sole::Kind::kQueue) continue;
    ++others[sole.id].large_files;
    others[sole.id].bytes += large.size_bytes;
  }
  std::uint64_t trials =
      std::clamp(kMostSteps / std::max<std::uint64_t>(edges_, 1), std::uint64_t{1}, kMostTrials);
  for (QueueUsage& queue : out_.queues) {
    if (trials-- == 0) break;
    Freed freed = freed_when(
        [&](std::size_t file) { return is_sole(file, Sole::Kind::kQueue, queue.queue_id); });
    const Freed& more = others[queue.queue_id];
    freed.pages = more.pages;
    freed.large_files = more.large_files;
    freed.bytes += more.bytes;
    queue.when_empty = freed;
  }
  std::ranges::stable_sort(out_.queues, [](const QueueUsage& a, const QueueUsage& b) {
    const std::uint64_t a_bytes = a.when_empty ? a.when_empty->bytes : 0;
    const std::uint64_t b_bytes = b.when_empty ? b.when_empty->bytes : 0;
    return a_bytes != b_bytes ? a_bytes > b_bytes : a.bytes() > b.bytes();
  });
}

// ---- advice
// ---------------------------------------------------------------------------------------

void Adviser::advise_checks() {
  Advice at_once{.action = Advice::Action::kNothing};
  for (const auto* reports : {&out_.journal, &out_.bindings}) {
    for (const JournalFileReport& file : *reports) {
      if (file.state() != journal::FileState::kReclaimable) continue;
      ++at_once.frees.journal_files;
      at_once.frees.bytes += file.size_bytes;
    }
  }
  if (!at_once.frees.nothing()) out_.advice.push_back(at_once);
  Advice later{.action = Advice::Action::kNothing, .close_current = true};
  for (const JournalFileReport& file : out_.journal) {
    if (file.state() != journal::FileState::kKept || file.too_many) continue;
    if (!file.held_by.empty()) continue;
    ++later.frees.journal_files;
    later.frees.bytes += file.size_bytes;
  }
  if (!later.frees.nothing()) out_.advice.push_back(later);
}

void Adviser::advise_start() {
  Advice start{.action = Advice::Action::kStart};
  for (std::size_t file = 0; file < freed_at_start_.size(); ++file) {
    // Those that hold nothing at all only wait for the current file to be closed.
    if (!freed_at_start_[file] || out_.journal[file].held_by.empty()) continue;
    ++start.frees.journal_files;
    start.frees.bytes += journal_.size_of(file);
    start.close_current = true;
  }
  for (const PageReport& page : out_.pages) {
    if (page.state != PageState::kDone && page.state != PageState::kAddressGone) continue;
    ++start.frees.pages;
    start.frees.bytes += page.size_bytes;
  }
  for (const LargeFileReport& large : out_.large_files) {
    if (large.state != LargeState::kOrphan && large.state != LargeState::kUnreferenced &&
        large.state != LargeState::kTemporary) {
      continue;
    }
    ++start.frees.large_files;
    start.frees.bytes += large.size_bytes;
  }
  for (const Leftover& leftover : out_.leftovers) {
    if (!leftover.next_start_deletes) continue;
    ++start.frees.others;
    start.frees.bytes += leftover.size_bytes;
  }
  if (!start.frees.nothing()) out_.advice.push_back(start);
}

void Adviser::advise_acknowledging() {
  AcknowledgementSearch search(store_, journal_, finder_, freed_at_start_, options_);
  for (Advice& step : search.find()) out_.advice.push_back(std::move(step));
}

void Adviser::advise_queues() {
  std::size_t lines = 0;
  for (const QueueUsage& queue : out_.queues) {
    if (lines == options_.most_advice) break;
    if (!queue.when_empty || queue.when_empty->nothing()) continue;
    const std::uint64_t messages = queue.messages + queue.paged_messages;
    out_.advice.push_back(
        {.action = Advice::Action::kEmptyQueue,
         .queues = {{.queue_id = queue.queue_id, .messages = messages, .bytes = queue.bytes()}},
         .messages = messages,
         .frees = *queue.when_empty,
         .close_current = queue.when_empty->journal_files > 0});
    ++lines;
  }
}

// The bodies that only this transaction keeps: of messages that it acknowledged, which go with a
// commit, or of those that it sent, which go with a rollback.
void Adviser::add_bodies(const PreparedTransaction& prepared, bool commit, Freed& freed) const {
  std::set<std::int64_t> ended;
  for (const Fact& fact : prepared.records) {
    const bool acknowledged = fact.user_type == message::kAcknowledgeReference;
    if (commit ? acknowledged : holds_message(fact.user_type)) ended.insert(fact.id);
  }
  for (const LargeFileReport& large : out_.large_files) {
    if (!ended.contains(large.id)) continue;
    const Sole sole = sole_of(large.queues, large.transactions);
    if (sole.kind != Sole::Kind::kTransaction || sole.id != prepared.tx_id) continue;
    ++freed.large_files;
    freed.bytes += large.size_bytes;
  }
}

// A commit makes what the transaction added live, and ends the messages that it acknowledged.
Freed Adviser::freed_by_commit(const PreparedTransaction& prepared) const {
  std::vector<bool> stays(soles_.size());
  for (const Fact& fact : prepared.records) {
    const Holder holder = finder_.find(fact.id, message::kAddMessageProtocol);
    const bool ends = fact.user_type == message::kAcknowledgeReference && holder.queues.empty() &&
                      holder.transactions.size() == 1;
    if (!ends) stays[fact.place.file()] = true;
  }
  return freed_when([&](std::size_t file) {
    return !stays[file] && is_sole(file, Sole::Kind::kTransaction, prepared.tx_id);
  });
}

// A rollback ends what the transaction added, and gives back the messages that it acknowledged.
Freed Adviser::freed_by_rollback(const PreparedTransaction& prepared) const {
  return freed_when([&](std::size_t file) {
    if (!is_sole(file, Sole::Kind::kTransaction, prepared.tx_id)) return false;
    return std::ranges::all_of(journal_.pins().shares(file), [&](const FileShare& share) {
      return journal_.pins().holder(share.holder).transactions.empty();
    });
  });
}

void Adviser::advise_transactions() {
  std::uint64_t trials =
      std::clamp(kMostSteps / std::max<std::uint64_t>(edges_, 1), std::uint64_t{1}, kMostTrials);
  for (const PreparedTransaction& prepared : store_.model().prepared()) {
    if (trials-- == 0) break;
    Freed commit = freed_by_commit(prepared);
    add_bodies(prepared, true, commit);
    Freed rollback = freed_by_rollback(prepared);
    add_bodies(prepared, false, rollback);
    const Freed& better = commit.bytes >= rollback.bytes ? commit : rollback;
    if (better.nothing()) continue;
    out_.advice.push_back({.action = Advice::Action::kSettle,
                           .tx_id = prepared.tx_id,
                           .outcome = commit.bytes == rollback.bytes  ? "either"
                                      : commit.bytes > rollback.bytes ? "commit"
                                                                      : "rollback",
                           .frees = better,
                           .close_current = better.journal_files > 0});
  }
}

void Adviser::advise_compaction() {
  const journal::CompactionOutlook& outlook = out_.compaction;
  const std::uint64_t left = outlook.output_files + 1;  // and a new current file
  if (outlook.data_files == 0 || outlook.input_files <= left) return;
  Advice advice{.action = Advice::Action::kCompact,
                .by_itself = outlook.starts(),
                .output_files = outlook.output_files};
  std::uint64_t bytes = 0;
  for (const JournalFileReport& file : out_.journal) {
    const auto state = file.state();
    if (state == journal::FileState::kKept || state == journal::FileState::kCurrent) {
      bytes += file.size_bytes;
    }
  }
  advice.frees.journal_files = outlook.input_files - left;
  const std::uint64_t stays = left * options_.rules.file_size_bytes;
  if (bytes <= stays) return;
  advice.frees.bytes = bytes - stays;
  out_.advice.push_back(advice);
}

}  // namespace saranga::store
