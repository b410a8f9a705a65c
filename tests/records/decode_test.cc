// The worked examples of the format documents, and bodies of all lengths that are in the wild.
#include <catch2/catch.hpp>

#include "saranga/bindings/address_settings.h"
#include "saranga/bindings/queue_binding.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/record_types.h"
#include "tests/records/samples.h"

using namespace saranga;
using namespace saranga::test;
using State = FieldValue::State;

namespace {

// SimpleString characters of an ASCII text.
std::vector<std::byte> utf16(std::string_view ascii) {
  std::vector<std::byte> bytes;
  for (const char c : ascii) {
    bytes.push_back(static_cast<std::byte>(c));
    bytes.push_back(std::byte{0});
  }
  return bytes;
}

std::string user_in(std::string_view metadata) {
  const auto bytes = utf16(metadata);
  const auto user = bindings::queue_user(Text(bytes, TextEncoding::kUtf16Le));
  return user ? user->str() : "(none)";
}

bool decode_binding(int type, Bytes body, DecodedRecord& out) {
  return bindings::decode_record(*bindings::find_record_type(static_cast<std::int8_t>(type)), false,
                                 body, out);
}

}  // namespace

TEST_CASE("an acknowledgement to try again", "[records]") {
  const auto body = sample_body(Journal::kMessages, 53);
  DecodedRecord decoded;
  REQUIRE(message::decode_record(*message::find_record_type(53), false, body, decoded));
  CHECK(decoded.values.get("record_id").number == 500);
  CHECK(decoded.values.get("queue_id").number == 12);
  CHECK(decoded.values.get("node_id").text.equals("n1"));
  CHECK(decoded.values.get("message_id").number == 1000);
  CHECK(value_name(decoded.values.fields()[5], decoded.values[5].number) == "EXPIRED");
}

TEST_CASE("an acknowledgement of a node without id", "[records]") {
  const auto body = from_hex("00000000000001f400000000000000000c0000000000000000000003e802");
  DecodedRecord decoded;
  REQUIRE(message::decode_record(*message::find_record_type(53), false, body, decoded));
  CHECK(decoded.values.get("node_id").state == State::kNull);
}

TEST_CASE("only the update flag tells two page transactions apart", "[records]") {
  const auto body = sample_body(Journal::kMessages, 35);
  const RecordType& type = *message::find_record_type(35);
  DecodedRecord decoded;
  REQUIRE(message::decode_record(type, false, body, decoded));
  CHECK(decoded.values.get("reference_count").number == 2);
  REQUIRE(message::decode_record(type, true, body, decoded));
  CHECK(decoded.values.get("acknowledged_count").number == 2);
  CHECK(decoded.values.get("reference_count").state == State::kAbsent);
}

TEST_CASE("page counters from before 2.5 have no size", "[records]") {
  auto body = sample_body(Journal::kMessages, 40);
  body.resize(16);
  DecodedRecord decoded;
  REQUIRE(message::decode_record(*message::find_record_type(40), false, body, decoded));
  CHECK(decoded.values.get("persistent_size_bytes").state == State::kAbsent);
  body = sample_body(Journal::kMessages, 41);
  body.resize(12);
  REQUIRE(message::decode_record(*message::find_record_type(41), false, body, decoded));
  CHECK(decoded.values.get("delta").number == -1);
}

TEST_CASE("bytes behind the fields are kept", "[records]") {
  auto body = sample_body(Journal::kMessages, 32, true);
  body.push_back(std::byte{7});
  DecodedRecord decoded;
  REQUIRE(message::decode_record(*message::find_record_type(32), false, body, decoded));
  REQUIRE(decoded.trailing.size() == 1);
  CHECK(decoded.trailing[0] == std::byte{7});
}

