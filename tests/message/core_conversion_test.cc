// AMQP messages as Core messages; what a real broker makes of whole stores is compared by
// tests/cli/golden_export.py.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "saranga/bytes/base64.h"
#include "saranga/message/core_conversion.h"
#include "tests/message/amqp_samples.h"
#include "tests/message/core_samples.h"

using namespace saranga;
using namespace saranga::test;
using message::ConvertedMessage;
using message::CoreType;
using message::PropertyType;

namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

struct Converted {
  explicit Converted(std::string_view encoded_hex)
      : encoded(unhex(encoded_hex)),
        stored{.persister_id = message::amqp::kPersisterV3, .message_id = 7, .encoded = encoded},
        result({.stored = &stored, .now_ms = kNow}) {}

  [[nodiscard]] std::optional<message::PropertyValue> property(std::string_view key) const {
    for (const message::NewProperty& property : result.message().properties) {
      if (property.key.str() == key) return property.value;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string body_hex() const {
    TextBuffer out;
    append_hex(out, result.message().body);
    return out.str();
  }
  [[nodiscard]] bool loses(std::string_view word) const {
    return std::ranges::any_of(result.losses(), [&](std::string_view loss) {
      return loss.find(word) != std::string_view::npos;
    });
  }

  std::vector<std::byte> encoded;
  message::amqp::Stored stored;
  ConvertedMessage result;
};

}  // namespace

// The kind of message that the data "hi" becomes.
CoreType type_of_data(std::string_view content_type) {
  TextBuffer symbol;
  append_hex(symbol, as_bytes(content_type));
  const std::size_t size = content_type.size();
  return Converted(fmt::format("005373c0{:02x}07404040404040a3{:02x}{} 005375a0026869", size + 9,
                               size, symbol.view()))
      .result.message()
      .type;
}

TEST_CASE("content types that are text", "[core]") {
  for (const char* type : {"text/plain", "TEXT/html", "application/json", "application/x+xml",
                           "application/xml; a=b; charset=\"utf-8\"", "text/plain;charset=UTF-8"}) {
    INFO(type);
    CHECK(type_of_data(type) == CoreType::kText);
  }
  for (const char* type : {"", "/", "text", "application/octet-stream", "image/png", ";", "a/b;",
                           "text/plain; charset=latin1"}) {
    INFO(type);
    CHECK(type_of_data(type) == CoreType::kBytes);
  }
  CHECK(type_of_data("application/x-java-serialized-object") == CoreType::kObject);
}

TEST_CASE("sections of data are put together", "[core]") {
  const Converted bytes("005375a00101 005375a0020203");
  CHECK(bytes.result.message().type == CoreType::kBytes);
  CHECK(bytes.body_hex() == "010203");
  CHECK(bytes.property("JMS_AMQP_ORIGINAL_ENCODING")->number == 2);
  CHECK(bytes.result.losses().empty());
}

TEST_CASE("values that Core has not become what comes next to them", "[core]") {
  // Application properties: ubyte 200, ulong 2^63, timestamp 5, uuid, list, decimal32.
  const std::string entries =
      "a10175 50c8 a10176 808000000000000000 a10174 830000000000000005"
      "a10169 9800112233445566778899aabbccddeeff a1016c c003015401 a10164 7400000001";
  const std::size_t size = unhex(entries).size() + 1;
  const Converted all(fmt::format("005374c1{:02x}0c {}", size, entries));
  CHECK(all.property("u")->type == PropertyType::kShort);
  CHECK(all.property("u")->number == 200);
  CHECK(all.property("v")->type == PropertyType::kLong);
  CHECK(all.property("t")->type == PropertyType::kLong);
  CHECK(all.property("t")->number == 5);
  CHECK(all.property("i")->text.str() == "00112233-4455-6677-8899-aabbccddeeff");
  CHECK(all.property("l")->type == PropertyType::kBytes);
  CHECK(all.property("d")->type == PropertyType::kBytes);
  CHECK(all.loses("types of application properties"));
  CHECK(all.loses("AMQP encoding is kept"));
}

TEST_CASE("a body that Core has no form for stays as it was encoded", "[core]") {
  // A map that holds a list; a list that holds a map.
  for (const char* body : {"005377c10902a1016bc003015401", "005377c00401c10100"}) {
    INFO(body);
    const Converted kept(body);
    CHECK(kept.result.message().type == CoreType::kBytes);
    CHECK_FALSE(kept.property("JMS_AMQP_ORIGINAL_ENCODING"));
    CHECK(kept.body_hex() == body);
    CHECK(kept.loses("kinds of bodies"));
  }
}

TEST_CASE("a delay counts from the conversion", "[core]") {
  // Message annotation x-opt-delivery-delay = 1000, as an int.
  const Converted delayed("005372c11c02a314 782d6f70742d64656c69766572792d64656c6179 71000003e8");
  CHECK(delayed.property("_AMQ_SCHED_DELIVERY")->number == kNow + 1000);
  CHECK(delayed.property("JMS_AMQP_MA_x-opt-delivery-delay")->number == 1000);
}

TEST_CASE("the user id of a text is the same in every run", "[core]") {
  const char* message = "005373c00501a1026964";  // message-id "id"
  const Converted one(message);
  const Converted two(message);
  REQUIRE(one.result.message().user_id);
  CHECK(one.result.message().user_id == two.result.message().user_id);
  CHECK(one.property("NATIVE_MESSAGE_ID")->text.str() == "ID:AMQP_NO_PREFIX:id");
}

TEST_CASE("a message cut at any byte, or with any bit flipped, converts", "[core]") {
  for (const AmqpSample& sample : kAmqpSamples) {
    const auto whole = unhex(sample.body);
    const auto convert = [](Bytes body) {
      Cursor cursor(body);
      const auto stored = decode_record(cursor);
      const ConvertedMessage converted({.stored = &stored, .now_ms = kNow});
      CHECK(message::encode_core_message(converted.message()).has_value() !=
            (converted.message().priority > 9));
    };
    for (std::size_t size = 0; size < whole.size(); ++size) convert(Bytes(whole).first(size));
    auto flipped = whole;
    for (std::size_t bit = 0; bit < flipped.size() * 8; ++bit) {
      flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      convert(flipped);
      flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    }
  }
}
