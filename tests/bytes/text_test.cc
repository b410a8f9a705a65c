// Texts: four encodings in, UTF-8 out; surrogates, malformed bytes, and the fast path for ASCII.
#include "saranga/bytes/text.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/journal_builder.h"

using saranga::Text;
using saranga::TextEncoding;
using saranga::test::Buffer;
using saranga::test::hex_bytes;

namespace {

constexpr std::string_view kReplaced = "\xEF\xBF\xBD";

std::string read(std::string_view hex, TextEncoding encoding) {
  return Text(hex_bytes(hex), encoding).str();
}

bool well_formed(std::string_view hex, TextEncoding encoding) {
  return Text(hex_bytes(hex), encoding).well_formed();
}

Buffer utf16(const std::u16string& units, bool little) {
  Buffer bytes;
  for (const char16_t unit : units) {
    const auto low = static_cast<std::byte>(unit & 0xFF);
    const auto high = static_cast<std::byte>(unit >> 8);
    bytes.push_back(little ? low : high);
    bytes.push_back(little ? high : low);
  }
  return bytes;
}

/// UTF-8 of one unit, written out independently of the library; surrogates as three bytes.
std::string utf8_of(char16_t unit) {
  const auto byte = [](unsigned value) { return static_cast<char>(value); };
  const unsigned c = unit;
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
}

}  // namespace

TEST_CASE("the same characters come out of every encoding") {
  // a, e acute, euro sign, musical G clef, NUL
  const std::string expected("a\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\0", 11);
  CHECK(read("6100 E900 AC20 34D8 1EDD 0000", TextEncoding::kUtf16Le) == expected);
  CHECK(read("0061 00E9 20AC D834 DD1E 0000", TextEncoding::kUtf16Be) == expected);
  CHECK(read("61 C3A9 E282AC EDA0B4 EDB49E 00", TextEncoding::kCesu8) == expected);
  CHECK(read("61 C3A9 E282AC F09D849E 00", TextEncoding::kUtf8) == expected);
  for (const TextEncoding encoding : {TextEncoding::kUtf16Le, TextEncoding::kUtf16Be,
                                      TextEncoding::kCesu8, TextEncoding::kUtf8}) {
    CHECK(Text({}, encoding).str().empty());
    CHECK(Text({}, encoding).well_formed());
    CHECK(Text({}, encoding).empty());
  }
  CHECK(Text("constant").str() == "constant");
  CHECK(Text().str().empty());
}

TEST_CASE("every unit of UTF-16 comes out as UTF-8, in either byte order") {
  for (unsigned unit = 0; unit < 0x10000; ++unit) {
    const std::u16string one(1, static_cast<char16_t>(unit));
    const std::string expected = utf8_of(one[0]);
    const bool same = Text(utf16(one, true), TextEncoding::kUtf16Le).str() == expected &&
                      Text(utf16(one, false), TextEncoding::kUtf16Be).str() == expected &&
                      Text(saranga::as_bytes(expected), TextEncoding::kCesu8).str() == expected;
    if (!same) FAIL("unit " << unit);
  }
}

TEST_CASE("pairs of surrogates at the ends of their ranges become one character") {
  CHECK(read("00D8 00DC", TextEncoding::kUtf16Le) == "\xF0\x90\x80\x80");
  CHECK(read("FFDB FFDF", TextEncoding::kUtf16Le) == "\xF4\x8F\xBF\xBF");
  CHECK(read("D800 DFFF", TextEncoding::kUtf16Be) == "\xF0\x90\x8F\xBF");
  CHECK(read("EDA080 EDB080", TextEncoding::kCesu8) == "\xF0\x90\x80\x80");
}

TEST_CASE("a surrogate without its partner keeps its three bytes") {
  const std::string high = "\xED\xA0\xB4";  // D834
  const std::string low = "\xED\xB4\x9E";   // DD1E
  CHECK(read("34D8", TextEncoding::kUtf16Le) == high);
  CHECK(read("1EDD", TextEncoding::kUtf16Le) == low);
  CHECK(read("34D8 6100", TextEncoding::kUtf16Le) == high + "a");
  CHECK(read("1EDD 34D8", TextEncoding::kUtf16Le) == low + high);
  CHECK(read("34D8 34D8 1EDD", TextEncoding::kUtf16Le) == high + "\xF0\x9D\x84\x9E");
  CHECK(read("D834 D834", TextEncoding::kUtf16Be) == high + high);
  CHECK(read("EDA0B4 61", TextEncoding::kCesu8) == high + "a");
  CHECK(well_formed("34D8", TextEncoding::kUtf16Le));  // Java strings may hold them
  CHECK(well_formed("EDA0B4", TextEncoding::kCesu8));
  CHECK_FALSE(well_formed("EDA0B4", TextEncoding::kUtf8));
}

TEST_CASE("an ASCII run ends exactly where another character stands") {
  for (std::size_t length = 1; length <= 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (const char16_t odd : {u'\x80', u'\xFF', u'\x100', u'\x7F00', u'\xD834', u'\xFFFD'}) {
        std::u16string units(length, u'x');
        units[at] = odd;
        std::string expected(at, 'x');
        expected += utf8_of(odd) + std::string(length - at - 1, 'x');
        if (Text(utf16(units, true), TextEncoding::kUtf16Le).str() != expected) {
          FAIL(length << " units, unit " << at << " is " << static_cast<unsigned>(odd));
        }
      }
    }
  }
}

