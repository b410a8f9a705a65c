#include "tools/print/amqp_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "saranga/bytes/base64.h"
#include "tools/print/core_text.h"
#include "tools/print/java_text.h"

namespace saranga::print {
namespace {

using message::amqp::Elements;
using message::amqp::MapEntry;
using message::amqp::Message;
using message::amqp::Properties;
using message::amqp::Property;
using message::amqp::SectionKind;
using message::amqp::Stored;
using message::amqp::Type;
using message::amqp::Value;

void append_value(TextBuffer& out, const Value& value, int depth);

// Printable ASCII but the backslash as it is, everything else as \x and two digits.
void append_binary(TextBuffer& out, Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (const std::byte byte : bytes) {
    const auto code = static_cast<unsigned>(byte);
    if (code >= 0x20 && code < 0x7F && code != '\\') {
      out.put(static_cast<char>(code));
    } else {
      out.put("\\x");
      out.put(kDigits[code >> 4]);
      out.put(kDigits[code & 15]);
    }
  }
}

// Java decodes symbols as ASCII: every other byte is a replacement character of its own.
void append_symbol(TextBuffer& out, Bytes bytes) {
  for (const std::byte byte : bytes) {
    if (byte < std::byte{0x80}) {
      out.put(static_cast<char>(byte));
    } else {
      append_code_point(out, 0xFFFD);
    }
  }
}

// The codec's decimals have no text of their own: class name, and a hash made of the bits.
void append_decimal(TextBuffer& out, std::string_view bits, Bytes bytes) {
  std::uint32_t hash = 0;
  if (bytes.size() == 4) hash = load_be<std::uint32_t>(bytes.data());
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    const auto half = load_be<std::uint64_t>(bytes.data() + at);
    hash = 31 * hash + static_cast<std::uint32_t>(half ^ (half >> 32));
  }
  out.put("org.apache.qpid.proton.amqp.Decimal");
  out.put(bits);
  out.put('@');
  char* at = out.reserve(8);
  out.commit(static_cast<std::size_t>(std::to_chars(at, at + 8, hash, 16).ptr - at));
}

// The Java class of an array of such elements, as getClass().getName() has it.
std::string_view array_class(Type element) {
  switch (element) {
    case Type::kNull: return "[Ljava.lang.Void;";
    case Type::kBoolean: return "[Z";
    case Type::kByte: return "[B";
    case Type::kShort: return "[S";
    case Type::kInt: return "[I";
    case Type::kLong: return "[J";
    case Type::kFloat: return "[F";
    case Type::kDouble: return "[D";
    case Type::kChar: return "[C";
    case Type::kUbyte: return "[Lorg.apache.qpid.proton.amqp.UnsignedByte;";
    case Type::kUshort: return "[Lorg.apache.qpid.proton.amqp.UnsignedShort;";
    case Type::kUint: return "[Lorg.apache.qpid.proton.amqp.UnsignedInteger;";
    case Type::kUlong: return "[Lorg.apache.qpid.proton.amqp.UnsignedLong;";
    case Type::kDecimal32: return "[Lorg.apache.qpid.proton.amqp.Decimal32;";
    case Type::kDecimal64: return "[Lorg.apache.qpid.proton.amqp.Decimal64;";
    case Type::kDecimal128: return "[Lorg.apache.qpid.proton.amqp.Decimal128;";
    case Type::kBinary: return "[Lorg.apache.qpid.proton.amqp.Binary;";
    case Type::kSymbol: return "[Lorg.apache.qpid.proton.amqp.Symbol;";
    case Type::kString: return "[Ljava.lang.String;";
    case Type::kTimestamp: return "[Ljava.util.Date;";
    case Type::kUuid: return "[Ljava.util.UUID;";
    case Type::kList: return "[Ljava.util.List;";
    case Type::kMap: return "[Ljava.util.Map;";
    case Type::kDescribed:
      return "[Lorg.apache.qpid.proton.codec.DecoderImpl$UnknownDescribedType;";
    default: return "[Ljava.lang.Object;";
  }
}

void append_array(TextBuffer& out, const Value& array) {
  out.put(array_class(array.element_type()));
  out.put("@0");
}

void append_list(TextBuffer& out, const Value& list, int depth) {
  out.put('[');
  Elements elements = list.elements();
  for (bool first = true; const auto element = elements.next(); first = false) {
    if (!first) out.put(", ");
    append_value(out, *element, depth + 1);
  }
  out.put(']');
}

// Java objects have no equality of their own in these types, so such keys never replace each other.
bool has_identity_only(Type type) { return type == Type::kArray || type == Type::kDescribed; }

// What makes keys equal: their type, and the number or the bytes, but not how they are encoded.
struct KeyIdentity {
  Type type = Type::kNull;
  std::uint64_t number = 0;
  std::string_view bytes{};

