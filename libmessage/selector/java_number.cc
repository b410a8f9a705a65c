#include "libmessage/selector/java_number.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "libmessage/selector/units.h"

namespace saranga::message::selector {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// The text when all of it is ASCII: no number has anything else.
std::optional<std::string> ascii_of(const Text& text) {
  std::string out;
  UnitReader units(text);
  for (std::int32_t unit; (unit = units.next_unit()) != kEndOfText;) {
    if (unit >= 0x80) return std::nullopt;
    out += static_cast<char>(unit);
  }
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() <= ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() <= ' ') text.remove_suffix(1);
  return text;
}

// Takes one of two characters off the front.
bool take(std::string_view& text, char lower, char upper) {
  if (text.empty() || (text.front() != lower && text.front() != upper)) return false;
  text.remove_prefix(1);
  return true;
}

template <class Predicate>
std::size_t take_run(std::string_view& text, Predicate predicate) {
  std::size_t count = 0;
  while (count < text.size() && predicate(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

// An unsigned number of the form that Java wants.
struct Form {
  std::string_view number;  // without "0x" and suffix
  bool hexadecimal = false;
};

std::optional<Form> check_form(std::string_view text) {
  Form form;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    form.hexadecimal = true;
    text.remove_prefix(2);
  }
  form.number = text;
  const auto digit = form.hexadecimal ? is_hex_digit : is_digit;
  std::size_t digits = take_run(text, digit);
  if (take(text, '.', '.')) digits += take_run(text, digit);
  if (digits == 0) return std::nullopt;
  const bool exponent = form.hexadecimal ? take(text, 'p', 'P') : take(text, 'e', 'E');
  if (exponent) {
    take(text, '-', '+');
    if (take_run(text, is_digit) == 0) return std::nullopt;
  } else if (form.hexadecimal) {
    return std::nullopt;
  }
  form.number.remove_suffix(text.size());
  if (!take(text, 'd', 'D')) take(text, 'f', 'F');
  if (!text.empty()) return std::nullopt;
  return form;
}

// Whether a number that is out of range is too large, rather than too small: the place of its first
// digit that counts, together with the exponent, decides.
bool is_too_large(std::string_view number, bool hexadecimal) {
  const auto digit = hexadecimal ? is_hex_digit : is_digit;
  std::int64_t place = 0;
  bool seen = false;
  bool behind_point = false;
  std::size_t at = 0;
  for (; at < number.size() && (digit(number[at]) || number[at] == '.'); ++at) {
    if (number[at] == '.') {
      behind_point = true;
      continue;
    }
    seen = seen || number[at] != '0';
    if (!behind_point && seen) ++place;
    if (behind_point && !seen) --place;
  }
  if (at == number.size()) return place > 0;
  std::string_view exponent = number.substr(at + 1);
  const bool negative = exponent.starts_with('-');
  if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t value = 0;
  const auto end = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
  if (end.ec != std::errc{}) return !negative;
  if (hexadecimal) place *= 4;
  return (negative ? -value : value) > -place;
}

template <class T>
T read_number(std::string_view number, bool hexadecimal) {
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  T value = 0;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), value, format);
  if (end.ec != std::errc::result_out_of_range) return value;
  return is_too_large(number, hexadecimal) ? std::numeric_limits<T>::infinity() : T{0};
}

template <class T>
std::optional<T> parse_floating(const Text& text) {
  const auto ascii = ascii_of(text);
  if (!ascii) return std::nullopt;
  std::string_view rest = trim(*ascii);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  T value = 0;
  if (rest == "NaN") {
    value = std::numeric_limits<T>::quiet_NaN();
  } else if (rest == "Infinity") {
    value = std::numeric_limits<T>::infinity();
  } else {
    const auto form = check_form(rest);
    if (!form) return std::nullopt;
    value = read_number<T>(form->number, form->hexadecimal);
  }
  return negative ? -value : value;
}

// Digits and exponent of a number above zero, from "d.ddde±xx".
struct Decimal {
  std::string digits;
  int exponent = 0;
};

template <class T>
Decimal shortest_decimal(T value) {
  char text[64];
  const auto scientific = std::chars_format::scientific;
  const char* end = std::to_chars(text, text + sizeof text, value, scientific).ptr;
  // Java wants two digits at least, and then takes the two that are closest.
  if (text[1] != '.') end = std::to_chars(text, text + sizeof text, value, scientific, 1).ptr;
  Decimal decimal;
  const char* at = text;
  for (; at != end && *at != 'e'; ++at) {
    if (*at != '.') decimal.digits += *at;
  }
  if (at != end) ++at;
  if (at != end && *at == '+') ++at;
  std::from_chars(at, end, decimal.exponent);
  if (decimal.digits.size() == 2 && decimal.digits[1] == '0') decimal.digits.pop_back();
  return decimal;
}

std::string spell_plain(const Decimal& decimal) {
  if (decimal.exponent < 0) {
    const auto zeros = static_cast<std::size_t>(-decimal.exponent - 1);
    return "0." + std::string(zeros, '0') + decimal.digits;
  }
  std::string digits = decimal.digits;
  const auto whole = static_cast<std::size_t>(decimal.exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  const std::string fraction = digits.size() > whole ? digits.substr(whole) : "0";
  return digits.substr(0, whole) + "." + fraction;
}

template <class T>
std::string spell_floating(T value) {
  if (std::isnan(value)) return "NaN";
  const std::string sign = std::signbit(value) ? "-" : "";
  const T size = std::fabs(value);
  if (std::isinf(size)) return sign + "Infinity";
  if (!(size > 0)) return sign + "0.0";
  const Decimal decimal = shortest_decimal(size);
  if (size >= T(1e-3) && size < T(1e7)) return sign + spell_plain(decimal);
  const std::string fraction = decimal.digits.size() > 1 ? decimal.digits.substr(1) : "0";
  return sign + decimal.digits.substr(0, 1) + "." + fraction + "E" +
         std::to_string(decimal.exponent);
}

}  // namespace

double parse_decimal(std::string_view digits) { return read_number<double>(digits, false); }

std::optional<std::int64_t> parse_java_integer(const Text& text, std::int64_t minimum,
                                               std::int64_t maximum) {
  const auto ascii = ascii_of(text);
  if (!ascii) return std::nullopt;
  std::string_view digits = *ascii;
  // from_chars() takes a minus itself, but no plus.
  if (digits.size() > 1 && digits[0] == '+' && is_digit(digits[1])) digits.remove_prefix(1);
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  if (value < minimum || value > maximum) return std::nullopt;
  return value;
}

std::optional<double> parse_java_double(const Text& text) { return parse_floating<double>(text); }
std::optional<float> parse_java_float(const Text& text) { return parse_floating<float>(text); }

std::string spell_double(double value) { return spell_floating(value); }
std::string spell_float(float value) { return spell_floating(value); }

}  // namespace saranga::message::selector
