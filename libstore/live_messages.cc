#include "saranga/store/live_messages.h"

#include <algorithm>
#include <map>

#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

/// The walk over all queues.
class MessagesWalk {
 public:
  MessagesWalk(const LoadedStore& store, MessageVisitor& visitor, FindingSink& sink)
      : store_(store), visitor_(visitor), sink_(sink), fetcher_(store.fetcher()) {}

  void walk();

 private:
  bool walk_references(std::int64_t queue_id, const bindings::Queue* queue,
                       std::span<const std::uint32_t> references);
  bool walk_pages(const bindings::Queue& queue);
  bool visit_reference(std::uint32_t index, std::int64_t queue_id, const bindings::Queue* queue);
  void report_gone(const Message& message);

  const LoadedStore& store_;
  MessageVisitor& visitor_;
  FindingSink& sink_;
  journal::RecordFetcher fetcher_;
};

void MessagesWalk::walk() {
  const Model& model = store_.model();
  const DeliveryOrder order(model);
  std::map<std::int64_t, std::size_t> queues;  // by id, value: index of references or none
  constexpr std::size_t kNoReferences = SIZE_MAX;
  for (const auto& [id, queue] : store_.catalog().queues()) queues.emplace(id, kNoReferences);
  for (std::size_t i = 0; i < model.queue_ids().size(); ++i) queues[model.queue_ids()[i]] = i;
  for (const auto& [id, index] : queues) {
    const bindings::Queue* queue = store_.catalog().queue(id);
    if (!visitor_.wants_queue(id, queue)) continue;
    if (index != kNoReferences && !walk_references(id, queue, order.of(index))) return;
    if (queue != nullptr && !walk_pages(*queue)) return;
  }
}

bool MessagesWalk::walk_references(std::int64_t queue_id, const bindings::Queue* queue,
                                   std::span<const std::uint32_t> references) {
  return std::ranges::all_of(
      references, [&](std::uint32_t index) { return visit_reference(index, queue_id, queue); });
}

MessageState state_of(Reference::State state, std::int64_t scheduled_ms, std::int64_t now_ms) {
  if (state == Reference::State::kInDoubtAck) return MessageState::kInDoubtAck;
  if (state == Reference::State::kInDoubtSend) return MessageState::kInDoubtSend;
  return scheduled_ms > now_ms ? MessageState::kScheduled : MessageState::kPending;
}

bool MessagesWalk::visit_reference(std::uint32_t index, std::int64_t queue_id,
                                   const bindings::Queue* queue) {
  const Model& model = store_.model();
  const Reference& reference = model.references()[index];
  const Message& message = model.messages()[reference.message];
  const auto record = fetcher_.fetch(message.place);
  if (!record || record->id != message.id) {
    report_gone(message);
    return true;
  }
  LiveMessage live{.id = message.id, .queue_id = queue_id, .queue = queue};
  live.file = store_.journal().labels[message.place.file()];
  live.offset = record->offset;
  live.length_bytes = record->length_bytes;
  Cursor cursor(record->body);
  live.core_large = record->user_type == message::kAddLargeMessage;
  if (record->user_type == message::kAddMessageProtocol) {
    live.message = message::read_stored_message(cursor);
  } else if (live.core_large) {
    live.message.core = message::read_large_message(cursor);
  } else {
    live.message.core = message::read_old_message(cursor);
  }
  live.facts = message_facts(live.message, store_.now_ms());
  live.facts.large = live.facts.large || live.core_large;
  live.facts.damaged = !cursor.ok();
  const ReferenceExtra extra = model.extra(index);
  live.delivery_count = extra.delivery_count;
  // A schedule that was recorded for this queue wins over the message's own.
  live.scheduled_ms = extra.scheduled_ms != 0 ? extra.scheduled_ms : live.facts.scheduled_ms;
  live.state = state_of(reference.state, live.scheduled_ms, store_.now_ms());
  return visitor_.message(live);
}

