// Values as Java prints them. The tables are the output of OpenJDK 25.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>
#include <thread>

#include "saranga/bytes/base64.h"
#include "tests/support/journal_builder.h"
#include "tools/print/java_text.h"

using namespace saranga;
using namespace saranga::test;

namespace {

template <class Append>
std::string text_of(Append append) {
  TextBuffer out;
  append(out);
  return out.str();
}

std::string date_of(std::int64_t milliseconds) {
  return text_of([=](TextBuffer& out) { print::append_java_date(out, milliseconds); });
}

std::string string_of(std::string_view hex) {
  const Buffer bytes = hex_bytes(hex);
  return text_of([&](TextBuffer& out) {
    print::append_java_string(out, Text(bytes, TextEncoding::kUtf16Le));
  });
}

// Dates in another time zone, on a thread of its own because each remembers what it computed last.
std::vector<std::string> dates_in(const char* zone, const std::vector<std::int64_t>& times) {
  const char* before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TZ", zone, 1);
  tzset();
  std::vector<std::string> dates;
  std::thread([&] {
    for (const std::int64_t time : times) dates.push_back(date_of(time));
  }).join();
  if (before == nullptr) {
    unsetenv("TZ");
  } else {
    setenv("TZ", kept.c_str(), 1);
  }
  tzset();
  return dates;
}

struct Double {
  std::uint64_t bits;
  std::string_view text;
};

constexpr Double kDoubles[] = {
    {0x0, "0.0"},
    {0x8000000000000000, "-0.0"},
    {0x3ff0000000000000, "1.0"},
    {0xbff8000000000000, "-1.5"},
    {0x3fb999999999999a, "0.1"},
    {0x4059000000000000, "100.0"},
    {0x3f50624dd2f1a9fc, "0.001"},
    {0x3f5061e273273f09, "9.999E-4"},
    {0x416312cfe0000000, "9999999.0"},
    {0x416312d000000000, "1.0E7"},
    {0x41678c29dccccccd, "1.23456789E7"},
    {0x444b1ae4d6e2ef50, "1.0E21"},
    {0x44c52d02c7e14af6, "2.0E23"},
    {0x44b52d02c7e14af6, "1.0E23"},
    {0x3fd5555555555555, "0.3333333333333333"},
    {0x1, "4.9E-324"},
    {0x2, "9.9E-324"},
    {0x3, "1.5E-323"},
    {0xa, "4.9E-323"},
    {0x10000000000000, "2.2250738585072014E-308"},
    {0x7fefffffffffffff, "1.7976931348623157E308"},
    {0x4340000000000000, "9.007199254740992E15"},
    {0x43e0000000000000, "9.223372036854776E18"},
    {0x3ee711947cfa26a2, "1.1E-5"},
    {0x3f60624dd2f1a9fc, "0.002"},
    {0x7ff0000000000000, "Infinity"},
    {0xfff0000000000000, "-Infinity"},
    {0x7ff8000000000000, "NaN"},
    {0xfff8000000000001, "NaN"},
};

struct Float {
  std::uint32_t bits;
  std::string_view text;
};

constexpr Float kFloats[] = {
    {0x0, "0.0"},
    {0x80000000, "-0.0"},
    {0x3f800000, "1.0"},
    {0x3dcccccd, "0.1"},
    {0x3a83126f, "0.001"},
    {0x3a830f14, "9.999E-4"},
    {0x4b189680, "1.0E7"},
    {0x4b18967f, "9999999.0"},
    {0x1, "1.4E-45"},
    {0x2, "2.8E-45"},
    {0x800000, "1.1754944E-38"},
    {0x7f7fffff, "3.4028235E38"},
    {0x4b800000, "1.6777216E7"},
    {0x40533333, "3.3"},
    {0x501502f9, "1.0E10"},
    {0x3eaaaaab, "0.33333334"},
    {0x63e3f419, "8.41E21"},
    {0x3b03126f, "0.002"},
    {0x7f800000, "Infinity"},
    {0xff800000, "-Infinity"},
    {0x7fc00000, "NaN"},
};

}  // namespace

TEST_CASE("doubles have the digits of Java", "[java]") {
  for (const auto& [bits, text] : kDoubles) {
    CHECK(text_of([value = bits](TextBuffer& out) {
            print::append_java_double(out, std::bit_cast<double>(value));
          }) == text);
  }
}

TEST_CASE("floats have the digits of Java", "[java]") {
  for (const auto& [bits, text] : kFloats) {
    CHECK(text_of([value = bits](TextBuffer& out) {
            print::append_java_float(out, std::bit_cast<float>(value));
          }) == text);
  }
}

TEST_CASE("dates of our time read as Java writes them", "[java]") {
  CHECK(dates_in("UTC", {1, 999, 1700000002000, 1711846799999, 4102444800000}) ==
        std::vector<std::string>{"Thu Jan 01 00:00:00 UTC 1970", "Thu Jan 01 00:00:00 UTC 1970",
                                 "Tue Nov 14 22:13:22 UTC 2023", "Sun Mar 31 00:59:59 UTC 2024",
                                 "Fri Jan 01 00:00:00 UTC 2100"});
}

TEST_CASE("dates before 1970 are rounded down", "[java]") {
  CHECK(dates_in("UTC", {-1, -1000, -1001, -86400000}) ==
        std::vector<std::string>{"Wed Dec 31 23:59:59 UTC 1969", "Wed Dec 31 23:59:59 UTC 1969",
                                 "Wed Dec 31 23:59:58 UTC 1969", "Wed Dec 31 00:00:00 UTC 1969"});
}

