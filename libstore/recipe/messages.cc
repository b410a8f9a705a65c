#include "libstore/recipe/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <list>

#include "saranga/message/message_encoder.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

using message::CoreType;
using message::PropertyType;
using message::PropertyValue;

constexpr std::string_view kProperty = "prop.";
constexpr std::size_t kUserIdBytes = 16;

constexpr std::array kCoreTypes = {CoreType::kDefault,  CoreType::kObject,       CoreType::kText,
                                   CoreType::kBytes,    CoreType::kMap,          CoreType::kStream,
                                   CoreType::kEmbedded, CoreType::kLargeEmbedded};
constexpr std::array kNumbers = {PropertyType::kBoolean, PropertyType::kByte, PropertyType::kShort,
                                 PropertyType::kInt,     PropertyType::kLong, PropertyType::kChar};

Parsed<CoreType> read_core_type(Word word) {
  for (const CoreType type : kCoreTypes) {
    if (message::core_type_name(type) == word.text) return type;
  }
  return word.problem("expected default, object, text, bytes, map, stream or a number");
}

/// Keeps what the views of a message point to.
class CoreArguments {
 public:
  explicit CoreArguments(Arguments& arguments) : arguments_(arguments) {}

  [[nodiscard]] Parsed<message::NewCoreMessage> read(std::int64_t id) {
    message::NewCoreMessage made;
    const auto take = [&](auto&& parsed, auto& into) {
      if (problem_) return;
      if (!parsed) {
        problem_ = parsed.error();
        return;
      }
      into = static_cast<std::remove_reference_t<decltype(into)>>(*parsed);
    };
    take(arguments_.number("id", id), made.id);
    take(arguments_.number("priority", 4, 0, 255), made.priority);
    take(arguments_.number("expiration_ms", 0), made.expiration_ms);
    take(arguments_.number("timestamp_ms", 0), made.timestamp_ms);
    std::int64_t durable = 1;
    take(read_boolean("durable", true), durable);
    made.durable = durable != 0;
    if (const auto type = arguments_.named("type")) take(read_core_type(*type), made.type);
    if (const auto address = arguments_.named("address")) made.address = text(*address);
    if (const auto user = arguments_.named("user_id")) made.user_id = user_id(*user);
    read_content(made);
    read_properties(made);
    if (problem_) return std::unexpected(*problem_);
    return made;
  }

 private:
  [[nodiscard]] Parsed<std::int64_t> read_boolean(std::string_view name, bool otherwise) {
    const auto word = arguments_.named(name);
    if (!word) return otherwise ? 1 : 0;
    if (word->text == "true") return 1;
    if (word->text == "false") return 0;
    return word->problem("expected true or false");
  }
  [[nodiscard]] Text text(Word word) {
    auto read = read_text(word);
    if (!read && !problem_) problem_ = read.error();
    return read ? Text(std::string_view(texts_.emplace_back(std::move(*read)))) : Text();
  }
  [[nodiscard]] Bytes bytes(Word word) {
    auto read = read_bytes(word);
    if (!read && !problem_) problem_ = read.error();
    return read ? Bytes(bytes_.emplace_back(std::move(*read))) : Bytes();
  }
  [[nodiscard]] std::optional<std::array<std::byte, kUserIdBytes>> user_id(Word word) {
    const Bytes read = bytes(word);
    std::array<std::byte, kUserIdBytes> id{};
    if (read.size() != id.size()) {
      if (!problem_) problem_ = word.problem("a user id has 16 bytes").error();
      return std::nullopt;
    }
    std::ranges::copy(read, id.begin());
    return id;
  }

  // text= makes a text message; body= is encoded already.
  void read_content(message::NewCoreMessage& made) {
    const auto content = arguments_.named("text");
    const auto body = arguments_.named("body");
    if (content && body && !problem_) problem_ = body->problem("text= is there too").error();
    if (body) made.body = bytes(*body);
    if (!content) return;
    made.type = CoreType::kText;
    const auto read = read_text(*content);  // needed only for what is made of it
    if (!read) {
      if (!problem_) problem_ = read.error();
      return;
    }
    auto encoded = message::encode_text_body(Text(std::string_view(*read)));
    if (encoded) made.body = bytes_.emplace_back(std::move(*encoded));
  }

  void read_properties(message::NewCoreMessage& made) {
    for (Arguments::Named& one : arguments_.all_named()) {
      if (!one.name.text.starts_with(kProperty)) continue;
      one.used = true;
      const Word key{.text = one.name.text.substr(kProperty.size()),
                     .column = one.name.column + kProperty.size()};
      made.properties.push_back({.key = text(key), .value = value(one.value)});
    }
  }