void MessagesWalk::report_gone(const Message& message) {
  sink_.finding({.code = "record-changed-while-reading",
                 .severity = Severity::kWarning,
                 .file = store_.journal().labels[message.place.file()],
                 .offset = message.place.offset(),
                 .id = message.id,
                 .text = "the record is no longer where it was a moment ago; a broker seems to write "
                         "to the store"});
}

/// Turns page entries into messages of one queue.
class PagedMessages final : public PageVisitor {
 public:
  PagedMessages(const LoadedStore& store, const bindings::Queue& queue, MessageVisitor& visitor)
      : store_(store), queue_(queue), visitor_(visitor) {}

  void entry(const VisitedEntry& entry) override {
    if (stopped_) return;
    for (const PagedReference& reference : entry.references) {
      if (reference.queue == queue_.id) visit(entry, reference.state);
    }
  }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  void visit(const VisitedEntry& entry, PagedState state);

  const LoadedStore& store_;
  const bindings::Queue& queue_;
  MessageVisitor& visitor_;
  bool stopped_ = false;
};

void PagedMessages::visit(const VisitedEntry& entry, PagedState state) {
  LiveMessage live{.id = entry.paged.message.id(), .queue_id = queue_.id, .queue = &queue_};
  live.scheduled_ms = entry.facts.scheduled_ms;
  switch (state) {
    case PagedState::kPending:
      live.state = state_of(Reference::State::kPending, live.scheduled_ms, store_.now_ms());
      break;
    case PagedState::kInDoubtAck: live.state = MessageState::kInDoubtAck; break;
    case PagedState::kInDoubtSend: live.state = MessageState::kInDoubtSend; break;
    default: return;
  }
  live.file = entry.label;
  live.offset = entry.entry.offset;
  live.length_bytes =
      static_cast<std::uint32_t>(entry.entry.payload.size() + paging::kFrameBytes);
  live.paged = true;
  live.page = entry.page->number;
  live.page_index = entry.entry.number;
  live.page_tx_id = entry.paged.tx_id;
  live.core_large = entry.paged.large == paging::LargeKind::kCore;
  live.facts = entry.facts;
  live.message = entry.paged.message;
  stopped_ = !visitor_.message(live);
}

bool MessagesWalk::walk_pages(const bindings::Queue& queue) {
  PagedMessages paged(store_, queue, visitor_);
  // Damage of pages is told once, by whoever reads all pages; here it would come once a queue.
  class Silent final : public FindingSink {
   public:
    void finding(Finding /*finding*/) override {}
  } silent;
  visit_pages(store_, queue.address, paged, silent);
  return !paged.stopped();
}

}  // namespace

std::string_view state_name(MessageState state) {
  switch (state) {
    case MessageState::kPending: return "pending";
    case MessageState::kScheduled: return "scheduled";
    case MessageState::kInDoubtAck: return "prepared_ack";
    case MessageState::kInDoubtSend: return "prepared_send";
  }
  return "pending";
}

DeliveryOrder::DeliveryOrder(const Model& model) : begin_(model.queue_ids().size() + 1) {
  const auto& references = model.references();
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (references[i].state != Reference::State::kDead) ++begin_[references[i].queue + 1];
  }
  for (std::size_t q = 1; q < begin_.size(); ++q) begin_[q] += begin_[q - 1];
  order_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (references[i].state == Reference::State::kDead) continue;
    order_[next[references[i].queue]++] = static_cast<std::uint32_t>(i);
  }
  const auto priority = [&](std::uint32_t i) {
    return model.messages()[references[i].message].priority;
  };
  for (std::size_t q = 0; q + 1 < begin_.size(); ++q) {
    std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(begin_[q]),
                     order_.begin() + static_cast<std::ptrdiff_t>(begin_[q + 1]),
                     [&](std::uint32_t a, std::uint32_t b) { return priority(a) > priority(b); });
  }
}

void visit_messages(const LoadedStore& store, MessageVisitor& visitor, FindingSink& sink) {
  MessagesWalk(store, visitor, sink).walk();
}

}  // namespace saranga::store
