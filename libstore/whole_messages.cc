#include "saranga/store/whole_messages.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libstore/journal_message.h"
#include "libstore/paged_messages.h"
#include "libstore/prepared_index.h"
#include "saranga/store/segmented.h"

namespace saranga::store {
namespace {

/// Hands on every entry of a page that somebody still waits for.
class WholeEntries final : public PageVisitor {
 public:
  WholeEntries(const LoadedStore& store, const PreparedIndex& prepared,
               WholeMessageVisitor& visitor)
      : store_(store), prepared_(prepared), visitor_(visitor) {}

  void entry(const VisitedEntry& entry) override;
  bool done() override { return stopped_; }

 private:
  [[nodiscard]] std::optional<MessageOnQueue> place_of(const VisitedEntry& entry,
                                                       const PagedReference& reference) const;

  const LoadedStore& store_;
  const PreparedIndex& prepared_;
  WholeMessageVisitor& visitor_;
  std::vector<MessageOnQueue> queues_;
  bool stopped_ = false;
};

std::optional<MessageOnQueue> WholeEntries::place_of(const VisitedEntry& entry,
                                                     const PagedReference& reference) const {
  if (reference.state == PagedState::kConsumed || reference.state == PagedState::kUncommitted) {
    return std::nullopt;
  }
  const PagedPlace place = paged_place(entry, reference, prepared_, store_.now_ms());
  MessageOnQueue on{.queue_id = reference.queue, .state = place.state, .tx_id = place.tx_id};
  on.scheduled_ms = entry.facts.scheduled_ms;
  if (reference.state != PagedState::kUnbound) on.queue = store_.catalog().queue(on.queue_id);
  return on;
}

void WholeEntries::entry(const VisitedEntry& entry) {
  queues_.clear();
  for (const PagedReference& reference : entry.references) {
    if (const auto on = place_of(entry, reference)) queues_.push_back(*on);
  }
  if (!queues_.empty()) stopped_ = !visitor_.message(paged_message(entry), queues_, false);
}

/// The walk over the messages of the journal.
class WholeRecords {
 public:
  WholeRecords(const LoadedStore& store, const PreparedIndex& prepared,
               WholeMessageVisitor& visitor, FindingSink& sink)
      : store_(store), prepared_(prepared), visitor_(visitor), reader_(store, sink) {}

  /// False when the visitor has had enough.
  [[nodiscard]] bool walk_by_id();
  [[nodiscard]] bool walk_by_arrival();

 private:
  [[nodiscard]] const Model& model() const { return store_.model(); }
  [[nodiscard]] MessageOnQueue place_of(std::uint32_t reference) const;
  [[nodiscard]] bool visit(const Message& message, std::span<const std::uint32_t> references);
  [[nodiscard]] bool visit_later(const Message& message, std::uint32_t reference);
  [[nodiscard]] std::span<const std::uint32_t> references_of(const Message& message);
  void link_queues();
  [[nodiscard]] std::span<const std::uint32_t> next_of(const Message& message);

