// The cursor: every kind of value at every number of bytes left, and how it fails.
#include "saranga/bytes/cursor.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "tests/support/journal_builder.h"

using saranga::Bytes;
using saranga::Cursor;
using saranga::Text;
using saranga::TextEncoding;
using saranga::test::BodyBuilder;
using saranga::test::Buffer;
using saranga::test::hex_bytes;

namespace {

/// Reads one value of the bytes 81 02 03 … and gives it as a number.
struct Read {
  const char* name;
  std::size_t width;
  std::int64_t expected;
  std::int64_t (*read)(Cursor&);
};

template <auto kMember>
std::int64_t read_as_number(Cursor& cursor) {
  return static_cast<std::int64_t>((cursor.*kMember)());
}

constexpr Read kReads[] = {
    {"u8", 1, 0x81, read_as_number<&Cursor::u8>},
    {"i8", 1, -127, read_as_number<&Cursor::i8>},
    {"boolean", 1, 1, read_as_number<&Cursor::boolean>},
    {"u16", 2, 0x8102, read_as_number<&Cursor::u16>},
    {"i16", 2, static_cast<std::int16_t>(0x8102), read_as_number<&Cursor::i16>},
    {"u32", 4, 0x81020304, read_as_number<&Cursor::u32>},
    {"i32", 4, static_cast<std::int32_t>(0x81020304), read_as_number<&Cursor::i32>},
    {"u64", 8, static_cast<std::int64_t>(0x8102030405060708), read_as_number<&Cursor::u64>},
    {"i64", 8, static_cast<std::int64_t>(0x8102030405060708), read_as_number<&Cursor::i64>},
};

/// Whether a text of the given encoded bytes is cut off wherever the bytes end too early.
template <class ReadText>
void check_every_length(const Buffer& whole, std::string_view expected, ReadText read_text) {
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    Cursor cursor(Bytes(whole).first(length));
    const Text text = read_text(cursor);
    if (length == whole.size()) {
      CHECK(cursor.ok());
      CHECK(cursor.at_end());
      CHECK(text.str() == expected);
    } else if (cursor.ok() || !text.empty()) {
      FAIL("of " << whole.size() << " bytes " << length << " are enough");
    }
  }
}

}  // namespace

TEST_CASE("a number is read when all its bytes are there, and not before") {
  const Buffer bytes = hex_bytes("81 02 03 04 05 06 07 08 09");
  for (const Read& read : kReads) {
    for (std::size_t left = 0; left <= bytes.size(); ++left) {
      INFO(read.name << " of " << left << " bytes");
      Cursor cursor(Bytes(bytes).first(left));
      const std::int64_t value = read.read(cursor);
      CHECK(cursor.ok() == (left >= read.width));
      CHECK(value == (left >= read.width ? read.expected : 0));
      CHECK(cursor.position() == (left >= read.width ? read.width : 0));
      CHECK(cursor.remaining() == left - cursor.position());
      CHECK(cursor.at_end() == (left == cursor.position()));
    }
  }
}

TEST_CASE("floating-point numbers are read by their bits") {
  const Buffer bytes = hex_bytes("3FC00000  C004000000000000  7FC00001  FFF0000000000000");
  Cursor cursor(bytes);
  CHECK(cursor.f32() == 1.5F);
  CHECK(cursor.f64() == -2.5);
  CHECK(std::bit_cast<std::uint32_t>(cursor.f32()) == 0x7FC00001U);
  CHECK(cursor.f64() == -std::numeric_limits<double>::infinity());
  CHECK(cursor.ok());
  CHECK(cursor.at_end());
}

TEST_CASE("every byte but zero is true") {
  for (unsigned value = 0; value < 256; ++value) {
    const std::byte byte{static_cast<unsigned char>(value)};
    Cursor cursor(Bytes(&byte, 1));
    CHECK(cursor.boolean() == (value != 0));
  }
}

