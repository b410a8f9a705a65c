#include "saranga/store/whole_messages.h"

#include <algorithm>
#include <vector>

#include "libstore/journal_message.h"
#include "libstore/paged_messages.h"
#include "libstore/prepared_index.h"

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
  MessageOnQueue on{.queue_id = reference.queue, .scheduled_ms = entry.facts.scheduled_ms};
  on.state = message_state(Reference::State::kPending, on.scheduled_ms, store_.now_ms());
  if (reference.state != PagedState::kUnbound) on.queue = store_.catalog().queue(on.queue_id);
  switch (reference.state) {
    case PagedState::kPending: break;
    case PagedState::kInDoubtAck:
      on.state = MessageState::kInDoubtAck;
      on.tx_id = prepared_.of_paged(on.queue_id, entry.page->number, entry.entry.number);
      break;
    case PagedState::kUnbound:
    case PagedState::kInDoubtSend:
      on.tx_id = entry.paged.tx_id < 0 ? -1 : prepared_.of_page_transaction(entry.paged.tx_id);
      if (on.tx_id >= 0) on.state = MessageState::kInDoubtSend;
      break;
    case PagedState::kConsumed:
    case PagedState::kUncommitted: return std::nullopt;
  }
  return on;
}

void WholeEntries::entry(const VisitedEntry& entry) {
  queues_.clear();
  for (const PagedReference& reference : entry.references) {
    if (const auto on = place_of(entry, reference)) queues_.push_back(*on);
  }
  if (!queues_.empty()) stopped_ = !visitor_.message(paged_message(entry), queues_);
}

/// The walk over the messages of the journal.
class WholeRecords {
 public:
  WholeRecords(const LoadedStore& store, const PreparedIndex& prepared,
               WholeMessageVisitor& visitor, FindingSink& sink)
      : store_(store), prepared_(prepared), visitor_(visitor), reader_(store, sink) {}

  /// False when the visitor has had enough.
  [[nodiscard]] bool walk();

 private:
  void find_queues(const Message& message, std::int64_t own_schedule_ms);

  const LoadedStore& store_;
  const PreparedIndex& prepared_;
  WholeMessageVisitor& visitor_;
  JournalMessageReader reader_;
  std::vector<MessageOnQueue> queues_;
};

bool WholeRecords::walk() {
  const Model& model = store_.model();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < model.messages().size(); ++i) {
    const Message& message = model.messages()[i];
    if (!message.has(Message::kDead) && message.first_reference != kNone) order.push_back(i);
  }
  const auto id_of = [&](std::uint32_t index) { return model.messages()[index].id; };
  if (!std::ranges::is_sorted(order, {}, id_of)) std::ranges::sort(order, {}, id_of);
  for (const std::uint32_t index : order) {
    const Message& message = model.messages()[index];
    if (!visitor_.wants_message(message)) continue;
    const auto live = reader_.read(message);
    if (!live) continue;
    find_queues(message, live->facts.scheduled_ms);
    if (!queues_.empty() && !visitor_.message(*live, queues_)) return false;
  }
  return true;
}

void WholeRecords::find_queues(const Message& message, std::int64_t own_schedule_ms) {
  const Model& model = store_.model();
  queues_.clear();
  std::uint32_t at = message.first_reference;
  for (; at != kNone; at = model.references()[at].next) {
    const Reference& reference = model.references()[at];
    if (reference.state == Reference::State::kDead) continue;
    const ReferenceExtra extra = model.extra(at);
    MessageOnQueue on{.queue_id = model.queue_ids()[reference.queue]};
    on.queue = store_.catalog().queue(on.queue_id);
    on.delivery_count = extra.delivery_count;
    on.scheduled_ms = extra.scheduled_ms != 0 ? extra.scheduled_ms : own_schedule_ms;
    on.state = message_state(reference.state, on.scheduled_ms, store_.now_ms());
    if (reference.state != Reference::State::kPending) {
      on.tx_id = prepared_.of_reference(message.id, on.queue_id);
    }
    queues_.push_back(on);
  }
  std::ranges::reverse(queues_);  // the lists have the latest first
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

void visit_whole_messages(const LoadedStore& store, WholeMessageVisitor& visitor,
                          FindingSink& sink) {
  const PreparedIndex prepared(store.model());
  if (!WholeRecords(store, prepared, visitor, sink).walk()) return;
  WholeEntries entries(store, prepared, visitor);
  visit_pages(store, {}, entries, sink);
}

}  // namespace saranga::store
