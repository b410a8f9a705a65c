#include "libmessage/selector/work_texts.h"

#include "libmessage/selector/java_number.h"
#include "libmessage/selector/units.h"
#include "saranga/message/selector.h"

namespace saranga::message::selector {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

void append_hex(std::string& out, std::byte byte) {
  out += kHexDigits[static_cast<unsigned>(byte) >> 4];
  out += kHexDigits[static_cast<unsigned>(byte) & 15];
}

}  // namespace

bool WorkTexts::charge(std::size_t bytes) {
  if (bytes > Selector::kMaximumWorkBytes - used_bytes_) return false;
  used_bytes_ += bytes;
  return true;
}

void WorkTexts::append_unit(std::string& out, std::int32_t unit) {
  if (encoding_ == TextEncoding::kUtf16Le) return append_utf16(out, unit);
  append_utf8(out, unit);
}

bool WorkTexts::append(std::string& out, const Text& text) {
  // Twice the size is enough for what another encoding takes.
  const bool same = text.encoding() == encoding_;
  if (!charge(same ? text.raw().size() : 2 * text.raw().size())) return false;
  if (same) {
    out += as_text(text.raw());
    return true;
  }
  UnitReader reader(text);
  if (encoding_ == TextEncoding::kUtf16Le) {
    for (std::int32_t c; (c = reader.next_unit()) != kEndOfText;) append_utf16(out, c);
  } else {
    for (std::int32_t c; (c = reader.next_code_point()) != kEndOfText;) append_utf8(out, c);
  }
  return true;
}

bool WorkTexts::append_ascii(std::string& out, std::string_view ascii) {
  return append(out, Text(ascii));
}

bool WorkTexts::append_spelling(std::string& out, const Value& value) {
  switch (value.kind) {
    case Kind::kBoolean: return append_ascii(out, value.number != 0 ? "true" : "false");
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kInt:
    case Kind::kLong: return append_ascii(out, std::to_string(value.number));
    case Kind::kUnsigned:
      return append_ascii(out, std::to_string(static_cast<std::uint64_t>(value.number)));
    case Kind::kFloat: return append_ascii(out, spell_float(static_cast<float>(value.real)));
    case Kind::kDouble: return append_ascii(out, spell_double(value.real));
    case Kind::kBig: return append_ascii(out, value.flag ? "-" : "") && append(out, value.text);
    case Kind::kChar:
      append_unit(out, static_cast<std::int32_t>(value.number));
      return charge(3);
    case Kind::kText:
    case Kind::kSymbol: return append(out, value.text);
    // Java writes the type and a number that is another one in each run.
    case Kind::kBytes: return append_ascii(out, "[B@0");
    case Kind::kUuid: return append_ascii(out, spell_uuid(value.text.raw()));
    case Kind::kObject:
      if (value.type != amqp::Type::kBinary) return false;
      return append_ascii(out, spell_binary(value.text.raw()));
    // A date would come in the time zone of the broker.
    case Kind::kTimestamp:
    case Kind::kNull: return false;
  }
  return false;
}

std::string spell_uuid(Bytes bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    append_hex(out, bytes[i]);
  }
  return out;
}

std::string spell_binary(Bytes bytes) {
  std::string out;
  for (const std::byte byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if (c >= ' ' && c < 0x7F && c != '\\') {
      out += static_cast<char>(c);
    } else {
      out += "\\x";
      append_hex(out, byte);
    }
  }
  return out;
}

}  // namespace saranga::message::selector
