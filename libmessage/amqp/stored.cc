// The fields around a stored AMQP message. All integers are big-endian, a nullable SimpleString is
// a flag byte and, when that is not zero, an i32 byte count and UTF-16LE units.
//
//   persister 2, 3, 5             persister 4 (large)
//   i64  message id               i64  message id
//   i64  message format           u8   durable
//   nullable SimpleString address i64  message format
//   i32  N                        nullable SimpleString address
//   N    encoded message          i32  P, P bytes of extra properties
//   i32  P           3, 5         i32  header position; i32 its size; value header
//   P    extra properties 3, 5    i32  delivery-annotations position; i32 their size
//   i64  expiration  5            i32  message-annotations position; value message annotations
//                                 i32  properties position; value properties
//                                 i32  application-properties position; i32 body position
//                                 value application properties
//                                 i64  expiration, when 8 bytes are left
//                                 u8   reencoded, when a byte is left
//
// See docs/format/amqp.md#standard-messages and docs/format/amqp.md#large-messages.
#include "saranga/message/amqp_message.h"

namespace saranga::message::amqp {
namespace {

void decode_extra_properties(Cursor& cursor, Stored& stored) {
  stored.extra_properties = cursor.sized_bytes();
  // No bytes at all is how the broker writes that there is no object.
  stored.has_extra_properties = !stored.extra_properties.empty();
}

void decode_large(Cursor& cursor, Stored& stored) {
  LargeParts& large = stored.large;
  stored.message_id = cursor.i64();
  stored.large_durable = cursor.boolean();
  stored.message_format = cursor.i64();
  stored.address = cursor.nullable_simple_string();
  decode_extra_properties(cursor, stored);
  large.header_position = cursor.i32();
  large.header_size_bytes = cursor.i32();
  large.header = Value::read(cursor);
  large.delivery_annotations_position = cursor.i32();
  large.delivery_annotations_size_bytes = cursor.i32();
  large.message_annotations_position = cursor.i32();
  large.message_annotations = Value::read(cursor);
  large.properties_position = cursor.i32();
  large.properties = Value::read(cursor);
  large.application_properties_position = cursor.i32();
  large.body_position = cursor.i32();
  large.application_properties = Value::read(cursor);
  if (!cursor.ok()) return;
  if (cursor.remaining() >= sizeof(std::int64_t)) stored.expiration_ms = cursor.i64();
  if (!cursor.at_end()) stored.reencoded = cursor.boolean();
}

}  // namespace

bool decode_stored(Cursor& cursor, Stored& stored) {
  const std::uint8_t persister = stored.persister_id;
  if (persister == kPersisterLarge) {
    decode_large(cursor, stored);
    return cursor.ok();
  }
  if (persister < kPersisterV1 || persister > kPersisterV3) {
    cursor.fail("has a persister id that is not one of AMQP");
    return false;
  }
  stored.message_id = cursor.i64();
  stored.message_format = cursor.i64();
  stored.address = cursor.nullable_simple_string();
  stored.encoded = cursor.sized_bytes();
  if (persister >= kPersisterV2) decode_extra_properties(cursor, stored);
  if (persister == kPersisterV3) stored.expiration_ms = cursor.i64();
  return cursor.ok();
}

}  // namespace saranga::message::amqp
