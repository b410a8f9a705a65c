#include "saranga/store/survivor_facts.h"

#include "saranga/bindings/record_ids.h"
#include "saranga/bytes/cursor.h"
#include "saranga/message/record_ids.h"
#include "saranga/message/stored_message.h"

namespace saranga::store {

void SurvivorFacts::add(journal::JournalKind kind, const journal::Record& record) {
  if (kind == journal::JournalKind::kMessages) return add_message_record(record);
  if (kind == journal::JournalKind::kBindings && record.user_type == bindings::kQueueBinding) {
    queues_.insert(record.id);
  }
}

void SurvivorFacts::add_message_record(const journal::Record& record) {
  Cursor cursor(record.body);
  switch (record.user_type) {
    case message::kAddReference:
    case message::kAcknowledgeReference: {
      const std::int64_t queue = cursor.i64();
      if (!cursor.ok()) return;
      const bool is_ack = record.user_type == message::kAcknowledgeReference;
      const auto [entry, fresh] = references_.try_emplace(queue);
      if (fresh) entry->second.first_is_ack = is_ack;
      entry->second.delta += is_ack ? -1 : 1;
      entry->second.references += is_ack ? 0 : 1;
      return;
    }
    case message::kAddLargeMessage:
      ++large_messages_;
      large_bodies_.insert(record.id);
      return;
    case message::kAddMessage: ++messages_; return;
    case message::kAddMessageProtocol:
      ++messages_;
      if (cursor.u8() == static_cast<std::uint8_t>(message::Persister::kAmqpLarge)) {
        large_bodies_.insert(record.id);
      }
      return;
    case message::kPageTransaction: {
      const std::int64_t tx_id = cursor.i64();
      if (cursor.ok() && !record.is_update()) page_transactions_.insert(tx_id);
      return;
    }
    case message::kAcknowledgeCursor:
    case message::kPageComplete: {
      CursorFact fact{.type = record.user_type,
                      .queue = cursor.i64(),
                      .page = cursor.i64(),
                      .message = cursor.i32()};
      if (cursor.ok()) cursor_facts_.push_back(fact);
      return;
    }
    default: return;
  }
}

void SurvivorFacts::merge(const SurvivorFacts& later) {
  messages_ += later.messages_;
  large_messages_ += later.large_messages_;
  for (const auto& [queue, count] : later.references_) {
    const auto [entry, fresh] = references_.try_emplace(queue);
    if (fresh) entry->second.first_is_ack = count.first_is_ack;
    entry->second.delta += count.delta;
    entry->second.references += count.references;
  }
  queues_.insert(later.queues_.begin(), later.queues_.end());
  large_bodies_.insert(later.large_bodies_.begin(), later.large_bodies_.end());
  page_transactions_.insert(later.page_transactions_.begin(), later.page_transactions_.end());
  cursor_facts_.insert(cursor_facts_.end(), later.cursor_facts_.begin(), later.cursor_facts_.end());
}

paging::Cursors SurvivorFacts::cursors() const {
  paging::Cursors cursors;
  for (const CursorFact& fact : cursor_facts_) {
    if (fact.type == message::kPageComplete) {
      cursors.complete(fact.queue, fact.page);
    } else {
      cursors.acknowledge(fact.queue, fact.page, fact.message);
    }
  }
  for (const std::int64_t tx_id : page_transactions_) cursors.commit(tx_id);
  return cursors;
}

}  // namespace saranga::store
