// Arithmetic on numbers: integers wrap around, / and % are always floating
// (docs/format/selectors.md#arithmetic).
#include <algorithm>
#include <cmath>
#include <limits>

#include "libmessage/selector/java_number.h"
#include "libmessage/selector/units.h"
#include "libmessage/selector/value.h"

namespace saranga::message::selector {
namespace {

// A number in every form that the operations may ask for.
struct Number {
  Kind kind = Kind::kInt;  // kInt, kLong or kDouble: which form it asks the other operand for
  std::int64_t integer = 0;
  double real = 0;
};

bool is_decimal(const Value& value) {
  return value.type == amqp::Type::kDecimal32 || value.type == amqp::Type::kDecimal64 ||
         value.type == amqp::Type::kDecimal128;
}

bool has_point(const Text& text) {
  UnitReader units(text);
  std::int32_t unit = 0;
  while ((unit = units.next_unit()) != kEndOfText) {
    if (unit == '.') return true;
  }
  return false;
}

std::optional<Number> number_of_text(const Text& text) {
  if (has_point(text)) {
    const auto real = parse_java_double(text);
    if (!real) return std::nullopt;
    return Number{.kind = Kind::kDouble, .real = *real};
  }
  using Limits = std::numeric_limits<std::int64_t>;
  const auto integer = parse_java_integer(text, Limits::min(), Limits::max());
  if (!integer) return std::nullopt;
  return Number{Kind::kLong, *integer, static_cast<double>(*integer)};
}

std::optional<Number> number_of(const Value& value, bool convert) {
  switch (value.kind) {
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kInt: return Number{Kind::kInt, value.number, static_cast<double>(value.number)};
    case Kind::kLong: return Number{Kind::kLong, value.number, static_cast<double>(value.number)};
    case Kind::kFloat:
    case Kind::kDouble: return Number{.kind = Kind::kDouble, .real = value.real};
    // Java asks these two for whatever the other operand is; they are no Long themselves.
    case Kind::kBig: return Number{Kind::kInt, value.number, value.real};
    case Kind::kUnsigned:
      return Number{Kind::kInt, value.number, static_cast<double>(value.number)};
    case Kind::kText: return convert ? number_of_text(value.text) : std::nullopt;
    case Kind::kObject:
      // The broker's AMQP library does not know what decimals are and takes them for zero.
      return is_decimal(value) ? std::optional(Number{}) : std::nullopt;
    default: return std::nullopt;
  }
}

std::int64_t calculate_integer(Operation operation, std::int64_t left, std::int64_t right) {
  const auto a = static_cast<std::uint64_t>(left);
  const auto b = static_cast<std::uint64_t>(right);
  if (operation == Operation::kAdd) return static_cast<std::int64_t>(a + b);
  if (operation == Operation::kSubtract) return static_cast<std::int64_t>(a - b);
  return static_cast<std::int64_t>(a * b);
}

double calculate_real(Operation operation, double left, double right) {
  switch (operation) {
    case Operation::kAdd: return left + right;
    case Operation::kSubtract: return left - right;
    case Operation::kMultiply: return left * right;
    case Operation::kDivide: return left / right;
    case Operation::kRemainder: return std::fmod(left, right);
  }
  return 0;
}

std::int64_t wrap_to_int(std::int64_t value) { return static_cast<std::int32_t>(value); }

}  // namespace

std::optional<Value> calculate(Operation operation, const Value& left, const Value& right,
                               bool convert) {
  const auto a = number_of(left, convert);
  const auto b = number_of(right, convert);
  if (!a || !b) return std::nullopt;
  const bool floating = operation == Operation::kDivide || operation == Operation::kRemainder;
  const Kind kind = floating ? Kind::kDouble : std::max(a->kind, b->kind);
  if (kind == Kind::kDouble) return real_value(kind, calculate_real(operation, a->real, b->real));
  const std::int64_t result = calculate_integer(operation, a->integer, b->integer);
  // The low 32 bits of a result are those of its operands' low 32 bits.
  return number_value(kind, kind == Kind::kInt ? wrap_to_int(result) : result);
}

std::optional<Value> negate(const Value& value) {
  switch (value.kind) {
    case Kind::kInt:
    case Kind::kLong: {
      const std::int64_t result = calculate_integer(Operation::kSubtract, 0, value.number);
      return number_value(value.kind, value.kind == Kind::kInt ? wrap_to_int(result) : result);
    }
    case Kind::kFloat:
    case Kind::kDouble: return real_value(value.kind, -value.real);
    case Kind::kBig: {
      // The smallest long can only be written as the negation of a literal that is too large.
      if (!value.flag && value.text.equals("9223372036854775808")) {
        return number_value(Kind::kLong, std::numeric_limits<std::int64_t>::min());
      }
      Value negated = value;
      negated.flag = !value.flag;
      negated.real = -value.real;
      negated.number = calculate_integer(Operation::kSubtract, 0, value.number);
      return negated;
    }
    // Java fails for Byte and Short, and for the number classes of AMQP.
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kUnsigned: return std::nullopt;
    case Kind::kObject: return is_decimal(value) ? std::nullopt : std::optional(Value{});
    default: return Value{};
  }
}

}  // namespace saranga::message::selector
