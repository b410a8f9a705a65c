#include "libstore/explain/pins.h"

#include <algorithm>

#include "saranga/bindings/record_types.h"
#include "saranga/message/record_ids.h"
#include "saranga/message/record_types.h"

namespace saranga::store {
namespace {

constexpr std::int8_t kIdCounterRecord = 24;  // of the bindings journal

std::uint64_t pair_key(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

void sort_unique(std::vector<std::int64_t>& values) {
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
}

}  // namespace

Release release_of(journal::JournalKind journal, std::int8_t user_type) {
  if (journal != journal::JournalKind::kMessages) {
    return user_type == kIdCounterRecord ? Release::kReplaced : Release::kConfiguration;
  }
  switch (user_type) {
    case message::kAddLargeMessagePending:
    case message::kPageCounterValue:
    case message::kPageCounterIncrement:
    case message::kPendingCounter: return Release::kNextStart;
    case message::kPageTransaction: return Release::kPagedConsumed;
    case message::kDuplicateId: return Release::kNewerIds;
    case message::kHeuristicCompletion:
    case message::kAckRetry:
    case message::kMqttPacketId: return Release::kForgotten;
    case message::kAcknowledgeCursor:
    case message::kPageComplete: return Release::kPageDeleted;
    default: return Release::kCompaction;
  }
}

std::string_view type_name(journal::JournalKind journal, std::int8_t user_type) {
  const RecordType* type = journal == journal::JournalKind::kMessages
                               ? message::find_record_type(user_type)
                               : bindings::find_record_type(user_type);
  return type == nullptr ? std::string_view{} : type->name;
}

// ---- holders
// --------------------------------------------------------------------------------------

Holder HolderFinder::find(std::int64_t id, std::int8_t first_type) const {
  const Model& model = store_.model();
  const Message* message = holds_message(first_type) ? model.find(id) : nullptr;
  if (message == nullptr) return {.kind = Holder::Kind::kRecord, .user_type = first_type};
  Holder holder{.kind = Holder::Kind::kMessage};
  for (std::uint32_t at = message->first_reference; at != kNone; at = model.references()[at].next) {
    const Reference& reference = model.references()[at];
    const std::int64_t queue = model.queue_ids()[reference.queue];
    if (reference.state != Reference::State::kPending) {
      holder.transactions.push_back(prepared_.of_reference(id, queue));
    } else if (store_.catalog().queue(queue) != nullptr) {
      // A starting broker drops references to queues that it does not have.
      holder.queues.push_back(queue);
    }
  }
  sort_unique(holder.queues);
  sort_unique(holder.transactions);
  if (holder.queues.empty() && holder.transactions.empty()) {
    holder.kind = Holder::Kind::kUnreferenced;
  }
  return holder;
}

std::optional<std::int64_t> HolderFinder::only_queue(std::int64_t id,
                                                     std::int8_t first_type) const {
  const Model& model = store_.model();
  const Message* message = holds_message(first_type) ? model.find(id) : nullptr;
  if (message == nullptr || message->first_reference == kNone) return std::nullopt;
  const Reference& reference = model.references()[message->first_reference];
  if (reference.next != kNone || reference.state != Reference::State::kPending) {
    return std::nullopt;
  }
  const std::int64_t queue = model.queue_ids()[reference.queue];
  if (store_.catalog().queue(queue) == nullptr) return std::nullopt;
  return queue;
}

// ---- the pass over live ids
// -----------------------------------------------------------------------

PinTable::PinTable(const journal::Liveness& liveness, const HolderFinder* finder, std::size_t files)
    : finder_(finder), by_file_(files), shares_(files), oldest_(files) {
  for (std::uint32_t file = 0; file < files; ++file) {
    single_sets_.push_back(static_cast<std::uint32_t>(sets_.size()));
    sets_.push_back({file});
  }
  liveness.visit_live(
      [this](std::int64_t id, std::span<const journal::LiveRecord> records) { take(id, records); });
  // What only finds things while counting is as large as what was counted.
  by_queue_ = {};
  holder_numbers_ = {};
  set_numbers_ = {};
  cohort_numbers_ = {};
  share_numbers_ = {};
}

void PinTable::take(std::int64_t id, std::span<const journal::LiveRecord> records) {
  const std::uint32_t holder = holder_of(id, records.back().user_type);
  scratch_.clear();
  for (const journal::LiveRecord& record : records) {
    FileShare& counted = share(record.file, holder);
    ++counted.records;
    counted.bytes += record.length_bytes;
    if (scratch_.empty() || scratch_.back() != record.file) scratch_.push_back(record.file);
  }
  std::ranges::sort(scratch_);
  const auto rest = std::ranges::unique(scratch_);
  scratch_.erase(rest.begin(), rest.end());
  for (const std::uint32_t file : scratch_) {
    ++share(file, holder).ids;
    auto& oldest = oldest_[file];
    if (!oldest || id < *oldest) oldest = id;
  }
  const std::uint32_t set = set_of(scratch_);
  const auto [found, fresh] = cohort_numbers_.try_emplace(
      pair_key(set, holder), static_cast<std::uint32_t>(cohorts_.size()));
  if (fresh) {
    for (const std::uint32_t file : scratch_) by_file_[file].push_back(found->second);
    cohorts_.push_back({.holder = holder, .files = set});
  }
  ++cohorts_[found->second].ids;
}

std::uint32_t PinTable::holder_of(std::int64_t id, std::int8_t first_type) {
  if (finder_ == nullptr) return intern({.kind = Holder::Kind::kRecord, .user_type = first_type});
  if (const auto queue = finder_->only_queue(id, first_type)) {
    const auto known = by_queue_.find(*queue);
    if (known != by_queue_.end()) return known->second;
    const std::uint32_t number = intern({.kind = Holder::Kind::kMessage, .queues = {*queue}});
    by_queue_.emplace(*queue, number);
    return number;
  }
  return intern(finder_->find(id, first_type));
}

std::uint32_t PinTable::intern(const Holder& holder) {
  const auto [found, fresh] =
      holder_numbers_.try_emplace(holder, static_cast<std::uint32_t>(holders_.size()));
  if (fresh) holders_.push_back(holder);
  return found->second;
}

std::uint32_t PinTable::set_of(const std::vector<std::uint32_t>& files) {
  if (files.size() == 1) return single_sets_[files.front()];
  const auto [found, fresh] =
      set_numbers_.try_emplace(files, static_cast<std::uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(files);
  return found->second;
}

FileShare& PinTable::share(std::uint32_t file, std::uint32_t holder) {
  std::vector<FileShare>& shares = shares_[file];
  // Neighbours on disk mostly belong to the same queue.
  if (!shares.empty() && shares.back().holder == holder) return shares.back();
  const auto [found, fresh] =
      share_numbers_.try_emplace(pair_key(file, holder), static_cast<std::uint32_t>(shares.size()));
  if (fresh) shares.push_back({.holder = holder});
  return shares[found->second];
}

}  // namespace saranga::store
