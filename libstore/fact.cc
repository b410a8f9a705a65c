#include "saranga/store/fact.h"

#include <algorithm>

#include "saranga/bytes/cursor.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

namespace amqp = message::amqp;

// Times that a client may give as any integer; others mean nothing.
std::int64_t integer_of(const std::optional<message::PropertyValue>& value) {
  using message::PropertyType;
  if (!value) return 0;
  switch (value->type) {
    case PropertyType::kByte:
    case PropertyType::kShort:
    case PropertyType::kInt:
    case PropertyType::kLong: return value->number;
    default: return 0;
  }
}

void read_core(const message::CoreMessage& core, MessageFacts& facts) {
  facts.timestamp_ms = core.headers.timestamp_ms;
  facts.expiration_ms = core.headers.expiration_ms;
  facts.priority = core.headers.priority;
  facts.durable = core.headers.durable;
  facts.body_bytes = static_cast<std::uint32_t>(core.body.size());
  facts.scheduled_ms = integer_of(core.headers.properties.find("_AMQ_SCHED_DELIVERY"));
  if (core.old_layout && facts.scheduled_ms == 0) {
    facts.scheduled_ms = integer_of(core.headers.properties.find("_HQ_SCHED_DELIVERY"));
  }
}

// An integer or a timestamp, as far as it fits.
std::optional<std::int64_t> time_of(const amqp::Value& value) {
  if (value.type() == amqp::Type::kTimestamp) return value.signed_number();
  return value.integer();
}

std::int64_t amqp_schedule(const amqp::Message& message, std::int64_t now_ms) {
  if (const auto time = message.annotation("x-opt-delivery-time")) {
    if (const auto value = time_of(*time)) return *value;
  }
  if (const auto delay = message.annotation("x-opt-delivery-delay")) {
    if (const auto value = delay->integer(); value && *value > 0) return now_ms + *value;
  }
  return 0;
}

void read_amqp(const amqp::Stored& stored, std::int64_t now_ms, MessageFacts& facts) {
  const amqp::Message message = amqp::Message::of(stored);
  const amqp::Header header = message.header();
  const amqp::Properties properties = message.properties();
  facts.amqp = true;
  facts.large = stored.is_large();
  facts.durable = amqp::is_durable(stored, message);
  facts.priority = std::min<std::uint8_t>(header.priority.value_or(4), 9);
  facts.body_bytes = static_cast<std::uint32_t>(message.body_size_bytes());
  if (const auto created = time_of(properties[amqp::Property::kCreationTime])) {
    facts.timestamp_ms = *created;
  }
  facts.scheduled_ms = amqp_schedule(message, now_ms);
  if (stored.expiration_ms) {
    facts.expiration_ms = *stored.expiration_ms;
    return;
  }
  // Records of before 2.17 hold no expiration: a ttl counts from every load anew.
  const auto absolute = time_of(properties[amqp::Property::kAbsoluteExpiryTime]);
  if (absolute && *absolute > 0) {
    facts.expiration_ms = *absolute;
  } else if (header.ttl_ms.value_or(0) != 0) {
    facts.expiration_ms = now_ms + *header.ttl_ms;
  }
}

// Reads the fields behind the record types that are not messages.
void read_small(Cursor& cursor, Fact& fact) {
  switch (fact.user_type) {
    case message::kAddReference:
    case message::kAcknowledgeReference: fact.queue = cursor.i64(); break;
    case message::kDeliveryCount:
      fact.queue = cursor.i64();
      fact.count = cursor.i32();
      break;
    case message::kScheduledDelivery:
      fact.queue = cursor.i64();
      fact.value = cursor.i64();
      break;
    case message::kPageTransaction:
      fact.queue = cursor.i64();
      fact.count = cursor.i32();
      break;
    case message::kAcknowledgeCursor:
    case message::kPageComplete:
      fact.queue = cursor.i64();
      fact.value = cursor.i64();
      fact.count = cursor.i32();
      break;
    case message::kPageCounterValue:
    case message::kPendingCounter:
      fact.queue = cursor.i64();
      fact.value = cursor.i64();
      break;
    case message::kPageCounterIncrement:
      fact.queue = cursor.i64();
      fact.value = cursor.i32();
      break;
    case message::kAddLargeMessagePending: fact.value = cursor.i64(); break;
    default: break;
  }
}

void read_message(Cursor& cursor, Fact& fact, std::int64_t now_ms, DecodedMessage& decoded) {
  decoded.message = read_message_record(cursor, fact.user_type);
  fact.message = message_facts(decoded.message, now_ms);
  if (fact.user_type == message::kAddLargeMessage) fact.message.large = true;
  fact.message.damaged = !cursor.ok();
  decoded.problem = cursor.ok() ? nullptr : cursor.problem();
  decoded.trailing_bytes = cursor.ok() ? cursor.remaining() : 0;
}

}  // namespace

message::StoredMessage read_message_record(Cursor& cursor, std::int8_t user_type) {
  if (user_type == message::kAddMessageProtocol) return message::read_stored_message(cursor);
  message::StoredMessage stored;
  if (user_type == message::kAddLargeMessage) {
    stored.core = message::read_large_message(cursor);
  } else {
    stored.core = message::read_old_message(cursor);
  }
  return stored;
}

bool holds_message(std::int8_t user_type) {
  return user_type == message::kAddMessageProtocol || user_type == message::kAddLargeMessage ||
         user_type == message::kAddMessage;
}

MessageFacts message_facts(const message::StoredMessage& message, std::int64_t now_ms) {
  MessageFacts facts;
  if (message.core) read_core(*message.core, facts);
  if (message.amqp) read_amqp(*message.amqp, now_ms, facts);
  return facts;
}

Fact read_fact(const journal::Record& record, std::size_t file, std::int64_t now_ms,
               DecodedMessage* decoded) {
  Fact fact{.kind = record.kind,
            .user_type = record.user_type,
            .number = record.number,
            .length_bytes = record.length_bytes,
            .id = record.id,
            .tx_id = record.tx_id,
            .place = journal::Place(file, record.offset)};
  Cursor cursor(record.body);
  switch (record.kind) {
    case journal::RecordKind::kEvent: return fact;
    case journal::RecordKind::kAdd:
    case journal::RecordKind::kUpdate:
    case journal::RecordKind::kAddTx:
    case journal::RecordKind::kUpdateTx: break;
    default: return fact;
  }
  if (holds_message(record.user_type)) {
    DecodedMessage own;
    read_message(cursor, fact, now_ms, decoded == nullptr ? own : *decoded);
  } else {
    read_small(cursor, fact);
  }
  fact.damaged = !cursor.ok();
  return fact;
}

}  // namespace saranga::store
