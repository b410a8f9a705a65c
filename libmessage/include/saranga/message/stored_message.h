// A message as journal records (type 45) and page files hold it: a persister id, then a message in
// the encoding of its protocol (docs/format/messages.md#persisters).
#pragma once

#include <cstdint>
#include <optional>

#include "saranga/bytes/cursor.h"
#include "saranga/message/amqp_message.h"
#include "saranga/message/core_message.h"

namespace saranga::message {

/// The first byte of a stored message.
enum class Persister : std::uint8_t {
  kCore = 1,
  kAmqpV1 = 2,
  kAmqpV2 = 3,
  kAmqpLarge = 4,
  kAmqpV3 = 5,
};

/// A decoded message: one of the two members is filled, according to the persister.
struct StoredMessage {
  Persister persister = Persister::kCore;
  std::optional<CoreMessage> core{};
  std::optional<amqp::Stored> amqp{};

  [[nodiscard]] bool is_core() const { return persister == Persister::kCore; }
  [[nodiscard]] SARANGA_API std::int64_t id() const;
  [[nodiscard]] SARANGA_API std::optional<Text> address() const;
};

/// Reads a stored message and leaves the cursor behind it; nothing outside tells its length. When
/// the cursor fails, what was read before stays.
[[nodiscard]] SARANGA_API StoredMessage read_stored_message(Cursor& cursor);

}  // namespace saranga::message