TEST_CASE("queue bindings of every release", "[records]") {
  // Where the fields of the sample end, from the third on.
  static constexpr std::size_t kEnds[] = {13, 36, 37, 41, 42, 43, 44, 45, 46, 50, 58, 59,
                                          60, 61, 65, 66, 74, 82, 83, 91, 92, 93, 94};
  const auto whole = sample_body(Journal::kBindings, 21);
  REQUIRE(whole.size() == 94);
  for (const std::size_t count : {3U, 5U, 8U, 9U, 10U, 20U, 21U, 22U, 23U, 24U, 25U}) {
    CAPTURE(count);
    DecodedRecord decoded;
    REQUIRE(decode_binding(21, Bytes(whole).first(kEnds[count - 3]), decoded));
    CHECK(decoded.trailing.empty());
    for (std::size_t i = 0; i < decoded.values.size(); ++i) {
      CHECK((decoded.values[i].state != State::kAbsent) == (i < count));
    }
    CHECK(decoded.values.get("name").text.equals("Q"));
    CHECK(decoded.values.get("address").text.equals("A"));
  }
}

TEST_CASE("three fields of a queue binding come together or not at all", "[records]") {
  const auto whole = sample_body(Journal::kBindings, 21);
  for (const std::size_t length : {36U, 38U, 41U, 42U}) {
    CAPTURE(length);
    DecodedRecord decoded;
    CHECK_FALSE(decode_binding(21, Bytes(whole).first(length), decoded));
    CHECK(decoded.problem != nullptr);
  }
}

TEST_CASE("a queue binding of a later release", "[records]") {
  auto body = sample_body(Journal::kBindings, 21);
  body.insert(body.end(), {std::byte{1}, std::byte{2}});
  DecodedRecord decoded;
  REQUIRE(decode_binding(21, body, decoded));
  CHECK(decoded.trailing.size() == 2);
}

TEST_CASE("the user in the metadata of a queue", "[records]") {
  CHECK(user_in("user=bob;") == "bob");
  CHECK(user_in("") == "(none)");
  CHECK(user_in("user=null;") == "null");
  CHECK(user_in("user=;") == "(none)");
  CHECK(user_in("user=a=b;") == "(none)");
  CHECK(user_in("user=a=;") == "a");
  CHECK(user_in("user=a;b;") == "a");
  CHECK(user_in("x=1;user=bob") == "bob");
  CHECK(user_in("user=a;user=b;") == "b");
  CHECK(user_in("=;;user") == "(none)");
}

TEST_CASE("qualified names are cut at the first separator", "[records]") {
  const auto bytes = utf16("a::b::c");
  const auto split = bindings::split_qualified_name(Text(bytes, TextEncoding::kUtf16Le));
  REQUIRE(split);
  CHECK(split->address.equals("a"));
  CHECK(split->queue.equals("b::c"));
  const auto plain = utf16("a:b");
  CHECK_FALSE(bindings::split_qualified_name(Text(plain, TextEncoding::kUtf16Le)));
}

TEST_CASE("address settings of every generation", "[records]") {
  const std::tuple<std::string_view, std::string_view, std::size_t> generations[] = {
      {kSettings210, "", 49},           {kSettings26, "", 36},    {kSettings20, "2.0", 33},
      {kSettings14, "1.4", 25},         {kSettings13, "1.3", 24}, {kSettings10, "1.0", 21},
      {kSettingsHornetq, "hornetq", 19}};
  for (const auto& [hex, layout, count] : generations) {
    CAPTURE(layout);
    const auto body = from_hex(hex);
    DecodedRecord decoded;
    REQUIRE(decode_binding(25, body, decoded));
    CHECK(decoded.layout == layout);
    CHECK(decoded.trailing.empty());
    std::size_t present = 0;
    for (std::size_t i = 1; i < decoded.values.size(); ++i) {
      present += decoded.values[i].state == State::kAbsent ? 0U : 1U;
    }
    CHECK(present == count);
    CHECK(decoded.values.get("dead_letter_address").text.equals("DLQ"));
    CHECK(decoded.values.get("slow_consumer_policy").text.equals("KILL"));
  }
}

TEST_CASE("address settings that end in the middle of a value", "[records]") {
  auto body = from_hex(kSettings14);
  body.pop_back();
  DecodedRecord decoded;
  CHECK_FALSE(decode_binding(25, body, decoded));
  CHECK(decoded.problem != nullptr);
}

