// The inverse of stored.cc, which draws the layout.
#include "saranga/message/message_encoder.h"

namespace saranga::message {
namespace {

// A section, or null where the message has none. A value that was never set is null, too.
void put_value(const amqp::Value& value, Encoder& out) {
  static constexpr std::byte kNull[] = {std::byte{0x40}};
  if (value.encoded_size() == 0) {
    out.bytes(kNull);
  } else {
    out.bytes(value.constructor()).bytes(value.content());
  }
}

void put_large(const amqp::Stored& stored, Encoder& out) {
  const amqp::LargeParts& large = stored.large;
  out.i64(stored.message_id).boolean(stored.large_durable).i64(stored.message_format);
  out.nullable_simple_string(stored.address).sized_bytes(stored.extra_properties);
  out.i32(large.header_position).i32(large.header_size_bytes);
  put_value(large.header, out);
  out.i32(large.delivery_annotations_position).i32(large.delivery_annotations_size_bytes);
  out.i32(large.message_annotations_position);
  put_value(large.message_annotations, out);
  out.i32(large.properties_position);
  put_value(large.properties, out);
  out.i32(large.application_properties_position).i32(large.body_position);
  put_value(large.application_properties, out);
  if (stored.expiration_ms) out.i64(*stored.expiration_ms);
  if (stored.reencoded) out.boolean(*stored.reencoded);
}

}  // namespace

void encode_stored_amqp(const amqp::Stored& stored, Encoder& out) {
  if (stored.is_large()) return put_large(stored, out);
  out.i64(stored.message_id).i64(stored.message_format);
  out.nullable_simple_string(stored.address).sized_bytes(stored.encoded);
  if (stored.persister_id >= amqp::kPersisterV2) out.sized_bytes(stored.extra_properties);
  if (stored.persister_id == amqp::kPersisterV3) out.i64(stored.expiration_ms.value_or(0));
}

}  // namespace saranga::message
