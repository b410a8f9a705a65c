#include "libmessage/amqp/core_body.h"

#include <deque>
#include <set>
#include <string>
#include <utility>

#include "libmessage/amqp/content_type.h"
#include "libmessage/amqp/core_value.h"
#include "saranga/message/message_encoder.h"

namespace saranga::message::amqp {
namespace {

std::vector<std::byte> taken(Encoder& out) {
  auto bytes = out.take();
  return bytes ? std::move(*bytes) : std::vector<std::byte>{};
}

CoreBody text_body(const std::optional<Text>& text) {
  Encoder out;
  out.nullable_simple_string(text);
  return {.type = CoreType::kText, .bytes = taken(out)};
}

CoreBody object_body(Bytes serialized) {
  Encoder out;
  out.sized_bytes(serialized);
  return {.type = CoreType::kObject, .bytes = taken(out)};
}

CoreBody bytes_body(Bytes bytes) {
  return {.type = CoreType::kBytes, .bytes = {bytes.begin(), bytes.end()}};
}

// The body sections as they are encoded.
CoreBody amqp_body(const Message& message) {
  CoreBody body = bytes_body(message.encoded().subspan(message.body_offset()));
  body.kept_as_amqp = true;
  return body;
}

CoreBody no_body(std::string_view content_type) {
  if (content_type == kJavaObject) return object_body({});
  if (content_type.empty() || content_type == kOctetStream) return bytes_body({});
  if (text_kind(content_type) != TextKind::kNone) return text_body(std::nullopt);
  return {.type = CoreType::kDefault};
}

CoreBody data_body(const Message& message, std::string_view content_type) {
  std::vector<std::byte> data;
  BodySections sections = message.body();
  while (const auto section = sections.next()) {
    if (section->kind != SectionKind::kData) continue;
    const Bytes piece = section->value.bytes();
    data.insert(data.end(), piece.begin(), piece.end());
  }
  if (content_type == kJavaObject) return object_body(data);
  if (content_type != kOctetStream && text_kind(content_type) == TextKind::kUtf8) {
    const Text text(as_text(data));
    if (text.well_formed()) return text_body(text);
  }
  return bytes_body(data);
}

/// Adds values behind each other, as a stream body has them.
class StreamBody {
 public:
  /// False when Core has nothing for the value.
  [[nodiscard]] bool add(const Value& value) {
    const auto known = core_value(value, texts_);
    if (!known) return false;
    inexact_ = inexact_ || known->inexact;
    put(known->value);
    return true;
  }
  [[nodiscard]] bool add_all(const Value& list) {
    Elements elements = list.elements();
    while (const auto element = elements.next()) {
      if (!add(*element)) return false;
    }
    return elements.ok();
  }
  [[nodiscard]] CoreBody take() {
    return {.type = CoreType::kStream, .bytes = taken(out_), .inexact = inexact_};
  }

 private:
  void put(const PropertyValue& value);

  Encoder out_;
  std::deque<std::string> texts_;
  bool inexact_ = false;
};

void StreamBody::put(const PropertyValue& value) {
  if (value.type == PropertyType::kNull) {
    out_.u8(static_cast<std::uint8_t>(PropertyType::kString)).nullable_string(std::nullopt);
    return;
  }
  out_.u8(static_cast<std::uint8_t>(value.type));
  switch (value.type) {
    case PropertyType::kBoolean: out_.boolean(value.number != 0); break;
    case PropertyType::kByte: out_.i8(static_cast<std::int8_t>(value.number)); break;
    case PropertyType::kShort:
    case PropertyType::kChar: out_.i16(static_cast<std::int16_t>(value.number)); break;
    case PropertyType::kInt:
    case PropertyType::kFloat: out_.i32(static_cast<std::int32_t>(value.number)); break;
    case PropertyType::kLong:
    case PropertyType::kDouble: out_.i64(value.number); break;
    case PropertyType::kBytes: out_.sized_bytes(value.bytes); break;
    default: out_.nullable_string(value.text);
  }
}

std::optional<CoreBody> sequence_body(const Message& message) {
  StreamBody stream;
  BodySections sections = message.body();
  while (const auto section = sections.next()) {
    if (section->kind == SectionKind::kSequence && !stream.add_all(section->value)) {
      return std::nullopt;
    }
  }
  return stream.take();
}

std::optional<CoreBody> list_body(const Value& list) {
  StreamBody stream;
  if (!stream.add_all(list)) return std::nullopt;
  return stream.take();
}

std::optional<CoreBody> map_body(const Value& map) {
  std::deque<std::string> texts;
  std::vector<NewProperty> entries;
  std::set<std::string> keys;
  bool inexact = false;
  Elements elements = map.elements();
  while (const auto entry = elements.next_entry()) {
    const auto value = core_value(entry->value, texts);
    if (!value || entry->key.type() != Type::kString) return std::nullopt;
    if (!keys.insert(entry->key.text().str()).second) return std::nullopt;
    inexact = inexact || value->inexact;
    entries.push_back({.key = entry->key.text(), .value = value->value});
  }
  if (!elements.ok()) return std::nullopt;
  Encoder out;
  encode_properties(entries, out);
  return CoreBody{.type = CoreType::kMap, .bytes = taken(out), .inexact = inexact};
}

CoreBody with(CoreBody body, OriginalEncoding encoding) {
  body.encoding = encoding;
  return body;
}

CoreBody value_body(const Message& message, std::string_view content_type) {
  BodySections sections = message.body();
  const auto section = sections.next();
  if (!section) return amqp_body(message);
  const Value& value = section->value;
  switch (value.type()) {
    case Type::kNull: return with(text_body(std::nullopt), OriginalEncoding::kValueNull);
    case Type::kString: return with(text_body(value.text()), OriginalEncoding::kValueString);
    case Type::kBinary:
      return with(
          content_type == kJavaObject ? object_body(value.bytes()) : bytes_body(value.bytes()),
          OriginalEncoding::kValueBinary);
    case Type::kList:
      if (auto list = list_body(value)) return with(*list, OriginalEncoding::kValueList);
      break;
    case Type::kMap:
      if (auto map = map_body(value)) return with(*map, OriginalEncoding::kValueMap);
      break;
    default: break;
  }
  return amqp_body(message);
}

}  // namespace

CoreBody core_body(const Message& message, std::string_view content_type) {
  switch (message.body_kind()) {
    case BodyKind::kNone:
    case BodyKind::kInFile: return with(no_body(content_type), OriginalEncoding::kNone);
    case BodyKind::kData: return with(data_body(message, content_type), OriginalEncoding::kData);
    case BodyKind::kSequence: {
      auto stream = sequence_body(message);
      return stream ? with(std::move(*stream), OriginalEncoding::kSequence) : amqp_body(message);
    }
    case BodyKind::kValue: return value_body(message, content_type);
  }
  return amqp_body(message);
}

}  // namespace saranga::message::amqp
