// Strings and numbers as they are stored; whatever is encoded is read back by the cursor.
#include "saranga/bytes/encoder.h"

#include <catch2/catch.hpp>
#include <string>

#include "saranga/bytes/cursor.h"

using namespace saranga;

namespace {

std::string hex(const Encoder& encoder) {
  std::string text;
  for (const std::byte b : encoder.view()) {
    static constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned>(b) >> 4];
    text += kDigits[static_cast<unsigned>(b) & 15];
  }
  return text;
}

}  // namespace

TEST_CASE("numbers are big-endian, and there are two booleans", "[bytes]") {
  Encoder out;
  out.i8(-2).u16(0x1234).i32(-1).i64(0x0102030405060708).f64(1.5);
  out.boolean(true).boolean(false).flag(true).flag(false);
  CHECK(hex(out) == "fe1234ffffffff01020304050607083ff8000000000000ff000100");
  CHECK(out.position() == 27);
}

TEST_CASE("strings have the bytes that Artemis gives them", "[bytes]") {
  Encoder simple;
  simple.simple_string(Text("a\xC3\xA9"));
  CHECK(hex(simple) == "000000046100e900");
  Encoder short_string;
  short_string.string(Text("abc"));
  CHECK(hex(short_string) == "00000003006100620063");
  Encoder middle;
  middle.string(Text("12345678\xC3\xA9"));
  CHECK(hex(middle) == "00000009000a3132333435363738c3a9");
  Encoder cesu;
  cesu.string(
      Text(std::string_view("\0\xF0\x9F\x98\x80"
                            "aaaaaa",
                            11)));
  CHECK(hex(cesu) == "00000009000d00eda0bdedb880616161616161");
  Encoder edge;
  edge.string(Text(std::string(4094, 'z')));
  CHECK(edge.position() == 4100);
  Encoder large;
  large.string(Text(std::string(4095, 'z')));
  CHECK(large.position() == 8198);
  Encoder null;
  null.nullable_simple_string(std::nullopt).nullable_string(std::nullopt);
  CHECK(hex(null) == "0000");
}

TEST_CASE("what is encoded is read back, whatever its encoding was", "[bytes]") {
  for (const std::string& text :
       {std::string(), std::string("q"), std::string("\xF0\x9F\x98\x80 and \xE2\x82\xAC"),
        std::string(300, 'x') + "\xC3\xA9", std::string(5000, 'y')}) {
    Encoder out;
    out.simple_string(Text(text)).string(Text(text)).utf(Text(text)).nullable_string(Text(text));
    Encoder again;
    Cursor cursor(out.view());
    const Text simple = cursor.simple_string();
    const Text string = cursor.string();
    const Text utf = cursor.utf();
    const auto nullable = cursor.nullable_string();
    REQUIRE(cursor.ok());
    CHECK(cursor.at_end());
    CHECK(simple.str() == text);
    CHECK(string.str() == text);
    CHECK(utf.str() == text);
    REQUIRE(nullable);
    CHECK(nullable->str() == text);
    // Each of them may have been stored in another way before.
    again.simple_string(utf).string(simple).utf(string).nullable_string(utf);
    CHECK(hex(again) == hex(out));
  }
}

TEST_CASE("what the format cannot hold is told when the bytes are taken", "[bytes]") {
  std::string euros;
  for (int i = 0; i < 30000; ++i) euros += "\xE2\x82\xAC";
  Encoder out;
  out.utf(Text(euros)).i32(1);
  CHECK_FALSE(out.ok());
  const auto taken = out.take();
  REQUIRE_FALSE(taken);
  CHECK(taken.error().text == "cannot be encoded: is a string of more than 65535 bytes");
  CHECK(out.take().value().empty());
}