  bool operator==(const KeyIdentity&) const = default;
};

struct KeyHash {
  std::size_t operator()(const KeyIdentity& key) const {
    return std::hash<std::string_view>{}(key.bytes) ^ std::hash<std::uint64_t>{}(key.number);
  }
};

KeyIdentity identify(const Value& key) {
  const Type type = key.type();
  switch (type) {
    case Type::kBoolean: return {type, key.boolean() ? 1U : 0U};
    case Type::kUint:
    case Type::kUlong: return {type, key.unsigned_number()};
    case Type::kInt:
    case Type::kLong: return {type, static_cast<std::uint64_t>(key.signed_number())};
    case Type::kBinary:
    case Type::kString:
    case Type::kSymbol: return {type, 0, as_text(key.bytes())};
    default: return {type, 0, as_text(key.content())};
  }
}

// Finds the entry that a key of a Java map already has. Few keys are compared with each other, many
// are hashed.
class KeyIndex {
 public:
  // The place of an equal key that was added before; else adds this one with the given place.
  std::optional<std::size_t> find_or_add(const KeyIdentity& key, std::size_t place) {
    if (keys_.size() < kFewKeys) {
      const auto found = std::ranges::find(keys_, key, &std::pair<KeyIdentity, std::size_t>::first);
      if (found != keys_.end()) return found->second;
      keys_.emplace_back(key, place);
      return std::nullopt;
    }
    if (hashed_.empty()) hashed_.insert(keys_.begin(), keys_.end());
    const auto [entry, added] = hashed_.try_emplace(key, place);
    return added ? std::nullopt : std::optional(entry->second);
  }

