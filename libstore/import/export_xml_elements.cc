#include "libstore/import/export_xml_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "libstore/import/export_xml_values.h"

namespace saranga::store {
namespace {

constexpr std::string_view kNull = "_AMQ_NULL";
constexpr std::string_view kOldNull = "_HQ_NULL";

enum PropertyAttribute : std::size_t { kKey, kValue, kType, kOwnType };

}  // namespace

ExportRead<std::optional<std::int64_t>> ExportXmlElements::head() {
  enum : std::size_t { kId, kPriority, kExpiration, kTimestamp, kMessageType, kUserId };
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  message.clear();
  message::NewCoreMessage& head = message.made.message;
  const auto id = attributes.number(kId, kLeast, kMost);
  if (!id) return std::unexpected(id.error());
  head.id = *id;
  const auto priority = attributes.number(kPriority, 0, 9);
  if (!priority) return std::unexpected(priority.error());
  const auto expiration = attributes.number(kExpiration, kLeast, kMost);
  if (!expiration) return std::unexpected(expiration.error());
  const auto timestamp = attributes.number(kTimestamp, kLeast, kMost);
  if (!timestamp) return std::unexpected(timestamp.error());
  head.priority = static_cast<std::uint8_t>(*priority);
  head.expiration_ms = *expiration;
  head.timestamp_ms = *timestamp;
  if (attributes.has(kMessageType)) {
    const auto read = read_message_type(attributes.plain(kMessageType));
    if (!read) {
      return attributes.wrong(kMessageType, "default, object, text, bytes, map or stream");
    }
    head.type = *read;
  }
  if (attributes.has(kUserId)) {
    head.user_id = read_user_id(attributes.plain(kUserId));
    if (!head.user_id) return attributes.wrong(kUserId, "a UUID");
  }
  return attributes.has(kId) ? std::optional(*id) : std::nullopt;
}

ExportRead<void> ExportXmlElements::property() {
  const auto key = attributes.required(kKey);
  if (!key) return std::unexpected(key.error());
  const auto text = attributes.required(kValue);
  if (!text) return std::unexpected(text.error());
  const std::string_view type = attributes.plain(attributes.has(kOwnType) ? kOwnType : kType);
  const auto done = put(*key, type, *text);
  return done ? bound_head() : done;
}

ExportRead<void> ExportXmlElements::put(std::string_view key, std::string_view type,
                                        std::string_view text) {
  const bool string = type == "simple-string" || type == "string";
  // 1.x and HornetQ gave nulls no type.
  const bool null =
      text == kNull ? type.empty() || string || type == "bytes" : type.empty() && text == kOldNull;
  if (null && !attributes.has_utf16(kValue)) {
    message.number_property(key, message::null_value());
    return {};
  }
  if (string) {
    message.string_property(key, text);
    return {};
  }
  if (type == "bytes") {
    bytes_.clear();
    if (!append_any_base64(bytes_, text)) return attributes.wrong(kValue, "Base64");
    message.bytes_property(key, bytes_);
    return {};
  }
  // Artemis has no name for chars.
  if (type.empty() || type == "char") {
    const auto unit = read_char(text);
    if (!unit && type.empty()) {
      return std::unexpected("a property without a type, whose value is not one character");
    }
    if (!unit) return attributes.wrong(kValue, "one UTF-16 unit");
    message.number_property(key, message::char_value(*unit));
    return {};
  }
  if (put_number(key, type, text)) return {};
  constexpr std::string_view kTypes[] = {"boolean", "byte",  "short", "integer",
                                         "long",    "float", "double"};
  if (std::ranges::find(kTypes, type) == std::end(kTypes)) {
    return attributes.wrong(attributes.has(kType) ? kType : kOwnType, "a type of properties");
  }
  return attributes.wrong(kValue, fmt::format("a value of type {}", type));
}

bool ExportXmlElements::put_number(std::string_view key, std::string_view type,
                                   std::string_view text) {
  const auto put = [&](const auto& read, auto make) {
    if (read) message.number_property(key, make(*read));
    return read.has_value();
  };
  const auto integer = [&]<class T>(T /*kind*/, auto make) {
    const auto read =
        read_integer(text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    if (read) message.number_property(key, make(static_cast<T>(*read)));
    return read.has_value();
  };
  if (type == "boolean") return put(read_boolean(text), message::boolean_value);
  if (type == "byte") return integer(std::int8_t{}, message::byte_value);
  if (type == "short") return integer(std::int16_t{}, message::short_value);
  if (type == "integer") return integer(std::int32_t{}, message::int_value);
  if (type == "long") return integer(std::int64_t{}, message::long_value);
  if (type == "float") return put(read_float(text), message::float_value);
  if (type == "double") return put(read_double(text), message::double_value);
  return false;
}

ExportRead<void> ExportXmlElements::queue() {
  const auto name = attributes.required(0);
  if (!name) return std::unexpected(name.error());
  const auto renamed = renamed_queues.empty() ? renamed_queues.end() : renamed_queues.find(*name);
  message.queue(renamed == renamed_queues.end() ? *name : std::string_view(renamed->second));
  return bound_head();
}

ExportRead<void> ExportXmlElements::body() {
  if (!attributes.has(0)) return {};
  const auto large = read_boolean(attributes.plain(0));
  if (!large) return attributes.wrong(0, "true or false");
  message.made.large = *large;
  return {};
}

ExportRead<void> ExportXmlElements::bound_head() const {
  if (message.head_bytes() <= max_head_bytes_) return {};
  return std::unexpected(
      fmt::format("properties and queues of more than {} bytes, which is the most that is read",
                  max_head_bytes_));
}

}  // namespace saranga::store
