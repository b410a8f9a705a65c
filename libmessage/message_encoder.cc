#include "saranga/message/message_encoder.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace saranga::message {
namespace {

constexpr std::size_t kPacketBytes = 13;  // see core_message.cc
constexpr std::size_t kSizeBytes = 4;
constexpr std::uint8_t kGreatestPriority = 9;

void put_core(const CoreMessage& core, Encoder& out) {
  out.i64(core.id).nullable_simple_string(core.address).sized_bytes(core.buffer);
}

void put_value(const PropertyValue& value, Encoder& out) {
  switch (value.type) {
    case PropertyType::kNull: break;
    case PropertyType::kBoolean: out.flag(value.number != 0); break;
    case PropertyType::kByte: out.i8(static_cast<std::int8_t>(value.number)); break;
    case PropertyType::kBytes: out.sized_bytes(value.bytes); break;
    case PropertyType::kShort: out.i16(static_cast<std::int16_t>(value.number)); break;
    case PropertyType::kInt: out.i32(static_cast<std::int32_t>(value.number)); break;
    case PropertyType::kLong:
    case PropertyType::kDouble: out.i64(value.number); break;
    case PropertyType::kFloat: out.u32(static_cast<std::uint32_t>(value.number)); break;
    case PropertyType::kString: out.simple_string(value.text); break;
    case PropertyType::kChar: out.u16(static_cast<std::uint16_t>(value.number)); break;
    default: out.fail("has a property of an unknown type"); break;
  }
}

// docs/format/messages.md#headers-block
void put_headers(const NewCoreMessage& message, Encoder& out) {
  if (message.priority > kGreatestPriority) out.fail("has a priority above 9");
  out.i64(message.id).nullable_simple_string(message.address);
  out.flag(message.user_id.has_value());
  if (message.user_id) out.bytes(*message.user_id);
  out.u8(static_cast<std::uint8_t>(message.type)).flag(message.durable);
  out.i64(message.expiration_ms).i64(message.timestamp_ms).u8(message.priority);
  encode_properties(message.properties, out);
}

bool has_key_twice(std::span<const NewProperty> properties) {
  // Up to so many, looking at each is faster than a table.
  constexpr std::size_t kFew = 16;
  std::vector<std::string> keys;
  keys.reserve(properties.size());
  for (const NewProperty& property : properties) {
    keys.push_back(property.key.str());
    if (properties.size() > kFew) continue;
    if (std::ranges::find(keys, keys.back()) != keys.end() - 1) return true;
  }
  if (properties.size() <= kFew) return false;
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

PropertyValue number_value(PropertyType type, std::int64_t number) {
  return {.type = type, .number = number};
}

}  // namespace

PropertyValue null_value() { return {}; }
PropertyValue boolean_value(bool value) {
  return number_value(PropertyType::kBoolean, value ? 1 : 0);
}
PropertyValue byte_value(std::int8_t value) { return number_value(PropertyType::kByte, value); }
PropertyValue short_value(std::int16_t value) { return number_value(PropertyType::kShort, value); }
PropertyValue int_value(std::int32_t value) { return number_value(PropertyType::kInt, value); }
PropertyValue long_value(std::int64_t value) { return number_value(PropertyType::kLong, value); }
PropertyValue float_value(float value) {
  return number_value(PropertyType::kFloat, std::bit_cast<std::uint32_t>(value));
}
PropertyValue double_value(double value) {
  return number_value(PropertyType::kDouble, std::bit_cast<std::int64_t>(value));
}
PropertyValue char_value(char16_t value) { return number_value(PropertyType::kChar, value); }
PropertyValue string_value(Text value) { return {.type = PropertyType::kString, .text = value}; }
PropertyValue bytes_value(Bytes value) { return {.type = PropertyType::kBytes, .bytes = value}; }

void encode_properties(std::span<const NewProperty> properties, Encoder& out) {
  out.flag(!properties.empty());
  if (properties.empty()) return;
  out.size(properties.size());
  if (has_key_twice(properties)) out.fail("has a property twice");
  for (const NewProperty& property : properties) {
    out.simple_string(property.key).u8(static_cast<std::uint8_t>(property.value.type));
    put_value(property.value, out);
  }
}

void encode_stored_message(const StoredMessage& message, Encoder& out) {
  out.u8(static_cast<std::uint8_t>(message.persister));
  if (message.core) {
    put_core(*message.core, out);
  } else if (message.amqp) {
    encode_stored_amqp(*message.amqp, out);
  } else {
    out.fail("holds no message");
  }
}

Result<std::vector<std::byte>> encode_core_message(const NewCoreMessage& message) {
  // The body may be large, and is copied once.
  Encoder headers;
  put_headers(message, headers);
  Encoder out;
  out.u8(static_cast<std::uint8_t>(Persister::kCore));
  out.i64(message.id).nullable_simple_string(message.address);
  out.reserve(2 * kSizeBytes + message.body.size() + headers.position());
  out.size(kSizeBytes + message.body.size() + headers.position());
  out.size(message.body.size() + kPacketBytes).bytes(message.body).bytes(headers.view());
  if (!headers.ok()) out.fail(headers.problem());
  return out.take();
}

Result<std::vector<std::byte>> encode_large_message(const NewCoreMessage& message) {
  Encoder out;
  put_headers(message, out);
  return out.take();
}

Result<std::vector<std::byte>> encode_text_body(const std::optional<Text>& text) {
  Encoder out;
  out.nullable_simple_string(text);
  return out.take();
}

}  // namespace saranga::message
