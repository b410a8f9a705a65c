// What identifiers are in a message (docs/format/selectors.md#identifiers).
#pragma once

#include <optional>

#include "libmessage/selector/program.h"
#include "libmessage/selector/work_texts.h"
#include "saranga/message/selector.h"

namespace saranga::message::selector {

/// Looks things up in one message, when they are asked for. The values are views of the message, of
/// the texts, or of this.
class Lookup {
 public:
  Lookup(const SelectorMessage& message, WorkTexts& texts) : message_(message), texts_(texts) {}

  /// The identifier's value, null when the message has none. Nothing when the broker would fail.
  [[nodiscard]] std::optional<Value> find(const Identifier& identifier);

 private:
  // Core messages.
  [[nodiscard]] static Value property(const TypedProperties& properties,
                                      const Identifier& identifier);
  [[nodiscard]] std::optional<Value> core_header(Identifier::Header header);
  [[nodiscard]] std::optional<Value> core_user_id();
  [[nodiscard]] std::optional<Value> text_property(std::string_view name);

  // AMQP messages.
  [[nodiscard]] const amqp::Message& amqp();
  [[nodiscard]] const amqp::Properties& amqp_properties();
  [[nodiscard]] TypedProperties extra_properties() const;
  [[nodiscard]] std::optional<Value> amqp_header(Identifier::Header header);
  [[nodiscard]] std::optional<Value> amqp_user_id();
  [[nodiscard]] std::optional<Value> amqp_value(const Identifier& identifier);
  [[nodiscard]] std::optional<Value> amqp_field(Identifier::AmqpField field);
  [[nodiscard]] std::optional<Value> correlation_id();
  [[nodiscard]] Value annotation(const Identifier& identifier);
  [[nodiscard]] std::int64_t amqp_expiration();

  [[nodiscard]] std::optional<Value> hops() const;
  [[nodiscard]] std::optional<Value> prefixed(std::string_view prefix, const Text& text);
  [[nodiscard]] std::optional<Value> prefixed(std::string_view prefix, std::string_view ascii) {
    return prefixed(prefix, Text(ascii));
  }

  const SelectorMessage& message_;
  WorkTexts& texts_;
  std::optional<amqp::Message> scanned_{};
  std::optional<amqp::Properties> properties_{};
};

}  // namespace saranga::message::selector
