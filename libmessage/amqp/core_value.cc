#include "libmessage/amqp/core_value.h"

#include <cstdint>
#include <limits>

#include "saranga/bytes/base64.h"
#include "saranga/message/message_encoder.h"

namespace saranga::message::amqp {
namespace {

constexpr std::size_t kUuidBytes = 16;
constexpr std::uint64_t kLastBmpCharacter = 0xFFFF;

template <class T>
bool fits(std::uint64_t number) {
  return number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
}

CoreValue unsigned_value(Type type, std::uint64_t number) {
  if (type == Type::kUbyte && fits<std::int8_t>(number)) {
    return {byte_value(static_cast<std::int8_t>(number))};
  }
  if ((type == Type::kUbyte || type == Type::kUshort) && fits<std::int16_t>(number)) {
    return {short_value(static_cast<std::int16_t>(number))};
  }
  if (type != Type::kUlong && fits<std::int32_t>(number)) {
    return {int_value(static_cast<std::int32_t>(number))};
  }
  return {long_value(static_cast<std::int64_t>(number)), !fits<std::int64_t>(number)};
}

CoreValue char_or_text(const Value& value, std::deque<std::string>& texts) {
  const std::uint64_t code = value.unsigned_number();
  if (code <= kLastBmpCharacter) return {char_value(static_cast<char16_t>(code))};
  TextBuffer text;
  append_code_point(text, static_cast<std::uint32_t>(code));
  return {string_value(Text(texts.emplace_back(text.str()))), true};
}

}  // namespace

std::string uuid_text(Bytes bytes) {
  TextBuffer out;
  append_uuid(out, bytes);
  return out.str();
}

std::optional<CoreValue> core_value(const Value& value, std::deque<std::string>& texts) {
  switch (value.type()) {
    case Type::kNull: return CoreValue{null_value()};
    case Type::kBoolean: return CoreValue{boolean_value(value.boolean())};
    case Type::kByte: return CoreValue{byte_value(static_cast<std::int8_t>(value.signed_number()))};
    case Type::kShort:
      return CoreValue{short_value(static_cast<std::int16_t>(value.signed_number()))};
    case Type::kInt: return CoreValue{int_value(static_cast<std::int32_t>(value.signed_number()))};
    case Type::kLong: return CoreValue{long_value(value.signed_number())};
    case Type::kUbyte:
    case Type::kUshort:
    case Type::kUint:
    case Type::kUlong: return unsigned_value(value.type(), value.unsigned_number());
    case Type::kFloat: return CoreValue{float_value(value.real32())};
    case Type::kDouble: return CoreValue{double_value(value.real64())};
    case Type::kChar: return char_or_text(value, texts);
    case Type::kTimestamp: return CoreValue{long_value(value.signed_number()), true};
    case Type::kUuid:
      if (value.bytes().size() != kUuidBytes) return std::nullopt;
      return CoreValue{string_value(Text(texts.emplace_back(uuid_text(value.bytes())))), true};
    case Type::kBinary: return CoreValue{bytes_value(value.bytes())};
    case Type::kString:
    case Type::kSymbol: return CoreValue{string_value(value.text())};
    default: return std::nullopt;
  }
}

}  // namespace saranga::message::amqp
