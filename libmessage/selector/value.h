// The values that a selector computes with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "saranga/bytes/text.h"
#include "saranga/message/amqp_value.h"

namespace saranga::message::selector {

/// The Java classes that matter to a selector. From kByte to kDouble in the order of promotion.
enum class Kind : std::uint8_t {
  kNull,
  kBoolean,
  kByte,
  kShort,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBig,       ///< a literal of more than 64 bits, possibly negated
  kUnsigned,  ///< an unsigned number of a message annotation
  kChar,
  kText,
  kBytes,
  kSymbol,
  kTimestamp,
  kUuid,
  kObject,  ///< anything else: it is there, and equal to itself
};

/// A value. Its texts and bytes are views of the message, the program or the evaluation.
struct Value {
  Kind kind = Kind::kNull;
  /// kBig: below zero. kBytes: made for this look-up, so identical to no other.
  bool flag = false;
  amqp::Type type = amqp::Type::kNull;  ///< of kUnsigned and kObject
  /// Booleans, integers, chars, timestamps in ms; the low 64 bits of kBig.
  std::int64_t number = 0;
  double real = 0;  ///< kFloat, kDouble; what kBig is as a double
  Text text{};      ///< kText, kSymbol; the digits of kBig; the raw bytes of the rest
  /// The text's owner, when it is the result of a concatenation that nobody else refers to.
  std::string* temporary = nullptr;

  [[nodiscard]] bool is_null() const { return kind == Kind::kNull; }
  [[nodiscard]] bool is_true() const { return kind == Kind::kBoolean && number != 0; }
  [[nodiscard]] bool is_false() const { return kind == Kind::kBoolean && number == 0; }
};

[[nodiscard]] inline Value boolean_value(bool value) {
  return {.kind = Kind::kBoolean, .number = value ? 1 : 0};
}
[[nodiscard]] inline Value number_value(Kind kind, std::int64_t number) {
  return {.kind = kind, .number = number};
}
[[nodiscard]] inline Value real_value(Kind kind, double real) {
  return {.kind = kind, .real = real};
}
[[nodiscard]] inline Value text_value(const Text& text) {
  return {.kind = Kind::kText, .text = text};
}

/// Whether Java could order the value at all; it fails for others.
[[nodiscard]] inline bool is_comparable(const Value& value) {
  return value.kind != Kind::kBytes && value.kind != Kind::kObject;
}

/// Less than, equal to or greater than zero; nothing when the kinds do not meet, which makes every
/// comparison false. `convert` lets texts meet numbers and booleans. Both must be comparable.
[[nodiscard]] std::optional<int> compare(const Value& left, const Value& right, bool convert);

/// The = of two values that are not null.
[[nodiscard]] bool equal(const Value& left, const Value& right, bool convert);

enum class Operation : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kRemainder };

/// Arithmetic, but for + with a text on its left. Nothing when an operand is no number: an error.
[[nodiscard]] std::optional<Value> calculate(Operation operation, const Value& left,
                                             const Value& right, bool convert);

/// The unary minus of a value that is not null. Nothing is an error.
[[nodiscard]] std::optional<Value> negate(const Value& value);

}  // namespace saranga::message::selector