TEST_CASE("after the first failure nothing is read any more and the place stays") {
  const Buffer bytes = hex_bytes("00 00 00 01 02");
  Cursor cursor(bytes);
  CHECK(cursor.i32() == 1);
  CHECK(cursor.i16() == 0);
  REQUIRE_FALSE(cursor.ok());
  CHECK(cursor.position() == 4);
  CHECK(cursor.u8() == 0);  // there is a byte, but the cursor has stopped
  CHECK(cursor.take(0).empty());
  CHECK(cursor.take(1).empty());
  CHECK(cursor.simple_string().empty());
  CHECK(cursor.string().empty());
  CHECK(cursor.utf().empty());
  CHECK_FALSE(cursor.nullable_string());
  CHECK_FALSE(cursor.nullable_simple_string());
  CHECK(cursor.sized_bytes().empty());
  CHECK(cursor.f64() == 0);
  CHECK(cursor.position() == 4);
  CHECK(cursor.remaining() == 1);
  CHECK(std::string(cursor.problem()) == "runs past its end");
  const saranga::Error error = cursor.error();
  CHECK(error.code == saranga::ErrorCode::kDamaged);
  CHECK(error.text == "value runs past its end");
  CHECK(error.offset == 4);
}

TEST_CASE("the first problem is the one that is told") {
  Cursor cursor{Bytes()};
  CHECK(std::string(cursor.problem()).empty());
  cursor.fail("makes no sense");
  CHECK(cursor.u8() == 0);
  cursor.fail("is something else");
  CHECK(std::string(cursor.problem()) == "makes no sense");
}

TEST_CASE("a copy of a cursor goes its own way") {
  const Buffer bytes = hex_bytes("01 02");
  Cursor cursor(bytes);
  Cursor copy = cursor;
  CHECK(copy.u16() == 0x0102);
  CHECK(copy.u8() == 0);
  CHECK_FALSE(copy.ok());
  CHECK(cursor.ok());
  CHECK(cursor.u8() == 1);
}

TEST_CASE("a stretch of bytes is taken whole or not at all") {
  const Buffer bytes = hex_bytes("0A 0B 0C");
  for (std::size_t count = 0; count <= 5; ++count) {
    Cursor cursor(bytes);
    CHECK(cursor.take(count).size() == (count <= 3 ? count : 0));
    CHECK(cursor.ok() == (count <= 3));
  }
  Cursor cursor(bytes);
  CHECK(cursor.u8() == 0x0A);
  CHECK(cursor.take(std::numeric_limits<std::uint64_t>::max()).empty());
  CHECK_FALSE(cursor.ok());
  CHECK(cursor.position() == 1);
}

TEST_CASE("sized bytes: the length is checked before anything is taken") {
  CHECK(Cursor(hex_bytes("00000000")).sized_bytes().empty());
  for (const char* bad : {"FFFFFFFF", "80000000", "FFFFFFF8 0102030405060708"}) {
    const Buffer bytes = hex_bytes(bad);
    Cursor cursor(bytes);
    CHECK(cursor.sized_bytes().empty());
    CHECK(std::string(cursor.problem()) == "has a negative length");
  }
  for (const char* bad : {"", "000000", "00000001", "7FFFFFFF 00"}) {
    const Buffer bytes = hex_bytes(bad);
    Cursor cursor(bytes);
    CHECK(cursor.sized_bytes().empty());
    CHECK(std::string(cursor.problem()) == "runs past its end");
  }
  const Buffer bytes = hex_bytes("00000002 0A0B 0C");
  Cursor cursor(bytes);
  CHECK(cursor.sized_bytes().size() == 2);
  CHECK(cursor.remaining() == 1);
}

TEST_CASE("the three ways to store a text, each cut at every byte") {
  check_every_length(BodyBuilder().simple_string("abc"), "abc",
                     [](Cursor& c) { return c.simple_string(); });
  check_every_length(hex_bytes("0003 61 C3A9"), "aé", [](Cursor& c) { return c.utf(); });
  for (const std::size_t units : {0UL, 1UL, 8UL, 9UL, 10UL, 4094UL, 4095UL, 4096UL}) {
    INFO(units << " units");
    const std::string text(units, 'z');
    check_every_length(BodyBuilder().string(text), text, [](Cursor& c) { return c.string(); });
  }
}

