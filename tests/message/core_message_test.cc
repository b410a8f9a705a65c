// Core messages in both layouts, large ones, and the choice by persister.
#include <catch2/catch.hpp>

#include "saranga/message/stored_message.h"
#include "tests/message/core_samples.h"

using namespace saranga;
using namespace saranga::test;
using message::CoreMessage;
using message::CoreType;
using message::Persister;
using message::StoredMessage;

namespace {

StoredMessage read_stored(Bytes bytes) {
  Cursor cursor(bytes);
  StoredMessage message = message::read_stored_message(cursor);
  INFO(cursor.problem());
  REQUIRE(cursor.ok());
  CHECK(cursor.at_end());
  return message;
}

const char* problem_of(Bytes bytes) {
  Cursor cursor(bytes);
  (void)message::read_stored_message(cursor);
  REQUIRE_FALSE(cursor.ok());
  return cursor.problem();
}

bool lies_in(Bytes inner, Bytes outer) {
  if (inner.empty()) return true;
  return inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size();
}

// Everything a decoder hands out must lie in what it was given, and be readable to its end.
void check_views(const CoreMessage& message, Bytes bytes) {
  CHECK(lies_in(message.buffer, bytes));
  CHECK(lies_in(message.body, bytes));
  CHECK(lies_in(message.headers.user_id, bytes));
  CHECK(lies_in(message.headers.properties.entries(), bytes));
  for (const auto& text : {message.address, message.headers.address}) {
    if (text) CHECK(lies_in(text->raw(), bytes));
  }
  message::TypedProperties::Iterator iterator(message.headers.properties);
  std::uint32_t count = 0;
  while (const auto property = iterator.next()) {
    CHECK(lies_in(property->key.raw(), bytes));
    CHECK(lies_in(property->value.bytes, bytes));
    CHECK(lies_in(property->value.text.raw(), bytes));
    ++count;
  }
  CHECK(count == message.headers.properties.count());
}

using Read = CoreMessage (*)(Cursor&);

CoreMessage read_core_record(Cursor& cursor) {
  const StoredMessage stored = message::read_stored_message(cursor);
  return stored.core.value_or(CoreMessage{});
}

struct Layout {
  const char* name;
  Read read;
  Buffer bytes;
};

std::vector<Layout> layouts() {
  return {{"stored", read_core_record, hex_bytes(kTextMessageHex)},
          {"large", message::read_large_message, hex_bytes(kLargeMessageHex)},
          {"old", message::read_old_message, hex_bytes(kOldMessageHex)}};
}

}  // namespace

TEST_CASE("the worked example of a text message reads as described", "[core]") {
  const Buffer bytes = hex_bytes(kTextMessageHex);
  const StoredMessage stored = read_stored(bytes);
  REQUIRE(stored.is_core());
  const CoreMessage& message = *stored.core;
  CHECK(stored.id() == 1000);
  CHECK(stored.address()->str() == "q1");
  CHECK(message.buffer.size() == 66);
  CHECK(std::ranges::equal(message.body, hex_bytes("01 00000004 68006900")));
  CHECK(message.headers.id == 1000);
  CHECK(message.headers.address->str() == "q1");
  CHECK(message.headers.user_id.empty());
  CHECK(message.headers.type == CoreType::kText);
  CHECK(message.headers.durable);
  CHECK(message.headers.expiration_ms == 0);
  CHECK(message.headers.timestamp_ms == 0x18000000000);
  CHECK(message.headers.priority == 4);
  CHECK_FALSE(message.old_layout);
  REQUIRE(message.headers.properties.count() == 1);
  CHECK(message.headers.properties.find("n")->number == 7);
}

TEST_CASE("the builder of these tests agrees with the worked examples", "[core]") {
  CHECK(stored_core({.type = 3,
                     .timestamp_ms = 0x18000000000,
                     .properties = properties_block({property("n", 6, "00000007")}),
                     .body = hex_bytes("01 00000004 68006900")}) == hex_bytes(kTextMessageHex));
  CHECK(headers_block({.id = 2000,
                       .properties = properties_block(
                           {property("_AMQ_LARGE_SIZE", 7, "0000000000030d40")})}) ==
        hex_bytes(kLargeMessageHex));
  CHECK(old_core({.id = 70,
                  .address = "jms.queue.orders.types",
                  .durable = 0xFF,
                  .timestamp_ms = 0x18bcfe577a0}) == hex_bytes(kOldMessageHex));
}

