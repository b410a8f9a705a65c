#include "libstore/explain/acknowledge.h"

#include <algorithm>
#include <map>

namespace saranga::store {
namespace {

constexpr std::uint32_t kNoStep = UINT32_MAX;
// Comparisons of sets in one round, and looks at cohorts in one: they keep the search below a
// second or so, whatever the store.
constexpr std::size_t kMostComparisons = 20'000'000;
constexpr std::uint64_t kMostWork = 20'000'000;
constexpr std::size_t kMostCandidates = 512;

// Whether a holder lets go at the next start, whatever anybody does.
bool goes_at_start(const Holder& holder) {
  return holder.kind == Holder::Kind::kUnreferenced ||
         (holder.kind == Holder::Kind::kRecord &&
          release_of(journal::JournalKind::kMessages, holder.user_type) == Release::kNextStart);
}

bool is_on_queues(const Holder& holder) {
  return holder.kind == Holder::Kind::kMessage && holder.transactions.empty();
}

}  // namespace

AcknowledgementSearch::AcknowledgementSearch(const LoadedStore& store,
                                             const JournalExplainer& journal,
                                             const HolderFinder& finder,
                                             const std::vector<bool>& freed_at_start,
                                             const ExplainOptions& options)
    : store_(store),
      journal_(journal),
      finder_(finder),
      options_(options),
      released_(journal.graph().size()),
      step_of_file_(journal.graph().size(), kNoStep),
      acknowledged_(journal.pins().cohorts().size()),
      seen_(journal.pins().cohorts().size()) {
  make_groups(freed_at_start);
  choose_candidates();
}

bool AcknowledgementSearch::can_acknowledge(std::size_t file) const {
  if (journal_.is_stuck(file) || journal_.verdicts()[file].retention_pending) return false;
  if (std::ranges::any_of(journal_.open_in(file), &TransactionShare::prepared)) return false;
  return std::ranges::all_of(journal_.pins().shares(file), [&](const FileShare& share) {
    const Holder& holder = journal_.pins().holder(share.holder);
    return is_on_queues(holder) || goes_at_start(holder);
  });
}

void AcknowledgementSearch::make_groups(const std::vector<bool>& freed_at_start) {
  std::map<std::uint32_t, std::size_t> by_set;
  const FileGraph& graph = journal_.graph();
  for (std::uint32_t file = 0; file < graph.size(); ++file) {
    if (!graph.kept(file)) continue;
    if (freed_at_start[file]) {
      released_[file] = true;
      continue;
    }
    const std::uint32_t set = graph.holding_set(file);
    if (set == FileGraph::kTooMany) continue;
    const auto [found, fresh] = by_set.try_emplace(set, groups_.size());
    if (fresh) groups_.push_back({.set = set});
    Group& group = groups_[found->second];
    group.files.push_back(file);
    group.bytes += journal_.size_of(file);
  }
}

void AcknowledgementSearch::choose_candidates() {
  std::size_t comparisons = 1;
  std::vector<std::pair<std::uint64_t, std::size_t>> by_messages;
  for (std::size_t i = 0; i < groups_.size() && work_ < kMostWork; ++i) {
    const auto files = journal_.graph().files_of(groups_[i].set);
    comparisons += files.size();
    const bool possible =
        std::ranges::all_of(files, [&](std::uint32_t file) { return can_acknowledge(file); });
    if (possible) by_messages.emplace_back(messages_left(groups_[i].set), i);
  }
  std::ranges::sort(by_messages);
  const std::size_t most =
      std::clamp(kMostComparisons / comparisons, std::size_t{8}, kMostCandidates);
  std::uint64_t work = 0;  // of one round, as far as it counts messages
  for (const auto& [messages, group] : by_messages) {
    for (const std::uint32_t file : journal_.graph().files_of(groups_[group].set)) {
      work += journal_.pins().cohorts_in(file).size();
    }
    if (candidates_.size() == most || (work > kMostWork && !candidates_.empty())) break;
    candidates_.push_back(group);
  }
}

std::uint64_t AcknowledgementSearch::messages_left(std::uint32_t set) {
  std::uint64_t messages = 0;
  ++counting_;
  for (const std::uint32_t file : journal_.graph().files_of(set)) {
    const auto cohorts = journal_.pins().cohorts_in(file);
    work_ += cohorts.size();
    for (const std::uint32_t number : cohorts) {
      if (seen_[number] == counting_ || acknowledged_[number]) continue;
      seen_[number] = counting_;
      const Cohort& cohort = journal_.pins().cohorts()[number];
      if (is_on_queues(journal_.pins().holder(cohort.holder))) messages += cohort.ids;
    }
  }
  return messages;
}

// Both sets ascend.
bool AcknowledgementSearch::goes_with(const Group& group, const Group& chosen) const {
  const auto wanted = journal_.graph().files_of(chosen.set);
  auto at = wanted.begin();
  for (const std::uint32_t file : journal_.graph().files_of(group.set)) {
    if (released_[file]) continue;
    while (at != wanted.end() && *at < file) ++at;
    if (at == wanted.end() || *at != file) return false;
  }
  return true;
}

bool AcknowledgementSearch::Gain::better_than(const Gain& other) const {
  // Bytes a message, without dividing.
  const double own = static_cast<double>(bytes) * static_cast<double>(other.messages);
  const double others = static_cast<double>(other.bytes) * static_cast<double>(messages);
  return own != others ? own > others : bytes > other.bytes;
}

AcknowledgementSearch::Gain AcknowledgementSearch::gain_of(const Group& chosen) {
  Gain gain{.messages = messages_left(chosen.set)};
  for (const Group& group : groups_) {
    if (group.freed || !goes_with(group, chosen)) continue;
    gain.files += group.files.size();
    gain.bytes += group.bytes;
  }
  return gain;
}

std::vector<Advice> AcknowledgementSearch::find() {
  std::vector<Advice> steps;
  while (steps.size() < options_.most_advice) {
    Group* best = nullptr;
    Gain most;
    for (const std::size_t candidate : candidates_) {
      Group& group = groups_[candidate];
      if (group.freed) continue;
      const Gain gain = gain_of(group);
      if (gain.messages == 0 || gain.files == 0) continue;
      if (best != nullptr && !gain.better_than(most)) continue;
      best = &group;
      most = gain;
    }
    if (best == nullptr) break;
    steps.push_back(take(*best, steps.size()));
  }
  list_messages(steps);
  return steps;
}

Advice AcknowledgementSearch::take(Group& chosen, std::size_t step) {
  Advice advice{.action = Advice::Action::kAcknowledge, .close_current = true};
  for (Group& group : groups_) {
    if (group.freed || !goes_with(group, chosen)) continue;
    group.freed = true;
    advice.frees.journal_files += group.files.size();
    advice.frees.bytes += group.bytes;
  }
  ShareCount count;
  for (const std::uint32_t file : journal_.graph().files_of(chosen.set)) {
    if (!released_[file]) step_of_file_[file] = static_cast<std::uint32_t>(step);
    released_[file] = true;
    for (const std::uint32_t number : journal_.pins().cohorts_in(file)) {
      const Cohort& cohort = journal_.pins().cohorts()[number];
      const Holder& holder = journal_.pins().holder(cohort.holder);
      if (acknowledged_[number] || !is_on_queues(holder)) continue;
      acknowledged_[number] = true;
      advice.messages += cohort.ids;
      for (const std::int64_t queue : holder.queues) count.queue(queue).messages += cohort.ids;
    }
  }
  advice.queues = count.by_messages();
  return advice;
}

// The groups do not know their ids: one more pass tells them, and the body files that go with them.
void AcknowledgementSearch::list_messages(std::vector<Advice>& steps) const {
  if (steps.empty()) return;
  journal_.liveness().visit_live(
      [&](std::int64_t id, std::span<const journal::LiveRecord> records) {
        std::uint32_t step = kNoStep;
        for (const journal::LiveRecord& record : records) {
          step = std::min(step, step_of_file_[record.file]);
        }
        if (step == kNoStep || !holds_message(records.back().user_type)) return;
        if (!is_on_queues(finder_.find(id, records.back().user_type))) return;
        Advice& advice = steps[step];
        if (advice.message_ids.size() < options_.most_ids) advice.message_ids.push_back(id);
        if (const message::LargeFile* large = store_.large_file(id)) {
          ++advice.frees.large_files;
          advice.frees.bytes += large->size_bytes;
        }
      });
  for (Advice& advice : steps) std::ranges::sort(advice.message_ids);
}

}  // namespace saranga::store
