#include "libstore/paged_messages.h"

namespace saranga::store {
namespace {

/// A message on one of its queues; `queue` is null when the id has no binding.
struct OnQueue {
  std::int64_t id = 0;
  const bindings::Queue* queue = nullptr;
};

LiveMessage live_message(const VisitedEntry& entry, OnQueue on, std::int64_t now_ms) {
  LiveMessage live = paged_message(entry);
  live.queue_id = on.id;
  live.queue = on.queue;
  live.scheduled_ms = entry.facts.scheduled_ms;
  live.state = message_state(Reference::State::kPending, live.scheduled_ms, now_ms);
  return live;
}

// The message of an entry, without what the page says of it (docs/format/paging.md#paged-message).
Bytes encoded_message(const VisitedEntry& entry) {
  constexpr std::size_t kBefore = 9;  // page transaction, kind
  constexpr std::size_t kCount = 4;   // of the queue ids
  const paging::PagedMessage& paged = entry.paged;
  if (paged.message.core && (paged.large == paging::LargeKind::kCore || paged.old_layout)) {
    return paged.message.core->buffer;
  }
  const std::size_t behind = kCount + 8 * paged.queues.size() + entry.trailing_bytes;
  const Bytes payload = entry.entry.payload;
  return payload.subspan(kBefore, payload.size() - kBefore - behind);
}

}  // namespace

LiveMessage paged_message(const VisitedEntry& entry) {
  LiveMessage live{.id = entry.paged.message.id()};
  live.file = entry.label;
  live.offset = entry.entry.offset;
  live.length_bytes = static_cast<std::uint32_t>(entry.entry.payload.size() + paging::kFrameBytes);
  live.paged = true;
  live.page = entry.page->number;
  live.page_index = entry.entry.number;
  live.page_tx_id = entry.paged.tx_id;
  live.core_large = entry.paged.large == paging::LargeKind::kCore;
  live.encoded = encoded_message(entry);
  live.facts = entry.facts;
  live.message = entry.paged.message;
  return live;
}

MessageState message_state(Reference::State state, std::int64_t scheduled_ms, std::int64_t now_ms) {
  if (state == Reference::State::kInDoubtAck) return MessageState::kInDoubtAck;
  if (state == Reference::State::kInDoubtSend) return MessageState::kInDoubtSend;
  return scheduled_ms > now_ms ? MessageState::kScheduled : MessageState::kPending;
}

void PagedMessages::entry(const VisitedEntry& entry) {
  for (const PagedReference& reference : entry.references) {
    if (reference.queue != queue_.id || stopped_) continue;
    LiveMessage live = live_message(entry, {.id = queue_.id, .queue = &queue_}, store_.now_ms());
    switch (reference.state) {
      case PagedState::kPending: break;
      case PagedState::kInDoubtAck:
        live.state = MessageState::kInDoubtAck;
        live.tx_id = prepared_.of_paged(queue_.id, entry.page->number, entry.entry.number);
        break;
      case PagedState::kInDoubtSend:
        live.state = MessageState::kInDoubtSend;
        live.tx_id = prepared_.of_page_transaction(entry.paged.tx_id);
        break;
      case PagedState::kConsumed:
      case PagedState::kUncommitted:
      case PagedState::kUnbound: continue;
    }
    stopped_ = !visitor_.message(live);
  }
}

bool UnboundPagedMessages::wants(std::int64_t queue) {
  const auto [known, fresh] = wanted_.try_emplace(queue, false);
  if (fresh) known->second = visitor_.wants_queue(queue, nullptr);
  return known->second;
}

void UnboundPagedMessages::entry(const VisitedEntry& entry) {
  for (const PagedReference& reference : entry.references) {
    if (reference.state != PagedState::kUnbound || stopped_ || !wants(reference.queue)) continue;
    // An id of this store may still be bound, to a queue of another address.
    LiveMessage live = live_message(entry, {.id = reference.queue}, store_.now_ms());
    if (entry.paged.tx_id >= 0) live.tx_id = prepared_.of_page_transaction(entry.paged.tx_id);
    if (live.tx_id >= 0) live.state = MessageState::kInDoubtSend;
    stopped_ = !visitor_.message(live);
  }
}

}  // namespace saranga::store
