#include "tools/print/core_text.h"

#include <algorithm>
#include <bit>
#include <span>

#include "saranga/bytes/base64.h"
#include "tools/print/java_text.h"
#include "tools/print/property_map.h"

namespace saranga::print {
namespace {

using message::Property;
using message::PropertyType;
using message::PropertyValue;
using message::TypedProperties;

constexpr std::size_t kLongestHex = 150;  // longer texts of bytes are cut in the middle

// SimpleString.hashCode() over the encoded characters, spread as java.util.HashMap does it.
std::uint32_t java_hash(Bytes key) {
  std::uint32_t hash = 0;
  for (const std::byte b : key) {
    hash = hash * 31 +
           static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(b)));
  }
  return hash ^ hash >> 16;
}

// Entries in the order of the buckets of a map that was made for exactly this count.
void sort_as_hash_map(std::span<Property> map, std::uint32_t capacity) {
  std::ranges::stable_sort(
      map, {}, [&](const Property& entry) { return java_hash(entry.key.raw()) & (capacity - 1); });
}

void append_bytes(TextBuffer& out, Bytes bytes) {
  if (bytes.empty()) return out.put("[]");
  if (bytes.size() * 2 + bytes.size() / 2 <= kLongestHex - 2) return append_java_hex(out, bytes);
  TextBuffer hex;
  append_java_hex(hex, bytes);
  const std::string_view text = hex.view();
  if (text.size() < kLongestHex) return out.put(text);
  out.put(text.substr(0, kLongestHex / 2));
  out.put(" ... ");
  out.put(text.substr(text.size() - kLongestHex / 2));
}

// Values that name queues by id are shown as numbers as well.
void append_as_longs(TextBuffer& out, Bytes bytes) {
  out.put(", bytesAsLongs[");
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    out.put_int(load_be<std::int64_t>(bytes.data() + at));
    if (at + 8 < bytes.size()) out.put(", ");
  }
  out.put(']');
}

bool is_route_key(const Text& key) {
  static constexpr std::string_view kRouteTo = "_AMQ_ROUTE_TO";
  const Bytes raw = key.raw();
  return raw.size() >= 2 * kRouteTo.size() &&
         Text(raw.first(2 * kRouteTo.size()), key.encoding()).equals(kRouteTo);
}

void append_value(TextBuffer& out, const Property& entry) {
  const PropertyValue& value = entry.value;
  switch (value.type) {
    case PropertyType::kNull: return out.put("NULL-value");
    case PropertyType::kBoolean: return out.put_boolean(value.number != 0);
    case PropertyType::kFloat: return append_java_float(out, value.as_float());
    case PropertyType::kDouble: return append_java_double(out, value.as_double());
    case PropertyType::kString: return append_java_string(out, value.text);
    case PropertyType::kChar:
      return append_java_char(out, static_cast<std::uint16_t>(value.number));
    case PropertyType::kBytes:
      out.put('[');
      append_bytes(out, value.bytes);
      out.put(']');
      if (is_route_key(entry.key)) append_as_longs(out, value.bytes);
      return;
    default: return out.put_int(value.number);
  }
}

void append_date_or_zero(TextBuffer& out, std::int64_t milliseconds) {
  if (milliseconds == 0) return out.put('0');
  append_java_date(out, milliseconds);
}

void append_user_id(TextBuffer& out, Bytes user_id) {
  if (user_id.empty()) return out.put("null");
  append_uuid(out, user_id);
}

void append_address(TextBuffer& out, const std::optional<Text>& address) {
  if (!address) return out.put("null");
  append_java_string(out, *address);
}

// The two classes print the same headers with different blanks.
struct HeaderStyle {
  std::string_view name;
  std::string_view comma;
};

void append_headers(TextBuffer& out, const message::CoreMessage& message, HeaderStyle style) {
  const message::CoreHeaders& headers = message.headers;
  out.put(style.name);
  out.put("[messageID=");
  out.put_int(message.id);
  out.put(style.comma);
  out.put("durable=");
  out.put_boolean(headers.durable);
  out.put(style.comma);
  out.put("userID=");
  append_user_id(out, headers.user_id);
  out.put(style.comma);
  out.put("priority=");
  out.put_int(static_cast<std::int8_t>(headers.priority));
  out.put(", timestamp=");
  append_date_or_zero(out, headers.timestamp_ms);
  out.put(style.comma);
  out.put("expiration=");
  append_date_or_zero(out, headers.expiration_ms);
  out.put(", durable=");
  out.put_boolean(headers.durable);
  out.put(", address=");
  append_address(out, message.address);
}

}  // namespace

void append_typed_properties(TextBuffer& out, const TypedProperties& properties) {
  out.put("TypedProperties[");
  const std::span<Property> map = unique_properties(properties);
  if (map.size() > 1) sort_as_hash_map(map, std::bit_ceil(properties.count()));
  bool first = true;
  for (const Property& entry : map) {
    if (!first) out.put(", ");
    first = false;
    append_java_string(out, entry.key);
    out.put('=');
    append_value(out, entry);
  }
  out.put(']');
}

void append_typed_properties(TextBuffer& out, Bytes block) {
  Cursor cursor(block);
  append_typed_properties(out, TypedProperties::read(cursor));
}

void append_core_message(TextBuffer& out, const message::CoreMessage& message) {
  append_headers(out, message, {"CoreMessage", ", "});
  out.put(", size=");
  out.put_unsigned(message.buffer.size());
  out.put(", properties=");
  append_typed_properties(out, message.headers.properties);
  out.put("]@0");
}

void append_paged_large_message(TextBuffer& out, const message::CoreMessage& message, bool safe) {
  out.put("NullStorageLargeServerMessage");
  if (safe) {
    out.put("(safe data, size=");
    out.put_unsigned(message.buffer.size());
    return out.put(')');
  }
  out.put("[messageID=");
  out.put_int(message.id);
  out.put(", durable=");
  out.put_boolean(message.headers.durable);
  out.put(", address=");
  append_address(out, message.address);
  out.put(",properties=");
  append_typed_properties(out, message.headers.properties);
  out.put(']');
}

void append_large_message(TextBuffer& out, const message::CoreMessage& message) {
  append_headers(out, message, {"LargeServerMessage", ","});
  out.put(", properties=");
  append_typed_properties(out, message.headers.properties);
  out.put("]@0");
}

}  // namespace saranga::print
