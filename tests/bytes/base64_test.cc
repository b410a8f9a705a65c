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

TEST_CASE("hexadecimal text has two small digits a byte") {
  TextBuffer out;
  append_hex(out, Bytes());
  CHECK(out.empty());
  append_hex(out, hex_bytes("00 0A FF 7F 80"));
  CHECK(out.view() == "000aff7f80");
}
