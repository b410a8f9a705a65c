#include "saranga/message/record_types.h"

#include <array>

namespace saranga::message {
namespace {

using enum FieldType;
using enum Presence;
using enum RecordEffect;
using Form = BodyForm;

// docs/format/messages.md#record-types has the offsets of the bodies of fixed size.
constexpr Field kPendingLargeMessage[] = {{.name = "message_id", .type = kI64}};

constexpr Field kQueueReference[] = {{.name = "queue_id", .type = kI64}};

constexpr Field kDeliveryCount[] = {
    {.name = "queue_id", .type = kI64},
    {.name = "delivery_count", .type = kI32},
};

constexpr Field kPageTransaction[] = {
    {.name = "page_tx", .type = kI64},
    {.name = "reference_count", .type = kI32},
};

constexpr Field kPageTransactionUpdate[] = {
    {.name = "page_tx", .type = kI64},
    {.name = "acknowledged_count", .type = kI32},
};

constexpr Field kSchedule[] = {
    {.name = "queue_id", .type = kI64},
    {.name = "scheduled_ms", .type = kI64},
};

constexpr Field kDuplicateId[] = {
    {.name = "address", .type = kSimpleString},
    {.name = "duplicate_id_b64", .type = kSizedBytes},
};

constexpr Field kHeuristicCompletion[] = {
    {.name = "xid", .type = kXid},
    {.name = "commit", .type = kBoolean},
};

// Message -1 is a bookmark, not an acknowledgement.
constexpr Field kCursorAcknowledge[] = {
    {.name = "queue_id", .type = kI64},
    {.name = "page_number", .type = kI64},
    {.name = "message_number", .type = kI32},
};

constexpr Field kPageComplete[] = {
    {.name = "queue_id", .type = kI64},
    {.name = "page_number", .type = kI64},
    {.name = "message_count", .type = kI32},
};

constexpr Field kPageCounter[] = {
    {.name = "queue_id", .type = kI64},
    {.name = "value", .type = kI64},
    {.name = "persistent_size_bytes", .type = kI64, .presence = kIfBytesRemain, .absent = "0"},
};

constexpr Field kPageCounterIncrement[] = {
    {.name = "queue_id", .type = kI64},
    {.name = "delta", .type = kI32},
    {.name = "persistent_size_delta_bytes",
     .type = kI64,
     .presence = kIfBytesRemain,
     .absent = "0"},
};

constexpr Field kPendingPageCounter[] = {
    {.name = "queue_id", .type = kI64},
    {.name = "page_number", .type = kI64},
};

// docs/format/messages.md#late-records
constexpr ValueName kAckReasons[] = {{0, "NORMAL"}, {1, "KILLED"}, {2, "EXPIRED"}, {3, "REPLACED"}};

constexpr Field kAckRetry[] = {
    {.name = "record_id", .type = kI64},  {.name = "version", .type = kI8},
    {.name = "queue_id", .type = kI64},   {.name = "node_id", .type = kSizedAscii},
    {.name = "message_id", .type = kI64}, {.name = "reason", .type = kI8, .names = kAckReasons},
};

constexpr Field kMqttPacketId[] = {
    {.name = "record_id", .type = kI64},        {.name = "version", .type = kI8},
    {.name = "client_id", .type = kString},     {.name = "message_id", .type = kI64},
    {.name = "address", .type = kSimpleString}, {.name = "packet_id", .type = kI32},
};

// number, name, since, effect, form, fields, fields of an update
constexpr RecordType kTypes[] = {
    {29, "ADD_LARGE_MESSAGE_PENDING", "1.0", kNone, Form::kFields, kPendingLargeMessage},
    {30, "ADD_LARGE_MESSAGE", "1.0", kMessage, Form::kLargeMessage},
    {31, "ADD_MESSAGE", "1.0", kMessage, Form::kOldMessage},
    {32, "ADD_REF", "1.0", kReference, Form::kFields, kQueueReference},
    {33, "ACKNOWLEDGE_REF", "1.0", kAcknowledge, Form::kFields, kQueueReference},
    {34, "UPDATE_DELIVERY_COUNT", "1.0", kMessageState, Form::kFields, kDeliveryCount},
    {35, "PAGE_TRANSACTION", "1.0", kPaging, Form::kFields, kPageTransaction,
     kPageTransactionUpdate},
    {36, "SET_SCHEDULED_DELIVERY_TIME", "1.0", kMessageState, Form::kFields, kSchedule},
    {37, "DUPLICATE_ID", "1.0", kBookkeeping, Form::kFields, kDuplicateId},
    {38, "HEURISTIC_COMPLETION", "1.0", kBookkeeping, Form::kFields, kHeuristicCompletion},
    {39, "ACKNOWLEDGE_CURSOR", "1.0", kPaging, Form::kFields, kCursorAcknowledge},
    {40, "PAGE_CURSOR_COUNTER_VALUE", "1.0", kPaging, Form::kFields, kPageCounter},
    {41, "PAGE_CURSOR_COUNTER_INC", "1.0", kPaging, Form::kFields, kPageCounterIncrement},
    {42, "PAGE_CURSOR_COMPLETE", "1.0", kPaging, Form::kFields, kPageComplete},
    {43, "PAGE_CURSOR_PENDING_COUNTER", "1.0", kPaging, Form::kFields, kPendingPageCounter},
    {45, "ADD_MESSAGE_PROTOCOL", "2.0.0", kMessage, Form::kMessage},
    {49, "ADD_MESSAGE_BODY", "2.18.0", kNone, Form::kRaw},
    {53, "ACK_RETRY", "2.33.0", kBookkeeping, Form::kFields, kAckRetry},
    {54, "MQTT_PACKET_ID_CORRELATION", "2.56.0", kBookkeeping, Form::kFields, kMqttPacketId},
};

// Row by number, so that a lookup is one load.
constexpr auto kRows = [] {
  std::array<const RecordType*, 128> rows{};
  for (const RecordType& type : kTypes) rows[static_cast<std::size_t>(type.number)] = &type;
  return rows;
}();

}  // namespace

std::span<const RecordType> record_types() { return kTypes; }

const RecordType* find_record_type(std::int8_t number) {
  return number < 0 ? nullptr : kRows[static_cast<std::size_t>(number)];
}

bool decode_record(const RecordType& type, bool is_update, Bytes body, DecodedRecord& out) {
  if (type.form == Form::kFields || type.form == Form::kRaw) {
    return decode_fields(type, is_update, body, out);
  }
  out.type = &type;
  out.values.reset({});
  out.trailing = body;
  out.layout = {};
  out.problem = "holds a message";
  return false;
}

Result<std::vector<std::byte>> encode_record(const DecodedRecord& record) {
  if (record.type == nullptr || record.problem != nullptr) {
    return fail(ErrorCode::kInvalidArgument, "cannot be encoded: it was not decoded");
  }
  return encode_fields(record.values, NumberFlag::kFf, record.trailing);
}

}  // namespace saranga::message
