#include "tools/print/core_json.h"

#include <algorithm>

#include "saranga/bytes/base64.h"
#include "saranga/message/compressed_body.h"
#include "tools/print/amqp_json.h"
#include "tools/print/java_text.h"
#include "tools/print/property_map.h"

namespace saranga::print {
namespace {

using message::CoreMessage;
using message::CoreType;
using message::PropertyType;
using message::PropertyValue;

// A compressed body is inflated for showing up to this size; a longer one stays as it is stored.
constexpr std::size_t kInflateLimitBytes = std::size_t{64} << 20;

void write_char(cli::JsonWriter& json, std::int64_t unit) {
  std::byte encoded[2];
  store_be(encoded, static_cast<std::uint16_t>(unit));
  json.field("value", Text(encoded, TextEncoding::kUtf16Be));
}

// A NaN has many bit patterns; the one that is not Java's own is kept.
void write_real(cli::JsonWriter& json, const PropertyValue& value) {
  if (value.type == PropertyType::kFloat) {
    json.field("value", value.as_float());
  } else {
    json.field("value", value.as_double());
  }
  if (value.type == PropertyType::kFloat ? value.as_float() == value.as_float()
                                         : value.as_double() == value.as_double()) {
    return;
  }
  json.field("bits", static_cast<std::uint64_t>(value.number));
}

void write_value(cli::JsonWriter& json, const PropertyValue& value) {
  json.begin_object();
  json.field("type", message::property_type_name(value.type));
  switch (value.type) {
    case PropertyType::kNull: json.null_field("value"); break;
    case PropertyType::kBoolean: json.field("value", value.number != 0); break;
    case PropertyType::kFloat:
    case PropertyType::kDouble: write_real(json, value); break;
    case PropertyType::kBytes: json.base64_field("value_b64", value.bytes); break;
    case PropertyType::kString:
      json.field("value", value.text);
      if (!value.text.well_formed()) json.base64_field("value_b64", value.text.raw());
      break;
    case PropertyType::kChar: write_char(json, value.number); break;
    default: json.field("value", value.number); break;
  }
  json.end_object();
}

// STREAM bodies: typed values, strings in another form than in maps (docs/format/messages.md).
void write_stream(cli::JsonWriter& json, Cursor& cursor) {
  json.key("stream");
  json.begin_array();
  while (cursor.ok() && !cursor.at_end()) {
    const auto type = static_cast<PropertyType>(cursor.u8());
    PropertyValue value{.type = type};
    if (type == PropertyType::kString) {
      const auto text = cursor.nullable_string();
      if (text) {
        value.text = *text;
      } else {
        value.type = PropertyType::kNull;
      }
    } else {
      value = message::read_property_value(cursor, type);
    }
    if (cursor.ok()) write_value(json, value);
  }
  json.end_array();
}

void write_typed_body(cli::JsonWriter& json, CoreType type, Bytes body) {
  Cursor cursor(body);
  switch (type) {
    case CoreType::kText: {
      const auto text = cursor.nullable_simple_string();
      if (cursor.ok()) json.field("text", text);
      if (text && !text->well_formed()) cursor.fail("ends in half a character");
      break;
    }
    case CoreType::kMap: {
      const auto map = message::TypedProperties::read(cursor);
      json.key("map");
      if (!write_properties_json(json, map))
        cursor.fail("has a key twice, or half a character in one");
      break;
    }
    case CoreType::kStream: write_stream(json, cursor); break;
    case CoreType::kObject: {
      // A null object has no bytes at all.
      if (cursor.at_end()) return json.null_field("object_b64");
      const Bytes object = cursor.sized_bytes();
      if (cursor.ok()) json.base64_field("object_b64", object);
      break;
    }
    default: json.base64_field("data_b64", body); return;
  }
  if (cursor.ok() && cursor.at_end()) return;
  // Not what the type promises: the bytes tell the rest.
  if (!cursor.ok()) json.field("problem", cursor.problem());
  json.base64_field("data_b64", body);
}

bool same_text(const std::optional<Text>& a, const std::optional<Text>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::ranges::equal(a->raw(), b->raw());
}

bool is_compressed(const CoreMessage& message) {
  const auto flag = message.headers.properties.find("_AMQ_LARGE_COMPRESSED");
  return flag && flag->type == PropertyType::kBoolean && flag->number != 0;
}

void write_bytes(cli::JsonWriter& json, Bytes bytes, BodyDetail detail) {
  if (detail == BodyDetail::kFull) json.base64_field("data_b64", bytes);
  if (detail != BodyDetail::kHex) return;
  TextBuffer hex;
  append_hex(hex, bytes);
  json.field("data_hex", hex.view());
}

void write_detailed(cli::JsonWriter& json, CoreType type, Bytes body, BodyDetail detail) {
  const bool typed =
      detail == BodyDetail::kFull || (detail == BodyDetail::kText && type == CoreType::kText);
  if (typed) return write_typed_body(json, type, body);
  write_bytes(json, body, detail);
}

}  // namespace

void write_core_body_json(cli::JsonWriter& json, const CoreMessage& message, BodyDetail detail) {
  json.key("body");
  json.begin_object();
  json.field("kind", message::core_type_name(message.headers.type));
  if (!is_compressed(message)) {
    write_detailed(json, message.headers.type, message.body, detail);
    return json.end_object();
  }
  json.field("compressed", true);
  const auto inflated = message::inflate_body(message.body, kInflateLimitBytes);
  if (inflated) {
    json.field("inflated_bytes", static_cast<std::uint64_t>(inflated->size()));
    write_detailed(json, message.headers.type, *inflated, detail);
  } else {
    json.field("problem", inflated.error().text);
    write_bytes(json, message.body, detail);
  }
  json.end_object();
}

bool write_properties_json(cli::JsonWriter& json, const message::TypedProperties& properties) {
  const auto unique = unique_properties(properties);
  bool whole = unique.size() == properties.count();
  json.begin_object();
  for (const message::Property& property : unique) {
    whole = whole && property.key.well_formed();
    json.key(property.key);
    write_value(json, property.value);
  }
  json.end_object();
  return whole;
}

void write_body_piece_json(cli::JsonWriter& json, Bytes piece, BodyDetail detail) {
  json.key("body");
  json.begin_object();
  json.field("body_bytes", static_cast<std::uint64_t>(piece.size()));
  write_bytes(json, piece, detail);
  json.end_object();
}

void write_core_json(cli::JsonWriter& json, const CoreMessage& message, bool large,
                     BodyDetail detail) {
  const message::CoreHeaders& headers = message.headers;
  json.field("protocol", "core");
  json.field("message_type", message::core_type_name(headers.type));
  if (message::core_type_name(headers.type) == "unknown") {
    json.field("message_type_number", static_cast<unsigned>(headers.type));
  }
  if (message.old_layout) json.field("old_layout", true);
  json.field("durable", headers.durable);
  json.field("priority", static_cast<std::int64_t>(static_cast<std::int8_t>(headers.priority)));
  json.field("timestamp_ms", headers.timestamp_ms);
  json.field("expiration_ms", headers.expiration_ms);
  if (headers.user_id.empty()) {
    json.null_field("user_id");
  } else {
    TextBuffer uuid;
    append_uuid(uuid, headers.user_id);
    json.field("user_id", uuid.view());
  }
  json.field("large", large);
  if (headers.id != message.id) json.field("inner_id", headers.id);
  if (!same_text(headers.address, message.address)) json.field("inner_address", headers.address);
  if (!large) json.field("body_bytes", static_cast<std::uint64_t>(message.body.size()));
  json.field("encoded_bytes", static_cast<std::uint64_t>(message.buffer.size()));
  json.key("properties");
  if (!write_properties_json(json, headers.properties)) {
    json.base64_field("properties_b64", headers.properties.entries());
  }
  if (detail != BodyDetail::kNone && !large) write_core_body_json(json, message, detail);
}

void write_message_json(cli::JsonWriter& json, const message::StoredMessage& message, bool large,
                        BodyDetail detail) {
  json.key("message");
  json.begin_object();
  json.field("id", message.id());
  json.field("address", message.address());
  if (message.amqp) write_amqp_json(json, *message.amqp, detail);
  if (message.core) write_core_json(json, *message.core, large, detail);
  json.end_object();
}

}  // namespace saranga::print