 private:
  static constexpr std::size_t kFewKeys = 16;
  std::vector<std::pair<KeyIdentity, std::size_t>> keys_;
  std::unordered_map<KeyIdentity, std::size_t, KeyHash> hashed_;
};

// A Java map keeps the place of a key's first entry and the value of its last.
std::vector<MapEntry> java_entries(const Value& map) {
  std::vector<MapEntry> entries;
  KeyIndex index;
  Elements elements = map.elements();
  while (const auto entry = elements.next_entry()) {
    if (!has_identity_only(entry->key.type())) {
      const auto place = index.find_or_add(identify(entry->key), entries.size());
      if (place) {
        entries[*place].value = entry->value;
        continue;
      }
    }
    entries.push_back(*entry);
  }
  return entries;
}

void append_map(TextBuffer& out, const Value& map, int depth) {
  out.put('{');
  bool first = true;
  for (const MapEntry& entry : java_entries(map)) {
    if (!first) out.put(", ");
    first = false;
    append_value(out, entry.key, depth + 1);
    out.put('=');
    append_value(out, entry.value, depth + 1);
  }
  out.put('}');
}

void append_compound(TextBuffer& out, const Value& value, int depth) {
  if (depth >= kMaximumAmqpDepth) return out.put("...");
  if (value.type() == Type::kList) return append_list(out, value, depth);
  append_map(out, value, depth);
}

void append_value(TextBuffer& out, const Value& value, int depth) {
  switch (value.type()) {
    case Type::kNull: return out.put("null");
    case Type::kBoolean: return out.put_boolean(value.boolean());
    case Type::kUbyte:
    case Type::kUshort:
    case Type::kUint:
    case Type::kUlong: return out.put_unsigned(value.unsigned_number());
    case Type::kByte:
    case Type::kShort:
    case Type::kInt:
    case Type::kLong: return out.put_int(value.signed_number());
    case Type::kFloat: return append_java_float(out, value.real32());
    case Type::kDouble: return append_java_double(out, value.real64());
    case Type::kDecimal32: return append_decimal(out, "32", value.bytes());
    case Type::kDecimal64: return append_decimal(out, "64", value.bytes());
    case Type::kDecimal128: return append_decimal(out, "128", value.bytes());
    case Type::kChar:  // the codec cuts it down to one UTF-16 unit
      return append_java_char(out, static_cast<std::uint16_t>(value.unsigned_number()));
    case Type::kTimestamp: return append_java_date(out, value.signed_number());
    case Type::kUuid: return append_uuid(out, value.bytes());
    case Type::kBinary: return append_binary(out, value.bytes());
    case Type::kString: return append_java_string(out, value.text());
    case Type::kSymbol: return append_symbol(out, value.bytes());
    case Type::kList:
    case Type::kMap: return append_compound(out, value, depth);
    case Type::kArray: return append_array(out, value);
    case Type::kDescribed:
      return out.put("org.apache.qpid.proton.codec.DecoderImpl$UnknownDescribedType@0");
    case Type::kUnknown: return append_binary(out, value.bytes());
  }
}

// A section's map; the text of an absent one is that of an empty one.
void append_section_map(TextBuffer& out, const Message& message, SectionKind kind) {
  const Value& map = message.section(kind).value;
  if (map.type() == Type::kMap) return append_map(out, map, 0);
  out.put("{}");
}

struct PropertyText {
  Property property;
  std::string_view name;
  bool quoted;
};

constexpr PropertyText kPropertyTexts[] = {
    {Property::kMessageId, "messageId=", false},
    {Property::kUserId, "userId=", false},
    {Property::kTo, "to=", true},
    {Property::kSubject, "subject=", true},
    {Property::kReplyTo, "replyTo=", true},
    {Property::kCorrelationId, "correlationId=", false},
    {Property::kContentType, "contentType=", false},
    {Property::kContentEncoding, "contentEncoding=", false},
    {Property::kAbsoluteExpiryTime, "absoluteExpiryTime=", false},
    {Property::kCreationTime, "creationTime=", false},
    {Property::kGroupId, "groupId=", true},
    {Property::kGroupSequence, "groupSequence=", false},
    {Property::kReplyToGroupId, "replyToGroupId=", true},
};
static_assert(std::size(kPropertyTexts) == message::amqp::kPropertyCount);

void append_properties(TextBuffer& out, const Message& message) {
  if (!message.section(SectionKind::kProperties).present) return out.put("null");
  const Properties properties = message.properties();
  out.put("Properties{");
  for (const PropertyText& row : kPropertyTexts) {
    if (row.property != Property::kMessageId) out.put(", ");
    out.put(row.name);
    if (row.quoted) out.put('\'');
    append_value(out, properties[row.property], 0);
    if (row.quoted) out.put('\'');
  }
  out.put('}');
}

// An encoded entry of a typed-properties block.
struct ExtraEntry {
  std::string key;  // as encoded, without its size
  std::string encoded;
};

void put_u32(std::string& out, std::uint32_t value) {
  std::byte bytes[4];
  store_be(bytes, value);
  out += as_text(bytes);
}

// Key, type and value of the address property, in the form that a typed-properties block has.
ExtraEntry address_entry(const Text& address) {
  ExtraEntry entry;
  for (const char c : message::amqp::kAddressProperty) {
    entry.key += c;
    entry.key += '\0';
  }
  put_u32(entry.encoded, static_cast<std::uint32_t>(entry.key.size()));
  entry.encoded += entry.key;
  entry.encoded += static_cast<char>(message::PropertyType::kString);
  put_u32(entry.encoded, static_cast<std::uint32_t>(address.raw().size()));
  entry.encoded += as_text(address.raw());
  return entry;
}

std::string one_entry_block(std::string_view entry) {
  std::string block(1, '\1');
  put_u32(block, 1);
  return block.append(entry);
}

// A Java map of extra properties.
class ExtraMap {
 public:
  void put(ExtraEntry entry) {
    const auto [place, added] = places_.try_emplace(entry.key, entries_.size());
    if (added) {
      entries_.push_back(std::move(entry));
    } else {
      entries_[place->second].encoded = std::move(entry.encoded);
    }
  }
  [[nodiscard]] const std::vector<ExtraEntry>& entries() const { return entries_; }