  const LoadedStore& store_;
  const PreparedIndex& prepared_;
  WholeMessageVisitor& visitor_;
  JournalMessageReader reader_;
  std::vector<std::uint32_t> references_;
  std::vector<MessageOnQueue> queues_;
  std::int64_t own_schedule_ms_ = 0;  // of the message that was read last
  bool more_ = false;                 // some of its references wait
  // By arrival: the reference in front on the same queue, and which ones have been visited.
  SegmentedVector<std::uint32_t> in_front_;
  std::vector<bool> visited_;
};

bool WholeRecords::walk_by_id() {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < model().messages().size(); ++i) {
    const Message& message = model().messages()[i];
    if (!message.has(Message::kDead) && message.first_reference != kNone) order.push_back(i);
  }
  const auto id_of = [&](std::uint32_t index) { return model().messages()[index].id; };
  if (!std::ranges::is_sorted(order, {}, id_of)) std::ranges::sort(order, {}, id_of);
  for (const std::uint32_t index : order) {
    const Message& message = model().messages()[index];
    if (!visit(message, references_of(message))) return false;
  }
  return true;
}

// A queue must get its messages in their order. So a message brings along only those of its
// references that nothing unvisited stands in front of; the others follow when it is their turn.
bool WholeRecords::walk_by_arrival() {
  link_queues();
  std::vector<bool> begun(model().messages().size());
  for (std::uint32_t at = 0; at < model().references().size(); ++at) {
    const Reference& reference = model().references()[at];
    if (visited_[at] || reference.state == Reference::State::kDead) continue;
    const Message& message = model().messages()[reference.message];
    if (begun[reference.message]) {
      visited_[at] = true;
      if (!visit_later(message, at)) return false;
      continue;
    }
    begun[reference.message] = true;
    if (!visit(message, next_of(message))) return false;
  }
  return true;
}

void WholeRecords::link_queues() {
  std::vector<std::uint32_t> last(model().queue_ids().size(), kNone);
  visited_.assign(model().references().size(), false);
  for (std::uint32_t at = 0; at < model().references().size(); ++at) {
    const Reference& reference = model().references()[at];
    if (reference.state == Reference::State::kDead) {
      in_front_.push_back(kNone);
      continue;
    }
    in_front_.push_back(std::exchange(last[reference.queue], at));
  }
}

std::span<const std::uint32_t> WholeRecords::next_of(const Message& message) {
  const auto waits = [&](std::uint32_t at) {
    const bool ready = in_front_[at] == kNone || visited_[in_front_[at]];
    if (ready) visited_[at] = true;
    return !ready;
  };
  (void)references_of(message);
  more_ = std::erase_if(references_, waits) != 0;
  return references_;
}

// In the order in which the message came onto its queues; the lists have the latest first.
std::span<const std::uint32_t> WholeRecords::references_of(const Message& message) {
  references_.clear();
  std::uint32_t at = message.first_reference;
  for (; at != kNone; at = model().references()[at].next) {
    if (model().references()[at].state != Reference::State::kDead) references_.push_back(at);
  }
  std::ranges::reverse(references_);
  return references_;
}

bool WholeRecords::visit(const Message& message, std::span<const std::uint32_t> references) {
  if (references.empty() || !visitor_.wants_message(message)) return true;
  const auto live = reader_.read(message);
  if (!live) return true;
  own_schedule_ms_ = live->facts.scheduled_ms;
  queues_.clear();
  for (const std::uint32_t at : references) queues_.push_back(place_of(at));
  return visitor_.message(*live, queues_, more_);
}

// Few messages are split, so reading one again for each further queue costs nothing.
bool WholeRecords::visit_later(const Message& message, std::uint32_t reference) {
  if (!visitor_.wants_message(message)) return true;
  const auto live = reader_.read(message);
  if (!live) return true;
  own_schedule_ms_ = live->facts.scheduled_ms;
  return visitor_.later(*live, place_of(reference));
}

MessageOnQueue WholeRecords::place_of(std::uint32_t at) const {
  const Reference& reference = model().references()[at];
  const ReferenceExtra extra = model().extra(at);
  MessageOnQueue on{.queue_id = model().queue_ids()[reference.queue]};
  on.queue = store_.catalog().queue(on.queue_id);
  on.delivery_count = extra.delivery_count;
  on.set_scheduled_ms = extra.scheduled_ms;
  on.scheduled_ms = extra.scheduled_ms != 0 ? extra.scheduled_ms : own_schedule_ms_;
  on.state = message_state(reference.state, on.scheduled_ms, store_.now_ms());
  if (reference.state != Reference::State::kPending) {
    on.tx_id = prepared_.of_reference(model().messages()[reference.message].id, on.queue_id);
  }
  return on;
}

}  // namespace

LiveMessage on_queue(LiveMessage message, const MessageOnQueue& place) {
  message.queue_id = place.queue_id;
  message.queue = place.queue;
  message.state = place.state;
  message.tx_id = place.tx_id;
  message.delivery_count = place.delivery_count;
  message.scheduled_ms = place.scheduled_ms;
  return message;
}

void visit_whole_messages(const LoadedStore& store, WholeMessageVisitor& visitor, FindingSink& sink,
                          WholeOrder order) {
  const PreparedIndex prepared(store.model());
  WholeRecords records(store, prepared, visitor, sink);
  const bool more = order == WholeOrder::kId ? records.walk_by_id() : records.walk_by_arrival();
  if (!more) return;
  WholeEntries entries(store, prepared, visitor);
  visit_pages(store, {}, entries, sink);
}

}  // namespace saranga::store
