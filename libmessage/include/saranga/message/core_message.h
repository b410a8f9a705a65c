// Core messages: what Core, JMS, OpenWire, STOMP and MQTT clients sent (docs/format/messages.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "saranga/bytes/cursor.h"
#include "saranga/message/typed_properties.h"

namespace saranga::message {

/// The type byte of a Core message: how its body is made.
enum class CoreType : std::uint8_t {
  kDefault = 0,
  kObject = 2,
  kText = 3,
  kBytes = 4,
  kMap = 5,
  kStream = 6,
  kEmbedded = 7,       ///< an AMQP message carried inside a Core message
  kLargeEmbedded = 8,  ///< the same, with the AMQP bytes in the large-message file
};

/// The name of a type as in JSON ("text", "map", …); "unknown" for other bytes.
[[nodiscard]] SARANGA_API std::string_view core_type_name(CoreType type);

/// Headers and properties (docs/format/messages.md#headers-block); a view.
struct CoreHeaders {
  std::int64_t id = 0;
  std::optional<Text> address{};
  Bytes user_id{};  ///< 16 bytes of a UUID, or empty
  CoreType type = CoreType::kDefault;
  bool durable = false;
  std::int64_t expiration_ms = 0;  ///< since 1970; 0 = never
  std::int64_t timestamp_ms = 0;   ///< since 1970; 0 = unset
  std::uint8_t priority = 0;
  TypedProperties properties{};
};

/// Reads headers and properties; damage in the properties leaves the headers readable.
[[nodiscard]] SARANGA_API CoreHeaders read_core_headers(Cursor& cursor);

/// A stored Core message; a view of the record body.
struct CoreMessage {
  std::int64_t id = 0;            ///< as the record gives it; wins over the one in the headers
  std::optional<Text> address{};  ///< likewise
  Bytes buffer{};                 ///< body, headers and properties, as on the wire
  Bytes body{};                   ///< encoded by type, zlib-compressed if the properties say so
  CoreHeaders headers{};
  bool old_layout = false;  ///< of a release before 2.0
};

/// Reads a message of persister 1 (docs/format/messages.md#core-buffer); the cursor stands behind
/// the persister id and ends up behind the message. When it fails, what was read before stays.
[[nodiscard]] SARANGA_API CoreMessage read_core_message(Cursor& cursor);

/// Reads a message in the layout of HornetQ and Artemis 1.x (record type 31) that fills the span.
/// On damage `cursor` is failed.
[[nodiscard]] SARANGA_API CoreMessage read_old_message(Cursor& cursor);

/// A large Core message (record type 30): headers only, the body is a file of its own.
[[nodiscard]] SARANGA_API CoreMessage read_large_message(Cursor& cursor);

}  // namespace saranga::message
