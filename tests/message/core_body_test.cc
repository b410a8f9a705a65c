// Compressed bodies.
#include <catch2/catch.hpp>

#include <zlib.h>

#include "saranga/message/compressed_body.h"
#include "tests/message/core_samples.h"

using namespace saranga;
using namespace saranga::test;
using message::inflate_body;

namespace {

constexpr std::size_t kEnough = std::size_t{1} << 20;

Buffer deflated(const Buffer& plain, int level = Z_DEFAULT_COMPRESSION) {
  uLongf size = compressBound(plain.size());
  Buffer packed(size);
  REQUIRE(compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                    reinterpret_cast<const Bytef*>(plain.data()), plain.size(), level) == Z_OK);
  packed.resize(size);
  return packed;
}

// Bytes that do not compress well, the same every time.
Buffer noise(std::size_t size) {
  Buffer bytes(size);
  std::uint32_t state = 1;
  for (std::byte& b : bytes) {
    state = state * 1664525 + 1013904223;
    b = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

ErrorCode error_of(Bytes body, std::size_t limit = kEnough) {
  const auto inflated = inflate_body(body, limit);
  REQUIRE_FALSE(inflated.has_value());
  CHECK_FALSE(inflated.error().text.empty());
  return inflated.error().code;
}

}  // namespace

TEST_CASE("a compressed body comes back whole", "[core]") {
  for (const std::size_t size : {0UL, 1UL, 100UL, 4096UL, 5000UL, 300000UL}) {
    for (const Buffer& plain : {Buffer(size, std::byte{0x61}), noise(size)}) {
      for (const int level : {Z_NO_COMPRESSION, Z_BEST_SPEED, Z_BEST_COMPRESSION}) {
        const auto inflated = inflate_body(deflated(plain, level), kEnough);
        REQUIRE(inflated.has_value());
        CHECK(*inflated == plain);
      }
    }
  }
}

TEST_CASE("what clients send inflates", "[core]") {
  // java.util.zip.Deflater's output for the body of a text message "aaaaaaaaaa".
  const Buffer packed = hex_bytes("789c63646060104964c084002b8403e0");
  const auto inflated = inflate_body(packed, kEnough);
  REQUIRE(inflated.has_value());
  CHECK(inflated->size() == 25);
  CHECK(as_text(*inflated).starts_with(std::string_view("\1\0\0\0\24a\0a\0", 9)));
}

TEST_CASE("a body of exactly the limit is inflated, a longer one is not", "[core]") {
  const Buffer plain = noise(10000);
  const Buffer packed = deflated(plain);
  CHECK(inflate_body(packed, 10000).has_value());
  CHECK(error_of(packed, 9999) == ErrorCode::kUnsupported);
  CHECK(error_of(packed, 1) == ErrorCode::kUnsupported);
}

TEST_CASE("a bomb costs no more than the limit", "[core]") {
  const Buffer packed = deflated(Buffer(std::size_t{16} << 20));
  CHECK(packed.size() < 20000);
  CHECK(error_of(packed) == ErrorCode::kUnsupported);
}

TEST_CASE("what comes out of a stream is counted without being kept", "[core]") {
  const Buffer plain = noise(300000);
  const Buffer packed = deflated(plain);
  MemoryDirectory folder;
  folder.put("body", packed);
  folder.put("cut", Buffer(packed.begin(), packed.end() - 1));
  const auto file = folder.open("body");
  const auto cut = folder.open("cut");
  REQUIRE((file && cut));
  CHECK(message::inflated_size(packed, plain.size()) == plain.size());
  CHECK(message::inflated_size(**file, plain.size()) == plain.size());
  for (const auto& size : {message::inflated_size(packed, plain.size() - 1),
                           message::inflated_size(**file, plain.size() - 1)}) {
    REQUIRE_FALSE(size.has_value());
    CHECK(size.error().code == ErrorCode::kUnsupported);
  }
  for (const auto& size : {message::inflated_size(Bytes(packed).first(packed.size() - 1), kEnough),
                           message::inflated_size(**cut, kEnough), message::inflated_size({}, 1)}) {
    REQUIRE_FALSE(size.has_value());
    CHECK(size.error().code == ErrorCode::kDamaged);
  }
  // Much more than any piece, out of few bytes.
  const std::size_t much = std::size_t{16} << 20;
  CHECK(message::inflated_size(deflated(Buffer(much)), UINT64_MAX) == much);
}

TEST_CASE("a stream cut at any byte is damaged", "[core]") {
  const Buffer packed = deflated(noise(500));
  for (std::size_t size = 0; size < packed.size(); ++size) {
    CHECK(error_of(Bytes(packed).first(size)) == ErrorCode::kDamaged);
  }
}

TEST_CASE("a flipped bit is found, or changes nothing", "[core]") {
  const Buffer plain = noise(200);
  Buffer packed = deflated(plain, Z_BEST_COMPRESSION);
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    packed[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const auto inflated = inflate_body(packed, kEnough);
    if (inflated) CHECK(*inflated == plain);
    packed[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
  }
}

TEST_CASE("what is no zlib stream is damaged", "[core]") {
  CHECK(error_of(text_bytes("plain text")) == ErrorCode::kDamaged);
  CHECK(error_of(Buffer(100)) == ErrorCode::kDamaged);
  CHECK(error_of(Buffer(100, std::byte{0xFF})) == ErrorCode::kDamaged);
  // A stream that asks for a preset dictionary.
  CHECK(error_of(hex_bytes("78bb00000001 4b040000620062")) == ErrorCode::kDamaged);
}
