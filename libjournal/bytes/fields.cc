#include "saranga/bytes/fields.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "saranga/bytes/base64.h"

namespace saranga {
namespace {

using State = FieldValue::State;

// Reads `count` list elements only to find where the list ends.
template <class ReadOne>
void read_list(Cursor& cursor, FieldValue& value, ReadOne read_one) {
  value.number = cursor.i32();
  if (value.number < 0) cursor.fail("has a negative count");
  const std::size_t from = cursor.position();
  for (std::int64_t i = 0; i < value.number && cursor.ok(); ++i) read_one(cursor);
  if (cursor.ok()) value.bytes = cursor.data().subspan(from, cursor.position() - from);
}

void read_text(FieldValue& value, const std::optional<Text>& text) {
  value.state = text ? State::kPresent : State::kNull;
  if (text) value.text = *text;
}

// Reads the flag of a nullable number; false when the value is null.
bool read_flag(FieldValue& value, Cursor& cursor) {
  const bool present = cursor.boolean();
  value.state = present ? State::kPresent : State::kNull;
  return present;
}

void read_number(FieldType type, FieldValue& value, Cursor& cursor) {
  switch (type) {
    case FieldType::kI8: value.number = cursor.i8(); break;
    case FieldType::kI16: value.number = cursor.i16(); break;
    case FieldType::kI32: value.number = cursor.i32(); break;
    case FieldType::kI64: value.number = cursor.i64(); break;
    case FieldType::kBoolean: value.number = cursor.boolean() ? 1 : 0; break;
    case FieldType::kF64: value.real = cursor.f64(); break;
    case FieldType::kNullableI32:
      if (read_flag(value, cursor)) value.number = cursor.i32();
      break;
    case FieldType::kNullableI64:
      if (read_flag(value, cursor)) value.number = cursor.i64();
      break;
    case FieldType::kNullableF64:
      if (read_flag(value, cursor)) value.real = cursor.f64();
      break;
    case FieldType::kNullableBoolean:
      if (read_flag(value, cursor)) value.number = cursor.boolean() ? 1 : 0;
      break;
    default: break;
  }
}

void read_xid_field(FieldValue& value, Cursor& cursor) {
  const std::size_t from = cursor.position();
  value.number = read_xid(cursor).format_id;
  if (cursor.ok()) value.bytes = cursor.data().subspan(from, cursor.position() - from);
}

void read_ascii(FieldValue& value, Cursor& cursor) {
  value.text = Text(cursor.sized_bytes(), TextEncoding::kUtf8);
  if (value.text.empty()) value.state = State::kNull;
}

void read_field(FieldType type, FieldValue& value, Cursor& cursor) {
  value.state = State::kPresent;
  switch (type) {
    case FieldType::kSimpleString: value.text = cursor.simple_string(); break;
    case FieldType::kNullableSimpleString: read_text(value, cursor.nullable_simple_string()); break;
    case FieldType::kString: value.text = cursor.string(); break;
    case FieldType::kNullableString: read_text(value, cursor.nullable_string()); break;
    case FieldType::kSizedAscii: read_ascii(value, cursor); break;
    case FieldType::kSizedBytes: value.bytes = cursor.sized_bytes(); break;
    case FieldType::kRestBytes: value.bytes = cursor.take(cursor.remaining()); break;
    case FieldType::kXid: read_xid_field(value, cursor); break;
    case FieldType::kI8List:
      value.number = cursor.i32();
      if (value.number < 0) cursor.fail("has a negative count");
      value.bytes = cursor.take(static_cast<std::uint64_t>(value.number));
      break;
    case FieldType::kStringList:
      read_list(cursor, value, [](Cursor& c) { (void)c.string(); });
      break;
    case FieldType::kSimpleStringList:
      read_list(cursor, value, [](Cursor& c) { (void)c.simple_string(); });
      break;
    case FieldType::kNullableStringList:
      read_list(cursor, value, [](Cursor& c) { (void)c.nullable_string(); });
      break;
    case FieldType::kNullableStringPairs:
      read_list(cursor, value, [](Cursor& c) {
        (void)c.nullable_string();
        (void)c.nullable_string();
      });
      break;
    default: read_number(type, value, cursor); break;
  }
}

}  // namespace

bool is_nullable(FieldType type) {
  switch (type) {
    case FieldType::kNullableI32:
    case FieldType::kNullableI64:
    case FieldType::kNullableF64:
    case FieldType::kNullableBoolean:
    case FieldType::kNullableSimpleString:
    case FieldType::kNullableString:
    case FieldType::kSizedAscii: return true;
    default: return false;
  }
}

Xid read_xid(Cursor& cursor) {
  Xid xid;
  xid.format_id = cursor.i32();
  xid.branch_qualifier = cursor.sized_bytes();
  xid.global_id = cursor.sized_bytes();
  return xid;
}

std::string xid_base64(const Xid& xid) {
  std::vector<std::byte> bytes(xid.branch_qualifier.begin(), xid.branch_qualifier.end());
  bytes.insert(bytes.end(), xid.global_id.begin(), xid.global_id.end());
  // Least significant byte first, each as the remainder of a division by 255: so Artemis has it.
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::byte>((xid.format_id >> shift) % 0xFF));
  }
  TextBuffer text;
  append_base64(text, bytes, Base64Alphabet::kUrl);
  return text.str();
}

