// Numbers as Java reads and spells them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/bytes/text.h"

namespace saranga::message::selector {

/// A decimal number that Double.parseDouble() would take: digits, a point, an exponent. The caller
/// has checked the form. Too large is infinity, too small zero.
[[nodiscard]] double parse_decimal(std::string_view digits);

/// Long.parseLong() and its smaller relatives: a sign, decimal digits, and a value in the range.
[[nodiscard]] std::optional<std::int64_t> parse_java_integer(const Text& text, std::int64_t minimum,
                                                             std::int64_t maximum);

/// Double.parseDouble(): blanks around are ignored; NaN, Infinity, hexadecimal numbers and a type
/// suffix are understood.
[[nodiscard]] std::optional<double> parse_java_double(const Text& text);
/// Float.parseFloat(): the same, rounded once to a float.
[[nodiscard]] std::optional<float> parse_java_float(const Text& text);

/// Double.toString() and Float.toString(), by the rules of Java 19: the shortest digits that read
/// back. Older releases give more digits in rare cases.
[[nodiscard]] std::string spell_double(double value);
[[nodiscard]] std::string spell_float(float value);

}  // namespace saranga::message::selector
