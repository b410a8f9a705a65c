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

// The local time of a quarter of an hour: zones only change on such boundaries, so lines of a run of
// messages share one call of the C library.
struct LocalQuarter {
  std::int64_t number = INT64_MIN;
  std::tm fields{};
};

constexpr std::int64_t kQuarterSeconds = 900;

const std::tm& local_quarter(std::int64_t seconds) {
  thread_local LocalQuarter cached;
  std::int64_t number = seconds / kQuarterSeconds;
  if (seconds % kQuarterSeconds < 0) --number;
  if (cached.number != number) {
    const std::time_t start = number * kQuarterSeconds;
    if (localtime_r(&start, &cached.fields) == nullptr) cached.fields = {};
    cached.number = number;
  }
  return cached.fields;
}

// Digits and decimal exponent of the shortest form, from to_chars' "d.ddde±xx".
struct Decimal {
  char digits[24];
  int count = 0;
  int exponent = 0;
};

template <class T>
Decimal shortest(T value) {
  char text[48];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  Decimal decimal;
  const char* at = text;
  for (; at != end && *at != 'e'; ++at) {
    if (*at != '.') decimal.digits[decimal.count++] = *at;
  }
  if (at != end) ++at;
  if (at != end && *at == '+') ++at;
  std::from_chars(at, end, decimal.exponent);
  return decimal;
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
  std::int64_t seconds = milliseconds / 1000;
  if (milliseconds % 1000 < 0) --seconds;
  const std::tm& quarter = local_quarter(seconds);
  const std::int64_t rest = ((seconds % kQuarterSeconds) + kQuarterSeconds) % kQuarterSeconds;
  out.put(kDays.substr(static_cast<std::size_t>(quarter.tm_wday) * 3, 3));
  out.put(' ');
  out.put(kMonths.substr(static_cast<std::size_t>(quarter.tm_mon) * 3, 3));
  out.put(' ');
  put_two(out, quarter.tm_mday);
  out.put(' ');
  put_two(out, quarter.tm_hour);
  out.put(':');
  put_two(out, quarter.tm_min + static_cast<int>(rest / 60));
  out.put(':');
  put_two(out, static_cast<int>(rest % 60));
  out.put(' ');
  out.put(quarter.tm_zone == nullptr ? std::string_view("UTC") : std::string_view(quarter.tm_zone));
  out.put(' ');
  // Java's Date has no year 0 and prints no sign: 1 BC is written as year 1.
  const std::int64_t year = 1900 + static_cast<std::int64_t>(quarter.tm_year);
  if (year < 1000 && year > -999) {
    put_two(out, static_cast<int>(year < 1 ? 1 - year : year) / 100);
    put_two(out, static_cast<int>(year < 1 ? 1 - year : year) % 100);
  } else {
    out.put_int(year < 1 ? 1 - year : year);
  }
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

void append_uuid(TextBuffer& out, Bytes bytes) {
  static constexpr std::size_t kGroups[] = {4, 2, 2, 2, 6};
  std::size_t at = 0;
  for (const std::size_t group : kGroups) {
    if (at != 0) out.put('-');
    append_hex(out, bytes.subspan(at, group));
    at += group;
  }
}

}  // namespace saranga::print
