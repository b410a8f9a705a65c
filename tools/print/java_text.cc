#include "tools/print/java_text.h"

#include <charconv>
#include <cmath>
#include <ctime>

#include "saranga/bytes/base64.h"

namespace saranga::print {
namespace {

// Replaces every surrogate left in WTF-8 (0xED 0xA0..0xBF x) behind `from` by '?'.
void replace_surrogates(TextBuffer& out, std::size_t from) {
  const std::string_view text = out.view();
  std::size_t at = text.find('\xED', from);
  if (at == std::string_view::npos) return;
  std::string fixed(text.substr(from, at - from));
  for (; at < text.size(); ++at) {
    const bool surrogate = text[at] == '\xED' && at + 2 < text.size() &&
                           static_cast<unsigned char>(text[at + 1]) >= 0xA0;
    fixed += surrogate ? '?' : text[at];
    if (surrogate) at += 2;
  }
  out.truncate(from);
  out.put(fixed);
}

void put_two(TextBuffer& out, int value) {
  char* at = out.reserve(2);
  at[0] = static_cast<char>('0' + value / 10 % 10);
  at[1] = static_cast<char>('0' + value % 10);
  out.commit(2);
}

constexpr std::int64_t kQuarterSeconds = 900;
constexpr std::int64_t kDaySeconds = 86400;
// 1582-10-15T00:00, local time: Java counts days before it in the Julian calendar.
constexpr std::int64_t kCutoverSeconds = -12219292800;

std::int64_t floor_divide(std::int64_t number, std::int64_t by) {
  return number / by - (number % by < 0 ? 1 : 0);
}

// The local time of a quarter of an hour: clocks are set on such boundaries, so lines of a run of
// messages share one call of the C library.
struct LocalQuarter {
  std::int64_t number = INT64_MIN;
  std::tm fields{};
};

std::tm local_time(std::int64_t seconds) {
  std::tm fields{};
  const std::time_t time = seconds;
  if (localtime_r(&time, &fields) == nullptr) fields = {};
  return fields;
}

std::tm fast_local_time(std::int64_t seconds) {
  thread_local LocalQuarter cached;
  const std::int64_t number = floor_divide(seconds, kQuarterSeconds);
  if (cached.number != number) {
    cached.fields = local_time(number * kQuarterSeconds);
    cached.number = number;
  }
  // Local mean times of the past are off by odd seconds.
  if (cached.fields.tm_gmtoff % kQuarterSeconds != 0) return local_time(seconds);
  std::tm fields = cached.fields;
  const std::int64_t rest = seconds - number * kQuarterSeconds;
  fields.tm_min += static_cast<int>(rest / 60);
  fields.tm_sec = static_cast<int>(rest % 60);
  return fields;
}

struct Day {
  std::int64_t year = 0;  // astronomical: 0 is 1 BC
  int month = 0;          // from 0
  int day = 0;
};

// The date that the Julian calendar has for a number of days since 1970.
Day julian_day(std::int64_t days) {
  static constexpr std::int64_t kFourYears = 1461;
  // Days since the first of March of the year -4800, which is a leap day's morrow.
  const std::int64_t since = days + 2440588 + 32082;
  const std::int64_t cycle = floor_divide(since, kFourYears);
  const std::int64_t in_cycle = since - cycle * kFourYears;
  const std::int64_t year = (4 * in_cycle + 3) / kFourYears;
  const std::int64_t in_year = in_cycle - kFourYears * year / 4;
  const std::int64_t month = (5 * in_year + 2) / 153;
  return {.year = cycle * 4 + year - 4800 + month / 10,
          .month = static_cast<int>((month + 2) % 12),
          .day = static_cast<int>(in_year - (153 * month + 2) / 5 + 1)};
}

// Digits and decimal exponent, from to_chars' "d.ddde±xx".
struct Decimal {
  char digits[24];
  int count = 0;
  int exponent = 0;
};

Decimal parse_decimal(const char* at, const char* end) {
  Decimal decimal;
  for (; at != end && *at != 'e'; ++at) {
    if (*at != '.') decimal.digits[decimal.count++] = *at;
  }
  while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') --decimal.count;
  if (at != end) ++at;
  if (at != end && *at == '+') ++at;
  std::from_chars(at, end, decimal.exponent);
  return decimal;
}

// The shortest digits that read back as the same number. Where one digit would do, Java takes the
// nearest of two digits.
template <class T>
Decimal shortest(T value) {
  static constexpr auto kForm = std::chars_format::scientific;
  char text[48];
  const auto end = std::to_chars(text, text + sizeof text, value, kForm).ptr;
  const Decimal decimal = parse_decimal(text, end);
  if (decimal.count > 1) return decimal;
  char two[48];
  const auto two_end = std::to_chars(two, two + sizeof two, value, kForm, 1).ptr;
  T again{};
  std::from_chars(two, two_end, again);
  return again == value ? parse_decimal(two, two_end) : decimal;
}

void put_plain(TextBuffer& out, const Decimal& d) {
  const std::string_view digits(d.digits, static_cast<std::size_t>(d.count));
  if (d.exponent < 0) {
    out.put("0.");
    for (int i = -1; i > d.exponent; --i) out.put('0');
    out.put(digits);
    return;
  }
  const auto whole = static_cast<std::size_t>(d.exponent) + 1;
  for (std::size_t i = 0; i < whole; ++i) out.put(i < digits.size() ? digits[i] : '0');
  out.put('.');
  out.put(digits.size() > whole ? digits.substr(whole) : std::string_view("0"));
}

template <class T>
void put_floating(TextBuffer& out, T value) {
  if (std::isnan(value)) return out.put("NaN");
  if (std::signbit(value)) out.put('-');
  value = std::fabs(value);
  if (std::isinf(value)) return out.put("Infinity");
  if (value == 0) return out.put("0.0");
  const Decimal d = shortest(value);
  if (value >= T(1e-3) && value < T(1e7)) return put_plain(out, d);
  const std::string_view digits(d.digits, static_cast<std::size_t>(d.count));
  out.put(digits.substr(0, 1));
  out.put('.');
  out.put(digits.size() > 1 ? digits.substr(1) : std::string_view("0"));
  out.put('E');
  out.put_int(d.exponent);
}

}  // namespace

void append_java_string(TextBuffer& out, const Text& text) {
  const std::size_t from = out.size();
  text.append_to(out);
  if (text.encoding() != TextEncoding::kUtf8) replace_surrogates(out, from);
}

void append_java_date(TextBuffer& out, std::int64_t milliseconds) {
  static constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::int64_t seconds = floor_divide(milliseconds, 1000);
  const std::tm local = fast_local_time(seconds);
  Day date{.year = std::int64_t{1900} + local.tm_year, .month = local.tm_mon, .day = local.tm_mday};
  const std::int64_t local_seconds = seconds + local.tm_gmtoff;
  if (local_seconds < kCutoverSeconds) date = julian_day(floor_divide(local_seconds, kDaySeconds));
  out.put(kDays.substr(static_cast<std::size_t>(local.tm_wday) * 3, 3));
  out.put(' ');
  out.put(kMonths.substr(static_cast<std::size_t>(date.month) * 3, 3));
  out.put(' ');
  put_two(out, date.day);
  out.put(' ');
  put_two(out, local.tm_hour);
  out.put(':');
  put_two(out, local.tm_min);
  out.put(':');
  put_two(out, local.tm_sec);
  out.put(' ');
  out.put(local.tm_zone == nullptr ? std::string_view("UTC") : std::string_view(local.tm_zone));
  out.put(' ');
  // Years before Christ have no sign.
  out.put_int(date.year < 1 ? 1 - date.year : date.year);
}

void append_java_double(TextBuffer& out, double value) { put_floating(out, value); }
void append_java_float(TextBuffer& out, float value) { put_floating(out, value); }

void append_java_char(TextBuffer& out, std::uint16_t unit) {
  if (unit >= 0xD800 && unit < 0xE000) return out.put('?');
  append_code_point(out, unit);
}

void append_java_hex(TextBuffer& out, Bytes bytes) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0 && i % 2 == 0) out.put(' ');
    out.put(kDigits[static_cast<unsigned>(bytes[i]) >> 4]);
    out.put(kDigits[static_cast<unsigned>(bytes[i]) & 15]);
  }
}

}  // namespace saranga::print
