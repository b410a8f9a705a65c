// Equality and order as Java's wrapper classes have them (docs/format/selectors.md#values).
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "libmessage/selector/java_number.h"
#include "libmessage/selector/units.h"
#include "libmessage/selector/value.h"

namespace saranga::message::selector {
namespace {

constexpr std::size_t kNumberKinds = 6;

// To which kind two numbers are promoted before they are compared, by the kinds on the left and on
// the right; kNull where they do not meet. It is not symmetric: Artemis forgot byte and short on
// the right.
using Row = std::array<Kind, kNumberKinds>;
using enum Kind;
constexpr std::array<Row, kNumberKinds> kPromotions = {{
    {kByte, kShort, kInt, kLong, kFloat, kDouble},      // byte
    {kNull, kShort, kInt, kLong, kFloat, kDouble},      // short
    {kNull, kNull, kInt, kLong, kFloat, kDouble},       // int
    {kNull, kNull, kLong, kLong, kFloat, kDouble},      // long
    {kNull, kNull, kFloat, kFloat, kFloat, kDouble},    // float
    {kNull, kNull, kDouble, kDouble, kDouble, kDouble}  // double
}};

bool is_number(Kind kind) { return kind >= kByte && kind <= kDouble; }
std::size_t index_of(Kind kind) {
  return static_cast<std::size_t>(kind) - static_cast<std::size_t>(kByte);
}
static_assert(static_cast<std::size_t>(kDouble) - static_cast<std::size_t>(kByte) + 1 ==
              kNumberKinds);

template <class T>
int order(T left, T right) {
  if (left < right) return -1;
  return right < left ? 1 : 0;
}

// Java's total order: NaN is above everything and equal to itself, -0.0 is below 0.0.
template <class T, class Bits>
int order_reals(T left, T right) {
  if (left < right) return -1;
  if (right < left) return 1;
  const auto key = [](T value) {
    return value != value ? std::numeric_limits<Bits>::max() : std::bit_cast<Bits>(value);
  };
  return order(key(left), key(right));
}

bool is_real(const Value& value) { return value.kind == kFloat || value.kind == kDouble; }

float as_float(const Value& value) {
  return is_real(value) ? static_cast<float>(value.real) : static_cast<float>(value.number);
}

double as_double(const Value& value) {
  return is_real(value) ? value.real : static_cast<double>(value.number);
}

std::optional<int> compare_numbers(const Value& left, const Value& right) {
  switch (kPromotions[index_of(left.kind)][index_of(right.kind)]) {
    case kNull: return std::nullopt;
    case kFloat: return order_reals<float, std::int32_t>(as_float(left), as_float(right));
    case kDouble: return order_reals<double, std::int64_t>(as_double(left), as_double(right));
    default: return order(left.number, right.number);
  }
}

int compare_bigs(const Value& left, const Value& right) {
  if (left.flag != right.flag) return left.flag ? -1 : 1;
  // There are no leading zeros, so more digits are a larger number.
  const std::string_view left_digits = as_text(left.text.raw());
  const std::string_view right_digits = as_text(right.text.raw());
  int result = order(left_digits.size(), right_digits.size());
  if (result == 0) result = left_digits.compare(right_digits);
  return left.flag ? -result : result;
}

// java.util.UUID compares its two halves as signed numbers.
int compare_uuids(const Value& left, const Value& right) {
  if (left.text.raw().size() < 16 || right.text.raw().size() < 16) return 0;
  const std::byte* left_bytes = left.text.raw().data();
  const std::byte* right_bytes = right.text.raw().data();
  const int result = order(load_be<std::int64_t>(left_bytes), load_be<std::int64_t>(right_bytes));
  if (result != 0) return result;
  return order(load_be<std::int64_t>(left_bytes + 8), load_be<std::int64_t>(right_bytes + 8));
}

int compare_same_kind(const Value& left, const Value& right) {
  switch (left.kind) {
    case kBig: return compare_bigs(left, right);
    case kUnsigned: {
      const auto low = static_cast<std::uint64_t>(left.number);
      return order(low, static_cast<std::uint64_t>(right.number));
    }
    case kText:
    case kSymbol: return compare_texts(left.text, right.text);
    case kUuid: return compare_uuids(left, right);
    default: return order(left.number, right.number);  // kBoolean, kChar, kTimestamp
  }
}

template <class T>
std::optional<Value> integer_of(const Text& text, Kind kind) {
  using Limits = std::numeric_limits<T>;
  const auto number = parse_java_integer(text, Limits::min(), Limits::max());
  if (!number) return std::nullopt;
  return number_value(kind, *number);
}

// Boolean.valueOf(): everything but "true" is false.
bool boolean_of(const Text& text) {
  static constexpr std::string_view kTrue = "true";
  UnitReader units(text);
  for (const char wanted : kTrue) {
    const std::int32_t unit = units.next_unit();
    if (unit != wanted && unit != wanted - 'a' + 'A') return false;
  }
  return units.next_unit() == kEndOfText;
}

// The text as a value of the kind; nothing when it is none.
std::optional<Value> convert_text(const Text& text, Kind kind) {
  switch (kind) {
    case kBoolean: return boolean_value(boolean_of(text));
    case kByte: return integer_of<std::int8_t>(text, kind);
    case kShort: return integer_of<std::int16_t>(text, kind);
    case kInt: return integer_of<std::int32_t>(text, kind);
    case kLong: return integer_of<std::int64_t>(text, kind);
    case kFloat: {
      const auto real = parse_java_float(text);
      if (!real) return std::nullopt;
      return real_value(kind, static_cast<double>(*real));
    }
    case kDouble: {
      const auto real = parse_java_double(text);
      if (!real) return std::nullopt;
      return real_value(kind, *real);
    }
    default: return std::nullopt;
  }
}

bool is_same_class(const Value& left, const Value& right) {
  return left.kind == right.kind && left.type == right.type;
}

}  // namespace

std::optional<int> compare(const Value& left, const Value& right, bool convert) {
  if (is_number(left.kind) && is_number(right.kind)) return compare_numbers(left, right);
  if (is_same_class(left, right)) return compare_same_kind(left, right);
  if (!convert) return std::nullopt;
  if (right.kind == kText) {
    const auto converted = convert_text(right.text, left.kind);
    return converted ? compare(left, *converted, false) : std::nullopt;
  }
  if (left.kind == kText) {
    const auto converted = convert_text(left.text, right.kind);
    return converted ? compare(*converted, right, false) : std::nullopt;
  }
  return std::nullopt;
}

bool equal(const Value& left, const Value& right, bool convert) {
  if (left.kind == kText && right.kind == kText) return equal_texts(left.text, right.text);
  if (is_comparable(left) && is_comparable(right)) return compare(left, right, convert) == 0;
  if (!is_same_class(left, right)) return false;
  const Bytes left_bytes = left.text.raw();
  const Bytes right_bytes = right.text.raw();
  if (left_bytes.size() != right_bytes.size()) return false;
  // Java arrays are equal only to themselves: the same property, looked up twice.
  if (left.kind == kBytes) return !left.flag && left_bytes.data() == right_bytes.data();
  return std::ranges::equal(left_bytes, right_bytes);
}

}  // namespace saranga::message::selector