TEST_CASE("the record of a large message is its headers", "[core]") {
  const Buffer bytes = hex_bytes(kLargeMessageHex);
  Cursor cursor(bytes);
  const CoreMessage message = message::read_large_message(cursor);
  REQUIRE(cursor.ok());
  CHECK(cursor.at_end());
  CHECK(message.id == 2000);
  CHECK(message.address->str() == "q1");
  CHECK(message.headers.type == CoreType::kBytes);
  CHECK(message.headers.properties.find("_AMQ_LARGE_SIZE")->number == 200000);
  CHECK(message.body.empty());
  CHECK(message.buffer.size() == bytes.size());
}

TEST_CASE("messages before 2.0 have two end fields", "[core]") {
  const Buffer bytes = hex_bytes(kOldMessageHex);
  Cursor cursor(bytes);
  const CoreMessage message = message::read_old_message(cursor);
  REQUIRE(cursor.ok());
  CHECK(cursor.at_end());
  CHECK(message.old_layout);
  CHECK(message.id == 70);
  CHECK(message.address->str() == "jms.queue.orders.types");
  CHECK(message.headers.type == CoreType::kBytes);
  CHECK(message.headers.durable);
  CHECK(message.headers.timestamp_ms == 1700000004000);
  CHECK(message.body.empty());

  const Buffer with_body = hex_bytes(
      "00000012 55 0000003c 00000000000003e8 01 00000004 71003100 00 00 ff"
      "0000000000000000 0000000000000000 00 00");
  Cursor again(with_body);
  const CoreMessage derived = message::read_old_message(again);
  REQUIRE(again.ok());
  CHECK(again.at_end());
  CHECK(std::ranges::equal(derived.body, hex_bytes("55")));
  CHECK(derived.id == 1000);
}

TEST_CASE("every persister chooses its decoder", "[core]") {
  const Buffer v3 = hex_bytes(kAmqpV3Hex);
  const StoredMessage standard = read_stored(v3);
  CHECK(standard.persister == Persister::kAmqpV3);
  CHECK_FALSE(standard.is_core());
  CHECK(standard.id() == 3000);
  CHECK(standard.address()->str() == "q1");

  // Version 2 lacks the expiration, version 1 the extra properties too.
  Buffer v2(v3.begin(), v3.end() - 8);
  v2[0] = std::byte{3};
  CHECK(read_stored(v2).persister == Persister::kAmqpV2);
  Buffer v1(v3.begin(), v3.end() - 12);
  v1[0] = std::byte{2};
  CHECK(read_stored(v1).persister == Persister::kAmqpV1);
  CHECK(read_stored(v1).id() == 3000);

  const Buffer large = hex_bytes(kAmqpLargeHex);
  const StoredMessage large_message = read_stored(large);
  CHECK(large_message.persister == Persister::kAmqpLarge);
  CHECK(large_message.amqp->is_large());
  CHECK(large_message.id() == 4000);
}

TEST_CASE("an unknown persister is named as the problem", "[core]") {
  Buffer bytes = hex_bytes(kTextMessageHex);
  for (const unsigned persister : {0U, 6U, 7U, 127U, 255U}) {
    bytes[0] = static_cast<std::byte>(persister);
    CHECK(std::string_view(problem_of(bytes)) == "has an unknown persister id");
  }
  CHECK(std::string_view(problem_of({})) == "runs past its end");
}

TEST_CASE("id and address of the record win over those in the message", "[core]") {
  const CoreSpec inner{.id = 1, .address = "inner"};
  const Buffer bytes =
      BodyBuilder().u8(1).i64(2).nullable_simple_string("outer").sized(core_buffer(inner)).bytes();
  const StoredMessage stored = read_stored(bytes);
  CHECK(stored.id() == 2);
  CHECK(stored.address()->str() == "outer");
  CHECK(stored.core->headers.id == 1);
  CHECK(stored.core->headers.address->str() == "inner");

  const Buffer none = stored_core({.address = std::nullopt});
  CHECK_FALSE(read_stored(none).address().has_value());
}

TEST_CASE("a user id is there only when its flag is one", "[core]") {
  const Buffer uuid = hex_bytes("00112233445566778899aabbccddeeff");
  const Buffer with = headers_block({.user_id = uuid});
  Cursor cursor(with);
  CHECK(std::ranges::equal(message::read_core_headers(cursor).user_id, uuid));
  CHECK((cursor.ok() && cursor.at_end()));

  Buffer without = headers_block({});
  const std::size_t flag = 8 + 1 + 4 + 4;
  for (const unsigned value : {0U, 2U, 0xFFU}) {
    without[flag] = static_cast<std::byte>(value);
    Cursor again(without);
    CHECK(message::read_core_headers(again).user_id.empty());
    CHECK((again.ok() && again.at_end()));
  }
}