const FieldValue& FieldValues::get(std::string_view name) const {
  static constexpr FieldValue kAbsent{};
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].name == name) return values_[i];
  }
  return kAbsent;
}

void FieldValues::reset(std::span<const Field> fields) {
  fields_ = fields.first(std::min(fields.size(), kMaximum));
  for (std::size_t i = 0; i < fields_.size(); ++i) std::construct_at(&values_[i]);
}

bool FieldValues::decode(std::span<const Field> fields, Cursor& cursor) {
  reset(fields);
  bool there = true;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    switch (fields_[i].presence) {
      case Presence::kRequired: there = true; break;
      case Presence::kIfBytesRemain: there = !cursor.at_end(); break;
      case Presence::kWithPrevious: break;
      case Presence::kIfPreviousNotNull:
        there = i > 0 && values_[i - 1].state == State::kPresent;
        break;
    }
    if (!there || !cursor.ok()) continue;
    read_field(fields_[i].type, values_[i], cursor);
    if (!cursor.ok()) values_[i].state = State::kAbsent;
  }
  return cursor.ok();
}

std::string_view value_name(const Field& field, std::int64_t value) {
  const auto found = std::ranges::find(field.names, value, &ValueName::value);
  return found == field.names.end() ? std::string_view() : found->name;
}

bool decode_fields(const RecordType& type, bool is_update, Bytes body, DecodedRecord& out) {
  static constexpr Field kRaw[] = {{.name = "data_b64", .type = FieldType::kRestBytes}};
  std::span<const Field> fields = type.fields;
  if (is_update && !type.update_fields.empty()) fields = type.update_fields;
  if (type.form == BodyForm::kRaw) fields = kRaw;
  Cursor cursor(body);
  const bool good = out.values.decode(fields, cursor);
  out.type = &type;
  out.layout = {};
  out.problem = good ? nullptr : cursor.problem();
  out.trailing = body.subspan(cursor.position());
  return good;
}

bool decode_exactly(const RecordType& type, std::span<const Layout> layouts, Bytes body,
                    DecodedRecord& out) {
  out.type = &type;
  out.trailing = {};
  out.problem = nullptr;
  for (const Layout& layout : layouts) {
    Cursor cursor(body);
    out.layout = layout.name;
    if (out.values.decode(layout.fields, cursor) && cursor.at_end()) return true;
  }
  out.layout = {};
  out.problem = "fits none of the known layouts";
  return false;
}

}  // namespace saranga
