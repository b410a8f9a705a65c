// Messages as journals and page files hold them, encoded: what was read keeps its bytes, and new
// Core messages are made from their parts (docs/format/messages.md#core-buffer).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "saranga/bytes/encoder.h"
#include "saranga/message/stored_message.h"

namespace saranga::message {

/// Puts a message behind what `out` holds, as the body of a record of type 45 or in a page:
/// persister id, then the message. A message that was read keeps its bytes; of a Core message id
/// and address are those of the record, the buffer stays as it was.
SARANGA_API void encode_stored_message(const StoredMessage& message, Encoder& out);

/// The fields behind the persister id of an AMQP message. Fields that came with later releases are
/// written when they are set.
SARANGA_API void encode_stored_amqp(const amqp::Stored& stored, Encoder& out);

/// A property of a new message. Views.
struct NewProperty {
  Text key{};
  PropertyValue value{};
};

/// A value of each type; a property has the type that its value was made with.
[[nodiscard]] SARANGA_API PropertyValue null_value();
[[nodiscard]] SARANGA_API PropertyValue boolean_value(bool value);
[[nodiscard]] SARANGA_API PropertyValue byte_value(std::int8_t value);
[[nodiscard]] SARANGA_API PropertyValue short_value(std::int16_t value);
[[nodiscard]] SARANGA_API PropertyValue int_value(std::int32_t value);
[[nodiscard]] SARANGA_API PropertyValue long_value(std::int64_t value);
[[nodiscard]] SARANGA_API PropertyValue float_value(float value);
[[nodiscard]] SARANGA_API PropertyValue double_value(double value);
[[nodiscard]] SARANGA_API PropertyValue char_value(char16_t value);
[[nodiscard]] SARANGA_API PropertyValue string_value(Text value);
[[nodiscard]] SARANGA_API PropertyValue bytes_value(Bytes value);

/// A Core message that is to be. Texts and bytes are views.
struct NewCoreMessage {
  std::int64_t id = 0;
  std::optional<Text> address{};
  std::optional<std::array<std::byte, 16>> user_id{};  ///< a UUID, the JMSMessageID
  CoreType type = CoreType::kDefault;
  bool durable = true;
  std::int64_t expiration_ms = 0;         ///< since 1970; 0 = never
  std::int64_t timestamp_ms = 0;          ///< since 1970; 0 = unset
  std::uint8_t priority = 4;              ///< 0 to 9
  std::vector<NewProperty> properties{};  ///< in the order in which they are stored
  Bytes body{};                           ///< encoded by type (docs/format/messages.md#body-types)
};

/// The body of an ADD_MESSAGE_PROTOCOL record. kInvalidArgument when the priority is above 9, a key
/// occurs twice, or something is longer than the format can hold.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> encode_core_message(
    const NewCoreMessage& message);

/// The body of an ADD_LARGE_MESSAGE record: headers and properties. `message.body` is not looked
/// at; it goes to a file (large_file_writer.h), whose length belongs into the property
/// _AMQ_LARGE_SIZE.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> encode_large_message(
    const NewCoreMessage& message);

/// The body of a text message: a nullable SimpleString.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> encode_text_body(
    const std::optional<Text>& text);

/// A block of typed properties, as maps have them as their body, too.
SARANGA_API void encode_properties(std::span<const NewProperty> properties, Encoder& out);

}  // namespace saranga::message