TEST_CASE("every byte but zero is true", "[core]") {
  for (const unsigned durable : {0U, 1U, 2U, 0x80U, 0xFFU}) {
    const Buffer bytes = headers_block({.durable = durable});
    Cursor cursor(bytes);
    CHECK(message::read_core_headers(cursor).durable == (durable != 0));
  }
}

TEST_CASE("every type byte has a name", "[core]") {
  const std::pair<unsigned, std::string_view> names[] = {
      {0, "default"}, {2, "object"},  {3, "text"},     {4, "bytes"},
      {5, "map"},     {6, "stream"},  {7, "embedded"}, {8, "large_embedded"},
      {1, "unknown"}, {9, "unknown"}, {255, "unknown"}};
  for (const auto& [type, name] : names) {
    CHECK(message::core_type_name(static_cast<CoreType>(type)) == name);
  }
}

TEST_CASE("a body may not begin behind its end", "[core]") {
  Buffer bytes = hex_bytes(kTextMessageHex);
  const std::size_t end_field = 1 + 8 + 9 + 4;
  const auto set_end = [&](std::int32_t end) { store_be(bytes.data() + end_field, end); };
  for (const std::int32_t end : {12, 4, 0, -1, INT32_MIN}) {
    set_end(end);
    CHECK(std::string_view(problem_of(bytes)) == "ends before its body begins");
  }
  for (const std::int32_t end : {80, 1000, INT32_MAX}) {
    set_end(end);
    CHECK(std::string_view(problem_of(bytes)) == "runs past its end");
  }
  // A message whose body was never touched has four zero bytes of it.
  const Buffer untouched = stored_core({.body = hex_bytes("00000000")});
  CHECK(read_stored(untouched).core->body.size() == 4);
}

TEST_CASE("a body of the old layout may not begin behind its end either", "[core]") {
  for (const std::int32_t end : {16, 0, -1, INT32_MIN, INT32_MIN + 16}) {
    Buffer bytes = hex_bytes(kOldMessageHex);
    store_be(bytes.data(), end);
    Cursor cursor(bytes);
    (void)message::read_old_message(cursor);
    REQUIRE_FALSE(cursor.ok());
    CHECK(std::string_view(cursor.problem()) == "ends before its body begins");
  }
}

TEST_CASE("an inner length beyond the record is damage", "[core]") {
  Buffer bytes = hex_bytes(kTextMessageHex);
  const std::size_t length_field = 1 + 8 + 9;
  store_be(bytes.data() + length_field, std::int32_t{67});
  CHECK(std::string_view(problem_of(bytes)) == "runs past its end");
  store_be(bytes.data() + length_field, std::int32_t{-1});
  CHECK(std::string_view(problem_of(bytes)) == "has a negative length");
}

TEST_CASE("bytes behind a message are left to the caller", "[core]") {
  Buffer bytes = hex_bytes(kTextMessageHex);
  bytes.push_back(std::byte{0x7D});
  Cursor cursor(bytes);
  (void)message::read_stored_message(cursor);
  CHECK(cursor.ok());
  CHECK(cursor.remaining() == 1);
}

TEST_CASE("a message cut at any byte is no message", "[core]") {
  for (const Layout& layout : layouts()) {
    INFO(layout.name);
    for (std::size_t size = 0; size < layout.bytes.size(); ++size) {
      const Buffer cut(layout.bytes.begin(),
                       layout.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      Cursor cursor(cut);
      check_views(layout.read(cursor), cut);
      CHECK_FALSE(cursor.ok());
    }
  }
}

TEST_CASE("what was read in front of damage stays readable", "[core]") {
  const Buffer bytes = hex_bytes(kTextMessageHex);
  Cursor cursor(Bytes(bytes).first(18));
  const StoredMessage cut = message::read_stored_message(cursor);
  CHECK_FALSE(cursor.ok());
  CHECK(cut.id() == 1000);
  CHECK(cut.address()->str() == "q1");
}

TEST_CASE("no flipped bit leads outside of a message", "[core]") {
  for (const Layout& layout : layouts()) {
    INFO(layout.name);
    Buffer flipped = layout.bytes;
    for (std::size_t bit = 0; bit < flipped.size() * 8; ++bit) {
      flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      Cursor cursor(flipped);
      check_views(layout.read(cursor), flipped);
      CHECK(cursor.position() <= flipped.size());
      flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    }
    CHECK(flipped == layout.bytes);
  }
}
