#include "libmessage/selector/work_texts.h"

#include "libmessage/selector/java_number.h"
#include "libmessage/selector/units.h"
#include "saranga/message/selector.h"

namespace saranga::message::selector {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

void append_hex(std::string& out, std::byte byte) {
  out += kHexDigits[static_cast<unsigned>(byte) >> 4];
  out += kHexDigits[static_cast<unsigned>(byte) & 15];
}

std::string two_digits(std::int64_t number) {
  return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

// As java.util.Date prints a time, in a broker whose time zone is UTC.
std::string spell_date(std::int64_t ms) {
  // The first of January of 1970 was a Thursday.
  static constexpr std::string_view kWeekdays = "ThuFriSatSunMonTueWed";
  static constexpr std::string_view kMonths = "MarAprMayJunJulAugSepOctNovDecJanFeb";
  static constexpr std::int64_t kDayMs = 86'400'000;
  static constexpr std::int64_t kDaysIn400Years = 146'097;
  const auto floor_divide = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); };
  const std::int64_t days = floor_divide(ms, kDayMs);
  const std::int64_t seconds = (ms - days * kDayMs) / 1000;
  // Years that begin in March have their leap day at the end.
  const std::int64_t since_march = days + 719'468;  // since the first of March of the year 0
  const std::int64_t cycle = floor_divide(since_march, kDaysIn400Years);
  const std::int64_t day = since_march - cycle * kDaysIn400Years;
  const std::int64_t year = (day - day / 1460 + day / 36'524 - day / 146'096) / 365;
  const std::int64_t day_of_year = day - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  const std::int64_t weekday = days - 7 * floor_divide(days, 7);
  std::string out(kWeekdays.substr(static_cast<std::size_t>(3 * weekday), 3));
  out += ' ';
  out += kMonths.substr(static_cast<std::size_t>(3 * month), 3);
  out += ' ' + two_digits(day_of_year - (153 * month + 2) / 5 + 1);
  out += ' ' + two_digits(seconds / 3600) + ':' + two_digits(seconds / 60 % 60) + ':' +
         two_digits(seconds % 60) + " UTC ";
  return out + std::to_string(year + 400 * cycle + (month >= 10 ? 1 : 0));
}

}  // namespace

bool WorkTexts::charge(std::size_t bytes) {
  if (bytes > Selector::kMaximumWorkBytes - used_bytes_) return false;
  used_bytes_ += bytes;
  return true;
}

void WorkTexts::append_unit(std::string& out, std::int32_t unit) {
  if (encoding_ == TextEncoding::kUtf16Le) return append_utf16(out, unit);
  append_utf8(out, unit);
}

bool WorkTexts::append(std::string& out, const Text& text) {
  // Twice the size is enough for what another encoding takes.
  const bool same = text.encoding() == encoding_;
  if (!charge(same ? text.raw().size() : 2 * text.raw().size())) return false;
  if (same) {
    out += as_text(text.raw());
    return true;
  }
  UnitReader reader(text);
  if (encoding_ == TextEncoding::kUtf16Le) {
    for (std::int32_t c; (c = reader.next_unit()) != kEndOfText;) append_utf16(out, c);
  } else {
    for (std::int32_t c; (c = reader.next_code_point()) != kEndOfText;) append_utf8(out, c);
  }
  return true;
}

bool WorkTexts::append_ascii(std::string& out, std::string_view ascii) {
  return append(out, Text(ascii));
}

bool WorkTexts::append_spelling(std::string& out, const Value& value) {
  switch (value.kind) {
    case Kind::kBoolean: return append_ascii(out, value.number != 0 ? "true" : "false");
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kInt:
    case Kind::kLong: return append_ascii(out, std::to_string(value.number));
    case Kind::kUnsigned:
      return append_ascii(out, std::to_string(static_cast<std::uint64_t>(value.number)));
    case Kind::kFloat: return append_ascii(out, spell_float(static_cast<float>(value.real)));
    case Kind::kDouble: return append_ascii(out, spell_double(value.real));
    case Kind::kBig: return append_ascii(out, value.flag ? "-" : "") && append(out, value.text);
    case Kind::kChar: append_unit(out, static_cast<std::int32_t>(value.number)); return charge(3);
    case Kind::kText:
    case Kind::kSymbol: return append(out, value.text);
    // Of this, and of what has no text of its own, Java writes the class and a number that is
    // another one in each run.
    case Kind::kBytes: return append_ascii(out, "[B@0");
    case Kind::kUuid: return append_ascii(out, spell_uuid(value.text.raw()));
    case Kind::kObject:
      if (value.type == amqp::Type::kBinary) {
        return append_ascii(out, spell_binary(value.text.raw()));
      }
      return append_ascii(out, amqp::type_name(value.type)) && append_ascii(out, "@0");
    case Kind::kTimestamp: return append_ascii(out, spell_date(value.number));
    case Kind::kNull: return true;
  }
  return false;
}

std::string spell_uuid(Bytes bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    append_hex(out, bytes[i]);
  }
  return out;
}

std::string spell_binary(Bytes bytes) {
  std::string out;
  for (const std::byte byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if (c >= ' ' && c < 0x7F && c != '\\') {
      out += static_cast<char>(c);
    } else {
      out += "\\x";
      append_hex(out, byte);
    }
  }
  return out;
}

}  // namespace saranga::message::selector