 private:
  std::vector<ExtraEntry> entries_;
  std::unordered_map<std::string, std::size_t> places_;
};

ExtraMap read_extra_map(Bytes block) {
  Cursor cursor(block);
  const auto properties = message::TypedProperties::read(cursor);
  ExtraMap map;
  Cursor at(properties.entries());
  for (std::uint32_t i = 0; i < properties.count(); ++i) {
    const std::size_t from = at.position();
    const Bytes key = at.sized_bytes();
    std::ignore = read_property_value(at, static_cast<message::PropertyType>(at.u8()));
    const Bytes encoded = at.data().subspan(from, at.position() - from);
    map.put({std::string(as_text(key)), std::string(as_text(encoded))});
  }
  return map;
}

// The decoder of large messages copies the map, which makes it larger than one that was only read:
// Java sizes a copy for three quarters of its capacity.
std::size_t copied_capacity(std::size_t size, std::size_t final_size) {
  std::size_t capacity = std::bit_ceil(size * 4 / 3 + 1);
  while (final_size > capacity * 3 / 4) capacity *= 2;
  return capacity;
}

// String.hashCode() of the encoded characters, spread as java.util.HashMap does it.
std::size_t java_bucket(std::string_view key, std::size_t capacity) {
  std::uint32_t hash = 0;
  for (const char c : key) {
    hash = hash * 31 + static_cast<std::uint32_t>(static_cast<std::int8_t>(c));
  }
  return (hash ^ (hash >> 16)) & (capacity - 1);
}

// "TypedProperties[…]" of a large message. Its entries are in an order of their own, so each is
// printed as a block of one entry.
void append_large_extra_properties(TextBuffer& out, const Stored& stored) {
  ExtraMap map = read_extra_map(stored.extra_properties);
  const std::size_t read_size = map.entries().size();
  if (stored.address) map.put(address_entry(*stored.address));
  const std::vector<ExtraEntry>& entries = map.entries();
  const std::size_t capacity = copied_capacity(read_size, entries.size());
  std::vector<std::pair<std::size_t, std::size_t>> order;  // bucket, index
  for (const ExtraEntry& entry : entries) {
    order.emplace_back(java_bucket(entry.key, capacity), order.size());
  }
  std::ranges::sort(order);
  static constexpr std::string_view kOpen = "TypedProperties[";
  out.put(kOpen);
  TextBuffer one;
  for (const auto& [bucket, index] : order) {
    if (!one.empty()) out.put(", ");
    one.clear();
    append_typed_properties(one, as_bytes(one_entry_block(entries[index].encoded)));
    out.put(one.view().substr(kOpen.size(), one.size() - kOpen.size() - 1));
  }
  out.put(']');
}

// The decoders of persisters 2 and 4 put the address of the record into the extra properties.
void append_extra_properties(TextBuffer& out, const Stored& stored) {
  const bool old = stored.persister_id == message::amqp::kPersisterV1;
  if (stored.address && old) {
    return append_typed_properties(
        out, as_bytes(one_entry_block(address_entry(*stored.address).encoded)));
  }
  if (stored.is_large() && (stored.address || stored.has_extra_properties)) {
    return append_large_extra_properties(out, stored);
  }
  if (!stored.has_extra_properties) return out.put("null");
  append_typed_properties(out, stored.extra_properties);
}

// What the broker counts: the encoded message without its delivery annotations, nothing for a
// message that is in a file.
std::uint64_t encode_size(const Message& message) {
  return message.encoded().size() - message.section(SectionKind::kDeliveryAnnotations).size_bytes;
}

}  // namespace

void append_amqp_value(TextBuffer& out, const Value& value) { append_value(out, value, 0); }

bool append_amqp_user_id(TextBuffer& out, const Stored& stored) {
  const Properties properties = Message::of(stored).properties();
  const Value& id = properties[Property::kMessageId];
  if (id.is_null()) return false;
  append_value(out, id, 0);
  return true;
}

void append_amqp_text(TextBuffer& out, const Stored& stored) {
  const Message message = Message::of(stored);
  out.put(stored.is_large() ? "AMQPLargeMessage( [durable=" : "AMQPStandardMessage( [durable=");
  out.put_boolean(is_durable(stored, message));
  out.put(", messageID=");
  out.put_int(stored.message_id);
  out.put(", address=");
  if (const auto address = effective_address(stored, message)) {
    append_java_string(out, *address);
  } else {
    out.put("null");
  }
  out.put(", size=");
  out.put_unsigned(encode_size(message));
  out.put(message.scanned() ? ", scanningStatus=SCANNED" : ", scanningStatus=NOT_SCANNED");
  out.put(", applicationProperties=");
  append_section_map(out, message, SectionKind::kApplicationProperties);
  out.put(", messageAnnotations=");
  append_section_map(out, message, SectionKind::kMessageAnnotations);
  out.put(", properties=");
  append_properties(out, message);
  out.put(", extraProperties = ");
  append_extra_properties(out, stored);
  out.put(']');
}

}  // namespace saranga::print
