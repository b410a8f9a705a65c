// An AMQP message as the Core message that a broker hands to Core clients
// (docs/format/amqp.md#conversion-to-core), made so that nothing is lost where Core has a place.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/message/amqp_message.h"
#include "saranga/message/message_encoder.h"

namespace saranga::message {

/// What a conversion depends on besides the message's sections.
struct ConversionInput {
  const amqp::Stored* stored = nullptr;
  Bytes large_body{};              ///< of a large message: the whole file
  std::int64_t now_ms = 0;         ///< a delivery delay counts from here, since 1970
  std::int64_t expiration_ms = 0;  ///< as the broker computes it, since 1970; 0 = never
  std::uint8_t priority = 4;
  bool durable = true;
};

/// The outcome. It owns what the message refers to, and may be moved.
class SARANGA_API ConvertedMessage {
 public:
  explicit ConvertedMessage(const ConversionInput& input);
  ConvertedMessage(ConvertedMessage&&) = default;
  ConvertedMessage& operator=(ConvertedMessage&&) = default;

  [[nodiscard]] const NewCoreMessage& message() const { return message_; }
  /// What Core has no place for, each kind once: constants like "delivery annotations".
  [[nodiscard]] std::span<const std::string_view> losses() const { return losses_; }

 private:
  friend class CoreConversion;

  NewCoreMessage message_;
  std::deque<std::string> texts_;  // they do not move when one is added
  std::vector<std::byte> body_;
  std::vector<std::string_view> losses_;
};

}  // namespace saranga::message