TEST_CASE("a String changes its form at 9 and at 4095 units") {
  const auto encoding_of = [](std::size_t units) {
    const Buffer bytes = BodyBuilder().string(std::string(units, 'q'));
    Cursor cursor(bytes);
    const Text text = cursor.string();
    CHECK(cursor.at_end());
    return text.encoding();
  };
  CHECK(encoding_of(8) == TextEncoding::kUtf16Be);
  CHECK(encoding_of(9) == TextEncoding::kCesu8);
  CHECK(encoding_of(4094) == TextEncoding::kCesu8);
  CHECK(encoding_of(4095) == TextEncoding::kUtf16Le);
  // The sizes that docs/format/messages.md gives.
  CHECK(BodyBuilder().string("abc").bytes() == hex_bytes("00000003 006100620063"));
  CHECK(BodyBuilder().string("123456789").bytes().size() == 4 + 2 + 9);
  CHECK(BodyBuilder().string(std::string(4095, 'z')).bytes().size() == 8198);
}

TEST_CASE("texts with a negative length are refused") {
  for (const char* bad : {"FFFFFFFF 0000", "80000000 0000", "FFFFF001 00000000"}) {
    const Buffer bytes = hex_bytes(bad);
    Cursor string(bytes);
    CHECK(string.string().empty());
    CHECK(std::string(string.problem()) == "has a negative length");
    Cursor simple(bytes);
    CHECK(simple.simple_string().empty());
    CHECK(std::string(simple.problem()) == "has a negative length");
  }
  const Buffer inner =
      hex_bytes("00000FFF FFFFFFFE");  // a long String with a negative inner length
  Cursor cursor(inner);
  CHECK(cursor.string().empty());
  CHECK(std::string(cursor.problem()) == "has a negative length");
}

TEST_CASE("nullable texts: a flag byte decides, and any but zero means present") {
  for (const unsigned flag : {0x01U, 0x7FU, 0xFFU}) {
    const Buffer simple = BodyBuilder().u8(flag).simple_string("x");
    Cursor first(simple);
    const auto text = first.nullable_simple_string();
    REQUIRE(text);
    CHECK(text->equals("x"));
    const Buffer string = BodyBuilder().u8(flag).string("y");
    Cursor second(string);
    const auto other = second.nullable_string();
    REQUIRE(other);
    CHECK(other->equals("y"));
  }
  const Buffer null = hex_bytes("00 00");
  Cursor cursor(null);
  CHECK_FALSE(cursor.nullable_simple_string());
  CHECK_FALSE(cursor.nullable_string());
  CHECK(cursor.ok());
  CHECK_FALSE(cursor.nullable_string());  // no flag any more: not null, but a failure
  CHECK_FALSE(cursor.ok());
  const Buffer present_but_cut = hex_bytes("01 000000");
  Cursor cut(present_but_cut);
  CHECK(cut.nullable_simple_string().has_value());
  CHECK_FALSE(cut.ok());
}

TEST_CASE("numbers of any width are stored as they are loaded") {
  std::byte bytes[8] = {};
  saranga::store_be<std::int64_t>(bytes, -2);
  CHECK(saranga::load_be<std::int64_t>(bytes) == -2);
  CHECK(saranga::load_be<std::int32_t>(bytes + 4) == -2);
  saranga::store_be<std::uint16_t>(bytes, 0x0102);
  CHECK(bytes[0] == std::byte{1});
  CHECK(bytes[1] == std::byte{2});
  CHECK(saranga::load_be<std::uint16_t>(bytes) == 0x0102);
  CHECK(saranga::load_be<std::uint8_t>(bytes + 1) == 2);
}