TEST_CASE("every ASCII character passes the fast path at every position") {
  for (std::size_t at = 0; at < 9; ++at) {
    for (char16_t c = 0; c < 0x80; ++c) {
      std::u16string units(9, u'-');
      units[at] = c;
      std::string expected(9, '-');
      expected[at] = static_cast<char>(c);
      if (Text(utf16(units, true), TextEncoding::kUtf16Le).str() != expected) {
        FAIL("character " << static_cast<unsigned>(c) << " at " << at);
      }
    }
  }
}

TEST_CASE("texts are appended behind what is there, also when the buffer grows") {
  const std::u16string units(5000, u'y');
  saranga::TextBuffer out;
  out.put("head:");
  Text(utf16(units, true), TextEncoding::kUtf16Le).append_to(out);
  out.put(":tail");
  CHECK(out.str() == "head:" + std::string(5000, 'y') + ":tail");
}

TEST_CASE("an odd byte at the end of UTF-16 is no character") {
  CHECK(read("6100 62", TextEncoding::kUtf16Le) == "a");
  CHECK(read("0061 00", TextEncoding::kUtf16Be) == "a");
  CHECK(read("61", TextEncoding::kUtf16Le).empty());
  CHECK_FALSE(well_formed("6100 62", TextEncoding::kUtf16Le));
  CHECK_FALSE(well_formed("00", TextEncoding::kUtf16Be));
  CHECK(well_formed("6100 6200", TextEncoding::kUtf16Le));
}

TEST_CASE("malformed bytes become replacement characters, what surrounds them stays") {
  const std::string r(kReplaced);
  for (const TextEncoding encoding : {TextEncoding::kUtf8, TextEncoding::kCesu8}) {
    CHECK(read("61 80 62", encoding) == "a" + r + "b");  // a continuation without a lead
    CHECK(read("61 C3 62", encoding) == "a" + r + "b");  // a lead without a continuation
    CHECK(read("61 C3", encoding) == "a" + r);           // cut by the end
    CHECK(read("E2 82 61", encoding) == r + r + "a");
    CHECK(read("FF FE", encoding) == r + r);
    for (const char* bad : {"80", "C3", "C3 C3", "E2 82", "E2 28 A1", "FF", "F8 88 80 80 80"}) {
      INFO(bad);
      CHECK_FALSE(well_formed(bad, encoding));
    }
  }
  CHECK(read("F0 9D 84 9E", TextEncoding::kCesu8) == r + r + r + r);  // has no four-byte form
  CHECK_FALSE(well_formed("F0 9D 84 9E", TextEncoding::kCesu8));
}

TEST_CASE("UTF-8 beyond its limits is malformed") {
  for (const char* bad : {"C0 AF", "C1 BF", "E0 80 AF", "E0 9F BF", "F0 80 80 AF", "F0 8F BF BF",
                          "F4 90 80 80", "F5 80 80 80"}) {
    INFO(bad);
    CHECK_FALSE(well_formed(bad, TextEncoding::kUtf8));
    CHECK(read(bad, TextEncoding::kUtf8).starts_with(kReplaced));
  }
  for (const char* good :
       {"C2 80", "DF BF", "E0 A0 80", "EF BF BF", "F0 90 80 80", "F4 8F BF BF"}) {
    INFO(good);
    CHECK(well_formed(good, TextEncoding::kUtf8));
    CHECK(read(good, TextEncoding::kUtf8) == saranga::as_text(hex_bytes(good)));
  }
}

TEST_CASE("equality with ASCII compares characters, not bytes") {
  CHECK(Text(hex_bytes("6100 6200"), TextEncoding::kUtf16Le).equals("ab"));
  CHECK(Text(hex_bytes("0061 0062"), TextEncoding::kUtf16Be).equals("ab"));
  CHECK(Text(hex_bytes("61 62"), TextEncoding::kUtf8).equals("ab"));
  CHECK(Text(hex_bytes("61 62"), TextEncoding::kCesu8).equals("ab"));
  CHECK_FALSE(Text(hex_bytes("6100 6200"), TextEncoding::kUtf16Be).equals("ab"));
  CHECK_FALSE(Text(hex_bytes("6101 6200"), TextEncoding::kUtf16Le).equals("ab"));
  CHECK_FALSE(Text(hex_bytes("6100 6200"), TextEncoding::kUtf16Le).equals("a"));
  CHECK_FALSE(Text(hex_bytes("6100"), TextEncoding::kUtf16Le).equals("ab"));
  CHECK_FALSE(Text(hex_bytes("61 62 00"), TextEncoding::kUtf8).equals("ab"));
  CHECK(Text({}, TextEncoding::kUtf16Le).equals(""));
  CHECK(Text().equals(""));
}

TEST_CASE("code points are appended with as few bytes as they need") {
  saranga::TextBuffer out;
  for (const std::uint32_t c : {0x7FU, 0x80U, 0x7FFU, 0x800U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    append_code_point(out, c);
  }
  CHECK(out.view() ==
        "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
}