TEST_CASE("diverts and bridges with a transformer whose flag is missing", "[records]") {
  DecodedRecord decoded;
  const auto divert = from_hex(kDivertWithoutFlag);
  REQUIRE(decode_binding(27, divert, decoded));
  CHECK(decoded.layout == "transformer-without-flag");
  CHECK(decoded.values.get("transformer_class").text.equals("com.example.T"));
  CHECK(decoded.values.get("transformer_properties").number == 1);
  const auto bridge = from_hex(kBridgeWithoutFlag);
  REQUIRE(decode_binding(28, bridge, decoded));
  CHECK(decoded.layout == "transformer-without-flag");
  CHECK(decoded.values.get("static_connectors").number == 2);
  CHECK(decoded.values.get("client_id").text.equals("client"));
  const auto old = from_hex(kBridgeOf228);
  REQUIRE(decode_binding(28, old, decoded));
  CHECK(decoded.layout.empty());
  CHECK(decoded.values.get("client_id").state == State::kAbsent);
}

TEST_CASE("security settings of every release", "[records]") {
  const auto whole = sample_body(Journal::kBindings, 26);
  for (const std::size_t count : {8U, 9U, 11U, 13U}) {
    CAPTURE(count);
    DecodedRecord decoded;
    REQUIRE(decode_binding(26, Bytes(whole).first(whole.size() - (13 - count)), decoded));
    CHECK(decoded.values.get("send").text.equals("s1,s2"));
    for (std::size_t i = 0; i < decoded.values.size(); ++i) {
      CHECK((decoded.values[i].state != State::kAbsent) == (i < count));
    }
  }
  DecodedRecord decoded;
  CHECK_FALSE(decode_binding(26, Bytes(whole).first(whole.size() - 6), decoded));
}

TEST_CASE("settings as JSON", "[records]") {
  bindings::JsonSettings settings;
  REQUIRE(settings.parse(Text(R"( {"maxDeliveryAttempts": 4 , "DLA":"x", "maxSizeBytes":1e3,
      "redeliveryMultiplier":2,"enableMetrics":false,"deadLetterAddress":null,
      "expiryAddress":"\u00e9", "other":{"a":[1,{"maxSizeBytes":5}]}} )")));
  CHECK(settings.values().get("max_delivery_attempts").number == 4);
  CHECK(settings.values().get("max_size_bytes").number == 1000);
  CHECK(settings.values().get("redelivery_multiplier").real == 2.0);
  CHECK(settings.values().get("enable_metrics").state == State::kPresent);
  CHECK(settings.values().get("enable_metrics").number == 0);
  CHECK(settings.values().get("dead_letter_address").state == State::kNull);
  CHECK(settings.values().get("expiry_address").text.str() == "é");
  CHECK(settings.values().get("page_size_bytes").state == State::kAbsent);
  CHECK(settings.unknown_keys() == std::vector<std::string>{"DLA", "other"});
}

TEST_CASE("JSON settings that a broker stops on", "[records]") {
  bindings::JsonSettings settings;
  const std::string deep = "{\"x\":" + std::string(100'000, '[');
  for (const std::string_view text :
       {std::string_view(""), std::string_view("[]"), std::string_view("7"),
        std::string_view("null"), std::string_view("\"a\""), std::string_view("{\"a\":1"),
        std::string_view(R"({"maxSizeBytes":"7"})"), std::string_view(R"({"maxSizeBytes":[]})"),
        std::string_view(R"({"enableMetrics":1})"), std::string_view(R"({"maxSizeBytes":1e300})"),
        std::string_view(R"({"deadLetterAddress":true})"), std::string_view(deep)}) {
    CAPTURE(text.substr(0, 40));
    CHECK_FALSE(settings.parse(Text(text)));
    CHECK(!settings.problem().empty());
  }
  CHECK(settings.parse(Text("{}")));
  CHECK(settings.problem().empty());
}

TEST_CASE("JSON settings with a surrogate that has no partner", "[records]") {
  auto bytes = utf16(R"({"deadLetterAddress":"a?"})");
  bytes[2 * 23] = std::byte{0x00};
  bytes[2 * 23 + 1] = std::byte{0xD8};
  bindings::JsonSettings settings;
  CAPTURE(Text(bytes, TextEncoding::kUtf16Le).str());
  REQUIRE(settings.parse(Text(bytes, TextEncoding::kUtf16Le)));
  CHECK(settings.values().get("dead_letter_address").text.str() == "a\uFFFD");
}