TEST_CASE("dates before the Gregorian calendar are Julian, years have no sign", "[java]") {
  CHECK(dates_in("UTC", {-12219292800000, -12219292800001, -62135596800000, -62135769600000,
                         -62135769600001, -62167219200001, INT64_MIN}) ==
        std::vector<std::string>{"Fri Oct 15 00:00:00 UTC 1582", "Thu Oct 04 23:59:59 UTC 1582",
                                 "Mon Jan 03 00:00:00 UTC 1", "Sat Jan 01 00:00:00 UTC 1",
                                 "Fri Dec 31 23:59:59 UTC 1", "Fri Jan 02 23:59:59 UTC 1",
                                 "Sun Dec 02 16:47:04 UTC 292269055"});
}

TEST_CASE("the last date of Java has its year", "[java]") {
  CHECK(dates_in("UTC", {253402300799999, 253402300800000, INT64_MAX}) ==
        std::vector<std::string>{"Fri Dec 31 23:59:59 UTC 9999", "Sat Jan 01 00:00:00 UTC 10000",
                                 "Sun Aug 17 07:12:55 UTC 292278994"});
}

TEST_CASE("dates are local", "[java]") {
  const std::vector<std::int64_t> times = {1700000002000, 1711846799000, 1711846800000};
  CHECK(dates_in("Europe/Berlin", times) ==
        std::vector<std::string>{"Tue Nov 14 23:13:22 CET 2023", "Sun Mar 31 01:59:59 CET 2024",
                                 "Sun Mar 31 03:00:00 CEST 2024"});
  CHECK(dates_in("America/New_York", times) ==
        std::vector<std::string>{"Tue Nov 14 17:13:22 EST 2023", "Sat Mar 30 20:59:59 EDT 2024",
                                 "Sat Mar 30 21:00:00 EDT 2024"});
  CHECK(dates_in("Asia/Kolkata", times) ==
        std::vector<std::string>{"Wed Nov 15 03:43:22 IST 2023", "Sun Mar 31 06:29:59 IST 2024",
                                 "Sun Mar 31 06:30:00 IST 2024"});
}

TEST_CASE("an offset of odd seconds is added whole", "[java]") {
  // Liberia was 44 minutes and 30 seconds behind until 1972.
  const auto dates = dates_in("Africa/Monrovia", {1, -1, 600000});
  CHECK(dates[0].starts_with("Wed Dec 31 23:15:30 "));
  CHECK(dates[1].starts_with("Wed Dec 31 23:15:29 "));
  CHECK(dates[2].starts_with("Wed Dec 31 23:25:30 "));
}

TEST_CASE("every second of a quarter of an hour is its own", "[java]") {
  std::vector<std::int64_t> times;
  for (std::int64_t second = 0; second < 1800; ++second) {
    times.push_back((1700000100 + second) * 1000);
  }
  const auto dates = dates_in("UTC", times);
  for (std::size_t i = 1; i < dates.size(); ++i) CHECK(dates[i - 1] < dates[i]);
  CHECK(dates.front() == "Tue Nov 14 22:15:00 UTC 2023");
  CHECK(dates.back() == "Tue Nov 14 22:44:59 UTC 2023");
}

TEST_CASE("strings come out as UTF-8, half a pair as a question mark", "[java]") {
  CHECK(string_of("6100e900") == "a\xC3\xA9");
  CHECK(string_of("3dd800de") == "\xF0\x9F\x98\x80");
  CHECK(string_of("61003dd86200") == "a?b");
  CHECK(string_of("00de00de3dd8") == "???");
  CHECK(string_of("ffff") == "\xEF\xBF\xBF");
  CHECK(string_of("00d7") == "\xED\x9C\x80");  // begins with the same byte as a surrogate
  CHECK(string_of("610062") == "a");
  CHECK(string_of("").empty());
}

TEST_CASE("UTF-8 of an AMQP message passes as it is", "[java]") {
  TextBuffer out;
  print::append_java_string(out, Text(std::string_view("\xF0\x9F\x98\x80 ok")));
  CHECK(out.view() == "\xF0\x9F\x98\x80 ok");
}

TEST_CASE("chars are characters", "[java]") {
  const std::pair<std::uint16_t, std::string_view> chars[] = {
      {'A', "A"},    {0xE9, "\xC3\xA9"},       {0x20AC, "\xE2\x82\xAC"}, {0xD800, "?"},
      {0xDFFF, "?"}, {0xD7FF, "\xED\x9F\xBF"}, {0xFFFF, "\xEF\xBF\xBF"}};
  for (const auto& [unit, text] : chars) {
    CHECK(text_of([value = unit](TextBuffer& out) { print::append_java_char(out, value); }) ==
          text);
  }
  CHECK(text_of([](TextBuffer& out) { print::append_java_char(out, 0); }) ==
        std::string_view("\0", 1));
}

TEST_CASE("bytes are upper-case digits in groups of four", "[java]") {
  const auto hex = [](std::string_view digits) {
    const Buffer bytes = hex_bytes(digits);
    return text_of([&](TextBuffer& out) { print::append_java_hex(out, bytes); });
  };
  CHECK(hex("").empty());
  CHECK(hex("0a") == "0A");
  CHECK(hex("0aff") == "0AFF");
  CHECK(hex("0aff01") == "0AFF 01");
  CHECK(hex("0aff0102 03") == "0AFF 0102 03");
}

TEST_CASE("a UUID has five groups", "[java]") {
  const Buffer bytes = hex_bytes("00112233445566778899aabbccddeeff");
  CHECK(text_of([&](TextBuffer& out) { append_uuid(out, bytes); }) ==
        "00112233-4455-6677-8899-aabbccddeeff");
}