  // TYPE:VALUE; without a type it is a string.
  [[nodiscard]] PropertyValue value(Word word) {
    const std::size_t colon = word.text.find(':');
    const std::string_view name = word.text.substr(0, colon);
    if (word.text == "null") return message::null_value();
    if (word.text.starts_with('"') || colon == std::string_view::npos) {
      return message::string_value(text(word));
    }
    const Word rest{.text = word.text.substr(colon + 1), .column = word.column + colon + 1};
    if (name == "string") return message::string_value(text(rest));
    if (name == "bytes") return message::bytes_value(bytes(rest));
    for (const PropertyType type : kNumbers) {
      if (message::property_type_name(type) == name) return number(rest, type);
    }
    // Their bits, so that no value changes on the way.
    if (name == "float") return number(rest, PropertyType::kFloat);
    if (name == "double") return number(rest, PropertyType::kDouble);
    if (!problem_) {
      problem_ = word.problem("expected a text in quotes, null, or TYPE:VALUE").error();
    }
    return {};
  }
  [[nodiscard]] PropertyValue number(Word word, PropertyType type) {
    std::int64_t least = INT64_MIN;
    std::int64_t most = INT64_MAX;
    switch (type) {
      case PropertyType::kBoolean: least = 0, most = 1; break;
      case PropertyType::kByte: least = INT8_MIN, most = INT8_MAX; break;
      case PropertyType::kShort: least = INT16_MIN, most = INT16_MAX; break;
      case PropertyType::kInt: least = INT32_MIN, most = INT32_MAX; break;
      case PropertyType::kChar: least = 0, most = UINT16_MAX; break;
      case PropertyType::kFloat: least = 0, most = UINT32_MAX; break;
      default: break;
    }
    const auto read = read_number(word, least, most);
    if (!read && !problem_) problem_ = read.error();
    return {.type = type, .number = read.value_or(0)};
  }

  Arguments& arguments_;
  std::list<std::string> texts_;
  std::list<std::vector<std::byte>> bytes_;
  std::optional<RecipeProblem> problem_;
};

bool put_property(TextBuffer& out, const message::Property& property) {
  out.put(' ');
  out.put(kProperty);
  if (!put_text(out, property.key)) return false;
  out.put('=');
  const PropertyValue& value = property.value;
  switch (value.type) {
    case PropertyType::kNull: out.put("null"); return true;
    case PropertyType::kString: return put_text(out, value.text);
    case PropertyType::kBytes:
      out.put("bytes:");
      put_bytes(out, value.bytes);
      return true;
    default:
      out.put(message::property_type_name(value.type));
      out.put(':');
      out.put_int(value.number);
      return true;
  }
}

bool put_content(TextBuffer& out, const message::CoreMessage& core) {
  if (core.headers.type == CoreType::kText) {
    Cursor cursor(core.body);
    const auto text = cursor.nullable_simple_string();
    if (cursor.ok() && cursor.at_end() && text) {
      out.put(" text=");
      if (put_text(out, *text)) return true;
    }
    return false;
  }
  if (core.headers.type != CoreType::kDefault) {
    out.put(" type=");
    out.put(message::core_type_name(core.headers.type));
  }
  if (core.body.empty()) return true;
  out.put(" body=");
  put_bytes(out, core.body);
  return true;
}

}  // namespace

Parsed<std::vector<std::byte>> read_core_message(Arguments& arguments, bool large,
                                                 std::int64_t id) {
  CoreArguments reader(arguments);
  const auto made = reader.read(id);
  if (!made) return std::unexpected(made.error());
  auto encoded = large ? message::encode_large_message(*made) : message::encode_core_message(*made);
  if (encoded) return std::move(*encoded);
  return Word{.text = {}, .column = arguments.end_column()}.problem("the message " +
                                                                    encoded.error().text);
}

bool put_core_message(TextBuffer& out, Bytes body, bool large, std::int64_t id) {
  Cursor cursor(body);
  message::CoreMessage core;
  if (large) {
    core = message::read_large_message(cursor);
  } else {
    const auto stored = message::read_stored_message(cursor);
    if (!stored.core) return false;
    core = *stored.core;
  }
  if (!cursor.ok() || !cursor.at_end()) return false;
  const message::CoreHeaders& headers = core.headers;
  out.put(" core");
  const auto number = [&](std::string_view name, std::int64_t value, std::int64_t usual) {
    if (value == usual) return;
    out.put(fmt::format(" {}={}", name, value));
  };
  number("id", headers.id, id);
  if (headers.address) {
    out.put(" address=");
    if (!put_text(out, *headers.address)) return false;
  }
  number("priority", headers.priority, 4);
  if (!headers.durable) out.put(" durable=false");
  number("timestamp_ms", headers.timestamp_ms, 0);
  number("expiration_ms", headers.expiration_ms, 0);
  if (!headers.user_id.empty()) {
    out.put(" user_id=");
    out.put("hex:");
    for (const std::byte one : headers.user_id) {
      out.put(fmt::format("{:02x}", static_cast<unsigned>(one)));
    }
  }
  if (!large && !put_content(out, core)) return false;
  if (large && headers.type != CoreType::kDefault) {
    out.put(" type=");
    out.put(message::core_type_name(headers.type));
  }
  message::TypedProperties::Iterator properties(headers.properties);
  while (const auto property = properties.next()) {
    if (!put_property(out, *property)) return false;
  }
  return true;
}

}  // namespace saranga::store
