#include "tools/print/record_json.h"

#include <algorithm>
#include <string>

#include "saranga/bindings/address_settings.h"
#include "saranga/bindings/queue_binding.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/record_types.h"

namespace saranga::print {
namespace {

using cli::JsonWriter;
using State = FieldValue::State;

constexpr std::string_view kHidden = "****";

void write_number(JsonWriter& json, const Field& field, std::int64_t number) {
  const std::string_view name = value_name(field, number);
  if (name.empty()) return json.value(number);
  json.value(name);
}

void write_nullable(JsonWriter& json, const std::optional<Text>& text) {
  if (!text) return json.null();
  json.value(*text);
}

void write_pair(JsonWriter& json, Cursor& cursor) {
  json.begin_object();
  json.key("key");
  write_nullable(json, cursor.nullable_string());
  json.key("value");
  write_nullable(json, cursor.nullable_string());
  json.end_object();
}

void write_list(JsonWriter& json, const Field& field, const FieldValue& list) {
  Cursor cursor(list.bytes);
  json.begin_array();
  for (std::int64_t i = 0; i < list.number; ++i) {
    switch (field.type) {
      case FieldType::kI8List: write_number(json, field, cursor.i8()); break;
      case FieldType::kStringList: json.value(cursor.string()); break;
      case FieldType::kSimpleStringList: json.value(cursor.simple_string()); break;
      case FieldType::kNullableStringList: write_nullable(json, cursor.nullable_string()); break;
      default: write_pair(json, cursor); break;
    }
  }
  json.end_array();
}

// A URL without the values of its parameters that are passwords, "…?keyStorePassword=****&…".
void write_url(JsonWriter& json, const Text& url) {
  static constexpr std::string_view kPassword = "password=";
  std::string shown = url.str();
  std::string lower = shown;
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (std::size_t at = 0; (at = lower.find(kPassword, at)) != std::string::npos;) {
    at += kPassword.size();
    const std::size_t end = std::min(lower.find_first_of("&;,)#", at), lower.size());
    shown.replace(at, end - at, kHidden);
    lower.replace(at, end - at, kHidden);
  }
  json.value(shown);
}

void write_value(JsonWriter& json, const Field& field, const FieldValue& value) {
  if (value.state != State::kPresent) return json.null();
  if (field.privacy == Privacy::kSecret) return json.value(kHidden);
  if (field.privacy == Privacy::kUrl) return write_url(json, value.text);
  switch (field.type) {
    case FieldType::kI8:
    case FieldType::kI16:
    case FieldType::kI32:
    case FieldType::kI64:
    case FieldType::kNullableI32:
    case FieldType::kNullableI64: return write_number(json, field, value.number);
    case FieldType::kF64:
    case FieldType::kNullableF64: return json.value(value.real);
    case FieldType::kBoolean:
    case FieldType::kNullableBoolean: return json.value(value.number != 0);
    case FieldType::kSimpleString:
    case FieldType::kNullableSimpleString:
    case FieldType::kString:
    case FieldType::kNullableString:
    case FieldType::kSizedAscii: return json.value(value.text);
    case FieldType::kSizedBytes:
    case FieldType::kRestBytes: return json.base64(value.bytes);
    case FieldType::kXid: return write_xid_json(json, value.bytes);
    case FieldType::kI8List:
    case FieldType::kStringList:
    case FieldType::kSimpleStringList:
    case FieldType::kNullableStringList:
    case FieldType::kNullableStringPairs: return write_list(json, field, value);
  }
}

// Text that JSON can't hold as it is gets its bytes beside it.
void write_odd_text(JsonWriter& json, const Field& field, const FieldValue& value) {
  if (value.state != State::kPresent || field.privacy != Privacy::kPublic) return;
  if (value.text.well_formed()) return;
  json.base64_field(std::string(field.name) + "_b64", value.text.raw());
}

// Members for the values from index `from` on. What the body ends before has no member; what is
// null in it is null.
void write_members(JsonWriter& json, const FieldValues& values, std::size_t from = 0) {
  for (std::size_t i = from; i < values.size(); ++i) {
    if (values[i].state == State::kAbsent) continue;
    json.key(values.fields()[i].name);
    write_value(json, values.fields()[i], values[i]);
    write_odd_text(json, values.fields()[i], values[i]);
  }
}

// ---- what is more than its fields ---------------------------------------------------------------

void write_binary_settings(JsonWriter& json, FieldValues& values) {
  // A byte of its own says here that a routing type is null: -1.
  for (std::size_t i = 1; i < values.size(); ++i) {
    const bool is_choice = values.fields()[i].type == FieldType::kI8;
    if (is_choice && values[i].number == -1) values.at(i).state = State::kNull;
  }
  json.key("address_match");
  write_value(json, values.fields()[0], values[0]);
  json.key("settings");
  json.begin_object();
  write_members(json, values, 1);
  json.end_object();
}

// The text as it is, and the attributes under the names that binary settings have. Returns why the
// text is no settings, if it isn't.
std::string write_json_settings(JsonWriter& json, const FieldValues& values) {
  write_members(json, values);
  bindings::JsonSettings settings;
  if (!settings.parse(values.get("json").text)) {
    json.null_field("settings");
    return settings.problem();
  }
  json.key("settings");
  json.begin_object();
  write_members(json, settings.values());
  json.end_object();
  if (settings.unknown_keys().empty()) return {};
  json.key("unknown_settings");
  json.begin_array();
  for (const std::string& key : settings.unknown_keys()) json.value(std::string_view(key));
  json.end_array();
  return {};
}

void write_queue_binding(JsonWriter& json, const FieldValues& values) {
  write_members(json, values);
  json.field("user", bindings::queue_user(values.get("metadata").text));
}

// ---- records ------------------------------------------------------------------------------------

bool has_secrets(const RecordType& type) {
  return std::ranges::any_of(type.fields,
                             [](const Field& f) { return f.privacy != Privacy::kPublic; });
}

// Bytes under "<name>_b64", or only their number where a password may be among them.
void write_bytes(JsonWriter& json, std::string_view name, Bytes bytes, bool hidden) {
  const std::string key = std::string(name) + (hidden ? "_bytes" : "_b64");
  if (hidden) return json.field(key, static_cast<std::uint64_t>(bytes.size()));
  json.base64_field(key, bytes);
}

constexpr std::int8_t kQueueBinding = 21;
constexpr std::int8_t kJsonSettings = 52;

// Writes the member "body"; returns what is wrong inside of it, if anything.
std::string write_body(JsonWriter& json, DecodedRecord& decoded) {
  const RecordType& type = *decoded.type;
  std::string problem;
  json.key("body");
  json.begin_object();
  if (type.form == BodyForm::kAddressSettings) {
    write_binary_settings(json, decoded.values);
  } else if (type.number == kJsonSettings) {
    problem = write_json_settings(json, decoded.values);
  } else if (type.number == kQueueBinding) {
    write_queue_binding(json, decoded.values);
  } else {
    write_members(json, decoded.values);
  }
  if (!decoded.layout.empty()) json.field("layout", decoded.layout);
  if (!decoded.trailing.empty()) {
    write_bytes(json, "trailing", decoded.trailing, has_secrets(type));
  }
  json.end_object();
  return problem;
}

using Decode = bool (*)(const RecordType&, bool, Bytes, DecodedRecord&);

bool write_record(JsonWriter& json, const RecordType* type, Decode decode,
                  const RecordBody& record) {
  if (type == nullptr) {
    json.null_field("record_name");
    json.base64_field("data_b64", record.body);
    return true;
  }
  json.field("record_name", type->name);
  DecodedRecord decoded;
  if (decode(*type, record.is_update, record.body, decoded)) {
    const std::string problem = write_body(json, decoded);
    if (!problem.empty()) json.field("problem", std::string_view(problem));
    return problem.empty();
  }
  json.field("problem", std::string_view(decoded.problem));
  write_bytes(json, "data", record.body, has_secrets(*type));
  return false;
}

}  // namespace

void write_xid_json(JsonWriter& json, Bytes encoded) {
  Cursor cursor(encoded);
  const Xid xid = read_xid(cursor);
  if (!cursor.ok()) return json.null();
  json.begin_object();
  json.field("format_id", std::int64_t{xid.format_id});
  json.base64_field("branch_qualifier_b64", xid.branch_qualifier);
  json.base64_field("global_id_b64", xid.global_id);
  json.end_object();
}

bool write_message_record_json(JsonWriter& json, const RecordBody& record) {
  return write_record(json, message::find_record_type(record.user_type), message::decode_record,
                      record);
}

bool write_bindings_record_json(JsonWriter& json, const RecordBody& record) {
  return write_record(json, bindings::find_record_type(record.user_type), bindings::decode_record,
                      record);
}

bool write_jms_record_json(JsonWriter& json, const RecordBody& record) {
  return write_record(json, bindings::find_jms_record_type(record.user_type),
                      bindings::decode_record, record);
}

}  // namespace saranga::print
