#include "tools/print/template_text.h"

#include <algorithm>
#include <cstdlib>

#include "tools/print/java_text.h"
#include "tools/print/record_text.h"

namespace saranga::print {
namespace {

void append_record_id(TextBuffer& out, const RecordBody& record, const DecodedRecord&) {
  out.put_int(record.id);
}

// A mistake in a template is one of ours, not of the input: nothing sensible can be printed.
void require(bool right) {
  if (!right) std::abort();
}

void append_number(TextBuffer& out, const Field& field, std::int64_t number,
                   std::string_view fallback) {
  if (field.names.empty()) return out.put_int(number);
  const std::string_view name = value_name(field, number);
  out.put(name.empty() ? fallback : name);
}

}  // namespace

void append_java_value(TextBuffer& out, const Field& field, const FieldValue& value,
                       std::string_view fallback) {
  if (value.state != FieldValue::State::kPresent) return out.put(fallback);
  switch (field.type) {
    case FieldType::kI8:
    case FieldType::kI16:
    case FieldType::kI32:
    case FieldType::kI64:
    case FieldType::kNullableI32:
    case FieldType::kNullableI64: return append_number(out, field, value.number, fallback);
    case FieldType::kBoolean:
    case FieldType::kNullableBoolean: return out.put_boolean(value.number != 0);
    case FieldType::kF64:
    case FieldType::kNullableF64: return append_java_double(out, value.real);
    case FieldType::kSimpleString:
    case FieldType::kNullableSimpleString:
    case FieldType::kString:
    case FieldType::kNullableString:
    case FieldType::kSizedAscii: return append_java_string(out, value.text);
    case FieldType::kSizedBytes:
    case FieldType::kRestBytes: return append_java_hex(out, value.bytes);
    case FieldType::kXid: {
      Cursor cursor(value.bytes);
      return append_xid_text(out, read_xid(cursor));
    }
    default: return out.put(fallback);
  }
}

TextTemplate::TextTemplate(std::string_view source, std::span<const Field> fields,
                           std::span<const SpecialPlace> special) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] != '{' && source[at] != '}') continue;
    if (at + 1 < source.size() && source[at + 1] == source[at]) {
      pieces_.push_back({.literal = source.substr(from, at + 1 - from)});
      from = ++at + 1;
      continue;
    }
    const std::size_t end = source.find('}', at);
    require(source[at] == '{' && end != std::string_view::npos);
    pieces_.push_back({.literal = source.substr(from, at - from)});
    add_place(source.substr(at + 1, end - at - 1), fields, special);
    at = end;
    from = end + 1;
  }
  if (from < source.size()) pieces_.push_back({.literal = source.substr(from)});
}

void TextTemplate::add_place(std::string_view place, std::span<const Field> fields,
                             std::span<const SpecialPlace> special) {
  Piece& piece = pieces_.back();
  const std::size_t mark = place.find('?');
  piece.fallback = mark == std::string_view::npos ? "null" : place.substr(mark + 1);
  place = place.substr(0, mark);
  if (place == "@id") {
    piece.special = append_record_id;
  } else if (place.starts_with('@')) {
    const auto found = std::ranges::find(special, place.substr(1), &SpecialPlace::name);
    require(found != special.end());
    piece.special = found->append;
  } else {
    const auto found = std::ranges::find(fields, place, &Field::name);
    require(found != fields.end());
    piece.field = static_cast<std::uint16_t>(found - fields.begin());
  }
}

void TextTemplate::append(TextBuffer& out, const RecordBody& record,
                          const DecodedRecord& decoded) const {
  const std::span<const Field> fields = decoded.values.fields();
  for (const Piece& piece : pieces_) {
    out.put(piece.literal);
    if (piece.field != kNoField) {
      append_java_value(out, fields[piece.field], decoded.values[piece.field], piece.fallback);
    } else if (piece.special != nullptr) {
      piece.special(out, record, decoded);
    }
  }
}

}  // namespace saranga::print
