#include "libstore/paged_messages.h"

namespace saranga::store {
namespace {

/// A message on one of its queues; `queue` is null when the id has no binding.
struct OnQueue {
  std::int64_t id = 0;
  const bindings::Queue* queue = nullptr;
};

LiveMessage live_message(const VisitedEntry& entry, OnQueue on, const PagedPlace& place) {
  LiveMessage live = paged_message(entry);
  live.queue_id = on.id;
  live.queue = on.queue;
  live.scheduled_ms = entry.facts.scheduled_ms;
  live.state = place.state;
  live.tx_id = place.tx_id;
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

PagedPlace paged_place(const VisitedEntry& entry, const PagedReference& reference,
                       const PreparedIndex& prepared, std::int64_t now_ms) {
  switch (reference.if_bound) {
    case PagedState::kInDoubtAck:
      return {.state = MessageState::kInDoubtAck,
              .tx_id = prepared.of_paged(reference.queue, entry.page->number, entry.entry.number)};
    case PagedState::kInDoubtSend:
      return {.state = MessageState::kInDoubtSend,
              .tx_id = prepared.of_page_transaction(entry.paged.tx_id)};
    default:
      return {.state = message_state(Reference::State::kPending, entry.facts.scheduled_ms, now_ms)};
  }
}

void PagedMessages::entry(const VisitedEntry& entry) {
  for (const PagedReference& reference : entry.references) {
    saw_unbound_ |= reference.state == PagedState::kUnbound;
    if (reference.queue != queue_.id || stopped_) continue;
    switch (reference.state) {
      case PagedState::kPending:
      case PagedState::kInDoubtAck:
      case PagedState::kInDoubtSend: break;
      case PagedState::kConsumed:
      case PagedState::kUncommitted:
      case PagedState::kUnbound: continue;
    }
    const PagedPlace place = paged_place(entry, reference, prepared_, store_.now_ms());
    stopped_ = !visitor_.message(live_message(entry, {.id = queue_.id, .queue = &queue_}, place));
  }
}

void PagedMessages::end_page(const paging::PageStore& /*page_store*/, const paging::Page& page,
                             const paging::PageScanner& /*scanner*/) {
  if (!saw_unbound_) bound_.insert(&page);
  saw_unbound_ = false;
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
    const PagedPlace place = paged_place(entry, reference, prepared_, store_.now_ms());
    stopped_ = !visitor_.message(live_message(entry, {.id = reference.queue}, place));
  }
}

}  // namespace saranga::store
