#include "tools/print/amqp_json.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

#include "saranga/bytes/base64.h"
#include "saranga/message/typed_properties.h"
#include "tools/print/amqp_text.h"
#include "tools/print/core_json.h"
#include "tools/print/java_text.h"

namespace saranga::print {
namespace {

using cli::JsonWriter;
using message::amqp::BodyKind;
using message::amqp::Elements;
using message::amqp::Message;
using message::amqp::Section;
using message::amqp::SectionKind;
using message::amqp::Stored;
using message::amqp::Type;
using message::amqp::Value;

constexpr std::uint8_t kDefaultPriority = 4;
constexpr std::uint8_t kHighestPriority = 9;

void write_value(JsonWriter& json, const Value& value, int depth);

void write_hex_field(JsonWriter& json, std::string_view name, Bytes bytes) {
  TextBuffer hex;
  append_hex(hex, bytes);
  json.field(name, hex.view());
}

// Text, and its bytes as well when it is not valid.
void write_text_field(JsonWriter& json, std::string_view name, const Text& text) {
  json.field(name, text);
  if (!text.well_formed()) json.base64_field(std::string(name) + "_b64", text.raw());
}

// A NaN has many bit patterns; they are kept.
template <class T>
void write_real(JsonWriter& json, T number, std::uint64_t bits) {
  json.field("value", number);
  if (number != number) json.field("bits", bits);
}

void write_char(JsonWriter& json, const Value& value) {
  const auto code = static_cast<std::uint32_t>(value.unsigned_number());
  if (code > 0x10FFFF) return json.base64_field("value_b64", value.content());
  TextBuffer text;
  append_code_point(text, code);
  json.field("value", text.view());
}

void write_uuid(JsonWriter& json, Bytes bytes) {
  TextBuffer text;
  append_uuid(text, bytes);
  json.field("value", text.view());
}

void write_problem(JsonWriter& json, const Elements& elements) {
  if (!elements.ok()) json.field("problem", elements.problem());
}

void write_list(JsonWriter& json, const Value& list, int depth) {
  json.key("value");
  json.begin_array();
  Elements elements = list.elements();
  while (const auto element = elements.next()) write_value(json, *element, depth + 1);
  json.end_array();
  write_problem(json, elements);
}

void write_array(JsonWriter& json, const Value& array, int depth) {
  json.field("element_type", type_name(array.element_type()));
  if (array.element_type() == Type::kDescribed) {
    json.base64_field("element_constructor_b64", array.element_constructor());
  }
  if (!array.elements_are_empty()) return write_list(json, array, depth);
  json.field("count", array.count());
  if (const auto element = array.elements().next()) {
    json.key("element");
    write_value(json, *element, depth + 1);
  }
}

void write_entry(JsonWriter& json, const message::amqp::MapEntry& entry, int depth) {
  json.begin_object();
  json.key("key");
  write_value(json, entry.key, depth + 1);
  json.key("value");
  write_value(json, entry.value, depth + 1);
  json.end_object();
}

void write_map(JsonWriter& json, const Value& map, int depth) {
  json.key("value");
  json.begin_array();
  Elements elements = map.elements();
  while (const auto entry = elements.next_entry()) write_entry(json, *entry, depth);
  json.end_array();
  write_problem(json, elements);
}

void write_described(JsonWriter& json, const Value& value, int depth) {
  json.key("descriptor");
  write_value(json, value.descriptor(), depth + 1);
  json.key("value");
  write_value(json, value.described(), depth + 1);
}

bool is_compound(Type type) {
  return type == Type::kList || type == Type::kMap || type == Type::kArray ||
         type == Type::kDescribed;
}

void write_content(JsonWriter& json, const Value& value, int depth) {
  switch (value.type()) {
    case Type::kNull: return json.null_field("value");
    case Type::kBoolean: return json.field("value", value.boolean());
    case Type::kUbyte:
    case Type::kUshort:
    case Type::kUint:
    case Type::kUlong: return json.field("value", value.unsigned_number());
    case Type::kByte:
    case Type::kShort:
    case Type::kInt:
    case Type::kLong: return json.field("value", value.signed_number());
    case Type::kFloat:
      return write_real(json, value.real32(), std::bit_cast<std::uint32_t>(value.real32()));
    case Type::kDouble:
      return write_real(json, value.real64(), std::bit_cast<std::uint64_t>(value.real64()));
    case Type::kDecimal32:
    case Type::kDecimal64:
    case Type::kDecimal128: return write_hex_field(json, "value_hex", value.bytes());
    case Type::kChar: return write_char(json, value);
    case Type::kTimestamp: return json.field("value_ms", value.signed_number());
    case Type::kUuid: return write_uuid(json, value.bytes());
    case Type::kBinary: return json.base64_field("value_b64", value.bytes());
    case Type::kString:
    case Type::kSymbol: return write_text_field(json, "value", value.text());
    case Type::kList: return write_list(json, value, depth);
    case Type::kMap: return write_map(json, value, depth);
    case Type::kArray: return write_array(json, value, depth);
    case Type::kDescribed: return write_described(json, value, depth);
    case Type::kUnknown: return json.base64_field("encoded_b64", as_bytes(value.encoded()));
  }
}

void write_value(JsonWriter& json, const Value& value, int depth) {
  const Type type = value.type();
  json.begin_object();
  json.field("type", type_name(type));
  if (depth >= kMaximumAmqpDepth && is_compound(type)) {
    json.base64_field("encoded_b64", as_bytes(value.encoded()));
  } else {
    write_content(json, value, depth);
  }
  json.end_object();
}

// The type that AMQP asks for in the keys of a section.
Type key_type(SectionKind kind) {
  return kind == SectionKind::kApplicationProperties ? Type::kString : Type::kSymbol;
}

bool is_plain_key(const Value& key, Type expected) {
  return key.type() == expected && key.text().well_formed();
}

// Which entries of a section become members of an object: those with a plain key, of a key that
// occurs more than once the last one, which is the one that a broker takes.
std::vector<bool> members_of(const Section& section) {
  const Type expected = key_type(section.kind);
  std::unordered_map<std::string, std::size_t> last;
  std::vector<bool> member;
  Elements elements = section.value.elements();
  while (const auto entry = elements.next_entry()) {
    member.push_back(is_plain_key(entry->key, expected));
    if (!member.back()) continue;
    const auto [found, fresh] = last.try_emplace(entry->key.text().str(), member.size() - 1);
    if (fresh) continue;
    member[found->second] = false;
    found->second = member.size() - 1;
  }
  return member;
}

void write_section_map(JsonWriter& json, const Section& section) {
  if (!section.present) return;
  const std::vector<bool> member = members_of(section);
  json.key(section_name(section.kind));
  json.begin_object();
  Elements elements = section.value.elements();
  std::size_t at = 0;
  while (const auto entry = elements.next_entry()) {
    if (!member[at++]) continue;
    json.key(entry->key.text());
    write_value(json, entry->value, 0);
  }
  json.end_object();
  const std::string name(section_name(section.kind));
  if (!elements.ok()) json.field(name + "_problem", elements.problem());
  if (std::ranges::find(member, false) == member.end()) return;
  json.key(name + "_other");
  json.begin_array();
  elements = section.value.elements();
  at = 0;
  while (const auto entry = elements.next_entry()) {
    if (!member[at++]) write_entry(json, *entry, 0);
  }
  json.end_array();
}

// A field of the header or the properties, in their order.
struct FieldRow {
  std::string_view name;
  Type type;  // that AMQP asks for; kNull for the ids, which may have several
};

constexpr FieldRow kHeaderRows[] = {
    {"durable", Type::kBoolean},        {"priority", Type::kUbyte},      {"ttl_ms", Type::kUint},
    {"first_acquirer", Type::kBoolean}, {"delivery_count", Type::kUint},
};

constexpr FieldRow kPropertyRows[] = {
    {"message_id", Type::kNull},
    {"user_id", Type::kBinary},
    {"to", Type::kString},
    {"subject", Type::kString},
    {"reply_to", Type::kString},
    {"correlation_id", Type::kNull},
    {"content_type", Type::kSymbol},
    {"content_encoding", Type::kSymbol},
    {"absolute_expiry_time", Type::kTimestamp},
    {"creation_time", Type::kTimestamp},
    {"group_id", Type::kString},
    {"group_sequence", Type::kUint},
    {"reply_to_group_id", Type::kString},
};
static_assert(std::size(kPropertyRows) == message::amqp::kPropertyCount);

void write_field(JsonWriter& json, const FieldRow& row, const Value& value) {
  if (value.is_null()) return;
  if (value.type() != row.type) {
    json.key(row.name);
    return write_value(json, value, 0);
  }
  switch (row.type) {
    case Type::kBoolean: return json.field(row.name, value.boolean());
    case Type::kUbyte:
    case Type::kUint: return json.field(row.name, value.unsigned_number());
    case Type::kBinary: return json.base64_field(std::string(row.name) + "_b64", value.bytes());
    case Type::kTimestamp: return json.field(std::string(row.name) + "_ms", value.signed_number());
    default: return write_text_field(json, row.name, value.text());
  }
}

void write_section_list(JsonWriter& json, const Section& section, std::span<const FieldRow> rows) {
  if (!section.present) return;
  json.key(section_name(section.kind));
  json.begin_object();
  Elements elements = section.value.elements();
  for (const FieldRow& row : rows) {
    const auto value = elements.next();
    if (!value) break;
    write_field(json, row, *value);
  }
  json.end_object();
}

void write_extra_properties(JsonWriter& json, const Stored& stored) {
  if (!stored.has_extra_properties) return;
  Cursor cursor(stored.extra_properties);
  const auto properties = message::TypedProperties::read(cursor);
  json.key("extra_properties");
  const bool whole = write_properties_json(json, properties);
  if (!whole || !cursor.ok()) json.base64_field("extra_properties_b64", stored.extra_properties);
  if (!cursor.ok()) json.field("extra_properties_problem", cursor.problem());
}

void write_file_layout(JsonWriter& json, const Stored& stored) {
  if (!stored.is_large()) return;
  const message::amqp::LargeParts& parts = stored.large;
  json.key("file_layout");
  json.begin_object();
  json.field("header_position", parts.header_position);
  json.field("header_size_bytes", parts.header_size_bytes);
  json.field("delivery_annotations_position", parts.delivery_annotations_position);
  json.field("delivery_annotations_size_bytes", parts.delivery_annotations_size_bytes);
  json.field("message_annotations_position", parts.message_annotations_position);
  json.field("properties_position", parts.properties_position);
  json.field("application_properties_position", parts.application_properties_position);
  json.field("body_position", parts.body_position);
  json.end_object();
  if (stored.reencoded) json.field("reencoded", *stored.reencoded);
}

// What the data sections hold, or the values as encoded, in a row.
std::string body_bytes(const Message& message) {
  std::string bytes;
  message::amqp::BodySections sections = message.body();
  while (const auto section = sections.next()) {
    if (section->kind == SectionKind::kFooter) continue;
    const bool data = section->kind == SectionKind::kData;
    bytes += data ? std::string(as_text(section->value.bytes())) : section->value.encoded();
  }
  return bytes;
}

void write_body_hex(JsonWriter& json, const Message& message) {
  write_hex_field(json, "data_hex", as_bytes(body_bytes(message)));
}

void write_body_text(JsonWriter& json, const Message& message) {
  if (message.body_kind() == BodyKind::kData) {
    const std::string bytes = body_bytes(message);
    const Text text(bytes);
    if (text.well_formed()) json.field("text", text);
    return;
  }
  TextBuffer text;
  message::amqp::BodySections sections = message.body();
  while (const auto section = sections.next()) {
    if (section->kind != SectionKind::kFooter) append_amqp_value(text, section->value);
  }
  json.field("text", text.view());
}

void write_body_sections(JsonWriter& json, const Message& message) {
  json.key("sections");
  json.begin_array();
  message::amqp::BodySections sections = message.body();
  while (const auto section = sections.next()) {
    if (section->kind != SectionKind::kFooter) write_value(json, section->value, 0);
  }
  json.end_array();
}

}  // namespace

void write_amqp_body_json(JsonWriter& json, const Message& message, BodyDetail detail) {
  if (detail == BodyDetail::kNone) return;
  const BodyKind kind = message.body_kind();
  json.key("body");
  json.begin_object();
  json.field("kind", body_kind_name(kind));
  if (kind != BodyKind::kNone && kind != BodyKind::kInFile) {
    json.field("section_count", std::uint64_t{message.body_section_count()});
    if (detail == BodyDetail::kText) write_body_text(json, message);
    if (detail == BodyDetail::kHex) write_body_hex(json, message);
    if (detail == BodyDetail::kFull) write_body_sections(json, message);
  }
  json.end_object();
}

void write_amqp_value_json(JsonWriter& json, const Value& value) { write_value(json, value, 0); }

void write_amqp_json(JsonWriter& json, const Stored& stored, BodyDetail detail) {
  const Message message = Message::of(stored);
  const std::uint8_t priority = message.header().priority.value_or(kDefaultPriority);
  json.field("protocol", "amqp");
  json.field("large", stored.is_large());
  json.field("durable", is_durable(stored, message));
  json.field("priority", unsigned{std::min(priority, kHighestPriority)});
  json.field("message_format", stored.message_format);
  if (stored.expiration_ms) json.field("expiration_ms", *stored.expiration_ms);
  if (!stored.is_large()) {
    json.field("body_bytes", message.body_size_bytes());
    json.field("encoded_bytes", std::uint64_t{message.encoded().size()});
  }
  write_file_layout(json, stored);
  write_extra_properties(json, stored);
  write_section_list(json, message.section(SectionKind::kHeader), kHeaderRows);
  write_section_map(json, message.section(SectionKind::kDeliveryAnnotations));
  write_section_map(json, message.section(SectionKind::kMessageAnnotations));
  write_section_list(json, message.section(SectionKind::kProperties), kPropertyRows);
  write_section_map(json, message.section(SectionKind::kApplicationProperties));
  write_amqp_body_json(json, message, detail);
  write_section_map(json, message.section(SectionKind::kFooter));
  if (message.problem() == nullptr) return;
  json.field("problem", message.problem());
  json.field("problem_offset", std::uint64_t{message.problem_offset()});
}

}  // namespace saranga::print
