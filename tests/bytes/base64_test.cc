// Base64 and hexadecimal text.
#include "saranga/bytes/base64.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/journal_builder.h"

using saranga::Base64Alphabet;
using saranga::Bytes;
using saranga::TextBuffer;
using saranga::test::Buffer;
using saranga::test::hex_bytes;
using saranga::test::text_bytes;

namespace {

std::string base64(const Buffer& bytes, Base64Alphabet alphabet = Base64Alphabet::kStandard) {
  TextBuffer out;
  append_base64(out, bytes, alphabet);
  return out.str();
}

/// Decodes by shifting bits, to compare with.
Buffer decode(const std::string& text, std::string_view last_two) {
  const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + std::string(last_two);
  Buffer bytes;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count));
  }
  return bytes;
}

}  // namespace

TEST_CASE("base64 gives the texts of RFC 4648") {
  CHECK(base64({}).empty());
  CHECK(base64(text_bytes("f")) == "Zg==");
  CHECK(base64(text_bytes("fo")) == "Zm8=");
  CHECK(base64(text_bytes("foo")) == "Zm9v");
  CHECK(base64(text_bytes("foob")) == "Zm9vYg==");
  CHECK(base64(text_bytes("fooba")) == "Zm9vYmE=");
  CHECK(base64(text_bytes("foobar")) == "Zm9vYmFy");
}

TEST_CASE("the two alphabets differ in their last two digits only") {
  CHECK(base64(hex_bytes("FBEFBE FFFFFF")) == "++++////");
  CHECK(base64(hex_bytes("FBEFBE FFFFFF"), Base64Alphabet::kUrl) == "----____");
  CHECK(base64(hex_bytes("010203"), Base64Alphabet::kUrl) == "AQID");
}

TEST_CASE("every byte at every position of a group can be read back") {
  for (std::size_t length = 1; length <= 7; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        Buffer bytes(length, std::byte{0xA5});
        bytes[at] = static_cast<std::byte>(value);
        const std::string standard = base64(bytes);
        const bool right = standard.size() == (length + 2) / 3 * 4 &&
                           decode(standard, "+/") == bytes &&
                           decode(base64(bytes, Base64Alphabet::kUrl), "-_") == bytes;
        if (!right) FAIL(length << " bytes, byte " << at << " is " << value);
      }
    }
  }
}

TEST_CASE("texts of any length are encoded alike, whatever does it") {
  Buffer bytes;
  for (unsigned i = 0; i < 200; ++i) {
    CHECK(decode(base64(bytes), "+/") == bytes);
    CHECK(decode(base64(bytes, Base64Alphabet::kUrl), "-_") == bytes);
    bytes.push_back(static_cast<std::byte>(i * 89 + 7));
  }
  const Buffer ones(100, std::byte{0xFF});
  CHECK(base64(ones).substr(0, 132) == std::string(132, '/'));
}

TEST_CASE("what is encoded can be decoded") {
  for (const Base64Alphabet alphabet : {Base64Alphabet::kStandard, Base64Alphabet::kUrl}) {
    Buffer bytes;
    for (unsigned i = 0; i < 100; ++i) {
      Buffer decoded = hex_bytes("0102");
      CHECK(append_base64_bytes(decoded, base64(bytes, alphabet), alphabet));
      Buffer expected = hex_bytes("0102");
      expected.insert(expected.end(), bytes.begin(), bytes.end());
      CHECK(decoded == expected);
      bytes.push_back(static_cast<std::byte>(255 - i * 89));
    }
  }
}

TEST_CASE("base64 that nobody would write is refused, with the place") {
  const std::pair<std::string_view, std::size_t> kWrong[] = {
      {"A", 1},      {"AA", 2},    {"AAA", 3},  {"AAAAA", 5}, {"A===", 1},     {"====", 0},
      {"AA=A", 2},   {"AB==", 1},  {"AAB=", 2}, {"A+AA", 1},  {"AAAA-_-/", 7}, {"AA AA", 2},
      {"AAAA\n", 4}, {"AA==A", 2}, {"=", 0},    {"AAAA=", 4}};
  for (const auto& [text, place] : kWrong) {
    INFO(text);
    Buffer out = hex_bytes("77");
    const auto decoded = append_base64_bytes(out, text, Base64Alphabet::kUrl);
    REQUIRE(!decoded);
    CHECK(decoded.error() == place);
    CHECK(out == hex_bytes("77"));
  }
}

TEST_CASE("hexadecimal text has two small digits a byte") {
  TextBuffer out;
  append_hex(out, Bytes());
  CHECK(out.empty());
  append_hex(out, hex_bytes("00 0A FF 7F 80"));
  CHECK(out.view() == "000aff7f80");
}
