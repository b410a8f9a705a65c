// The text and the JSON of AMQP messages.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/message/amqp_samples.h"
#include "tools/print/amqp_json.h"
#include "tools/print/amqp_text.h"

using nlohmann::json;
using saranga::as_bytes;
using saranga::Bytes;
using saranga::Cursor;
using saranga::TextBuffer;
using namespace saranga::message::amqp;
using namespace saranga::print;
using saranga::test::decode_record;
using saranga::test::kAmqpSamples;
using saranga::test::unhex;

namespace {

/// Dates are printed in the local zone; the samples were made in UTC.
void use_utc() {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
}

std::string text_of(const Stored& stored) {
  TextBuffer out;
  append_amqp_text(out, stored);
  return out.str();
}

std::string value_text(std::string_view hex) {
  const auto bytes = unhex(hex);
  Cursor cursor(bytes);
  TextBuffer out;
  append_amqp_value(out, Value::read(cursor));
  return out.str();
}

json value_json(Bytes bytes) {
  Cursor cursor(bytes);
  TextBuffer out;
  saranga::cli::JsonWriter writer(out);
  write_amqp_value_json(writer, Value::read(cursor));
  return json::parse(out.view());
}

json value_json(std::string_view hex) { return value_json(unhex(hex)); }

json json_of(const Stored& stored, BodyDetail detail) {
  TextBuffer out;
  saranga::cli::JsonWriter writer(out);
  writer.begin_object();
  write_amqp_json(writer, stored, detail);
  writer.end_object();
  return json::parse(out.view());
}

/// A message of persister 5 with address "q1".
struct Sent {
  explicit Sent(std::string_view hex) : encoded(unhex(hex)) {
    stored.persister_id = kPersisterV3;
    stored.message_id = 1;
    stored.address = saranga::Text("q1");
    stored.encoded = encoded;
    stored.expiration_ms = 0;
  }
  std::vector<std::byte> encoded;
  Stored stored{};
};

json body_of(std::string_view hex, BodyDetail detail) {
  return json_of(Sent(hex).stored, detail)["body"];
}

void print_everything(Bytes body) {
  Cursor cursor(body);
  const Stored stored = decode_record(cursor);
  TextBuffer out;
  append_amqp_text(out, stored);
  append_amqp_user_id(out, stored);
  for (const auto detail : {BodyDetail::kNone, BodyDetail::kSummary, BodyDetail::kText,
                            BodyDetail::kHex, BodyDetail::kFull}) {
    CHECK(json_of(stored, detail)["protocol"] == "amqp");
  }
}

}  // namespace

TEST_CASE("records print as Artemis prints them", "[amqp]") {
  use_utc();
  for (const auto& sample : kAmqpSamples) {
    INFO(sample.name);
    const auto body = unhex(sample.body);
    Cursor cursor(body);
    CHECK(text_of(decode_record(cursor)) == sample.text);
  }
}

TEST_CASE("values print as Java prints them", "[amqp]") {
  use_utc();
  CHECK(value_text("56 02") == "true");
  CHECK(value_text("80 ffffffffffffffff") == "18446744073709551615");
  CHECK(value_text("71 fffffff9") == "-7");
  CHECK(value_text("83 0000018bcfe56800") == "Tue Nov 14 22:13:20 UTC 2023");
  CHECK(value_text("a0 07 61 5c 62 00 ff 7f 0a") == "a\\x5cb\\x00\\xff\\x7f\\x0a");
  CHECK(value_text("a3 04 61 e9 80 7a") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  CHECK(value_text("98 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff") ==
        "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
  CHECK(value_text("73 0001f680") == "\xEF\x9A\x80");  // cut to one unit, as the codec does
  CHECK(value_text("73 0000d800") == "?");
  CHECK(value_text("74 01020304") == "org.apache.qpid.proton.amqp.Decimal32@1020304");
  CHECK(value_text("84 0001020304050607") == "org.apache.qpid.proton.amqp.Decimal64@4040404");
  CHECK(value_text("94 000102030405060708090a0b0c0d0e0f") ==
        "org.apache.qpid.proton.amqp.Decimal128@80808080");
  CHECK(value_text("45") == "[]");
  CHECK(value_text("c0 0e 04 a10161 40 a002 0102 c0 03 01 52 01") == "[a, null, \\x01\\x02, [1]]");
  CHECK(value_text("c1 10 06 a1016b 5401 a1016a 5403 a1016b 5402") == "{k=2, j=3}");
  CHECK(value_text("c1 12 08 a10131 40 a30131 40 5401 41 71 00000001 42") ==
        "{1=null, 1=null, 1=false}");
  CHECK(value_text("e0 04 02 54 0102") == "[I@0");
  CHECK(value_text("00 a303666f6f a10161") ==
        "org.apache.qpid.proton.codec.DecoderImpl$UnknownDescribedType@0");
}

TEST_CASE("what the broker could not load is printed as far as it goes", "[amqp]") {
  const Sent cut("00 53 70 c0 02 01 41 00 53 74 c1 10");
  CHECK(text_of(cut.stored) ==
        "AMQPStandardMessage( [durable=true, messageID=1, address=q1, size=12, "
        "scanningStatus=NOT_SCANNED, applicationProperties={}, messageAnnotations={}, "
        "properties=null, extraProperties = null]");
}

TEST_CASE("size leaves delivery annotations out", "[amqp]") {
  const Sent sent("00 53 70 c0 02 01 41 00 53 71 c1 05 02 a3 01 61 41 00 53 77 40");
  CHECK(text_of(sent.stored).find(", size=11,") != std::string::npos);
}

TEST_CASE("old and large records show the address among the extra properties", "[amqp]") {
  Sent sent("00 53 70 c0 02 01 41");
  const auto address = unhex("71003100");
  sent.stored.address = saranga::Text(address, saranga::TextEncoding::kUtf16Le);
  const auto extra = [&] {
    const std::string text = text_of(sent.stored);
    return text.substr(text.find("extraProperties = "));
  };
  CHECK(extra() == "extraProperties = null]");
  sent.stored.persister_id = kPersisterV1;
  CHECK(extra() == "extraProperties = TypedProperties[_AMQ_AD=q1]]");
  sent.stored.persister_id = kPersisterLarge;
  CHECK(extra() == "extraProperties = TypedProperties[_AMQ_AD=q1]]");
  const auto old_address = unhex(
      "01 00000003 00000002 6100 0a 00000002 6200"
      "0000000e 5f0041004d0051005f0041004400 0a 00000002 6500"
      "00000002 6300 07 0000000000000005");
  sent.stored.has_extra_properties = true;
  sent.stored.extra_properties = old_address;
  CHECK(extra() == "extraProperties = TypedProperties[c=5, _AMQ_AD=q1, a=b]]");
  sent.stored.address.reset();
  CHECK(extra() == "extraProperties = TypedProperties[c=5, _AMQ_AD=e, a=b]]");
}

TEST_CASE("user ids", "[amqp]") {
  TextBuffer out;
  CHECK_FALSE(append_amqp_user_id(out, Sent("00 53 77 40").stored));
  CHECK(out.empty());
  CHECK(append_amqp_user_id(out, Sent("00 53 73 c0 03 01 53 4d").stored));
  CHECK(out.view() == "77");
}

TEST_CASE("values keep their types in JSON", "[amqp]") {
  CHECK(value_json("40") == json::parse(R"({"type":"null","value":null})"));
  CHECK(value_json("56 02") == json::parse(R"({"type":"boolean","value":true})"));
  CHECK(value_json("52 07") == json::parse(R"({"type":"uint","value":7})"));
  CHECK(value_json("80 ffffffffffffffff")["value"] == UINT64_MAX);
  CHECK(value_json("81 8000000000000000")["value"] == INT64_MIN);
  CHECK(value_json("a0 02 0506") == json::parse(R"({"type":"binary","value_b64":"BQY="})"));
  CHECK(value_json("a1 02 ff61") ==
        json::parse(R"({"type":"string","value":"\uFFFDa","value_b64":"/2E="})"));
  CHECK(value_json("72 7fc00001")["bits"] == 0x7FC00001);
  CHECK(value_json("83 0000018bcfe56800") ==
        json::parse(R"({"type":"timestamp","value_ms":1700000000000})"));
  CHECK(value_json("74 01020304") == json::parse(R"({"type":"decimal32","value_hex":"01020304"})"));
  CHECK(value_json("73 0001f680")["value"] == "🚀");
  CHECK(value_json("73 12345678")["value_b64"] == "EjRWeA==");
  CHECK(value_json("c1 05 02 a10161 41") ==
        json::parse(R"({"type":"map","value":[{"key":{"type":"string","value":"a"},
                        "value":{"type":"boolean","value":true}}]})"));
  CHECK(value_json("e0 04 02 54 0102") ==
        json::parse(R"({"type":"array","element_type":"int","value":[{"type":"int","value":1},
                        {"type":"int","value":2}]})"));
  CHECK(value_json("f0 00000005 ffffffff 41") ==
        json::parse(R"({"type":"array","element_type":"boolean","count":4294967295,
                        "element":{"type":"boolean","value":true}})"));
  CHECK(value_json("00 53 70 45") ==
        json::parse(R"({"type":"described","descriptor":{"type":"ulong","value":112},
                        "value":{"type":"list","value":[]}})"));
  CHECK(value_json("c0 03 05 41 41")["problem"] == "runs past its end");
}

TEST_CASE("nesting ends at a depth in text and JSON", "[amqp]") {
  constexpr std::size_t kDepth = 100000;
  std::vector<std::byte> bytes(kDepth * 9 + 1);
  for (std::size_t i = 0; i < kDepth; ++i) {
    std::byte* at = bytes.data() + i * 9;
    at[0] = std::byte{0xD0};
    saranga::store_be(at + 1, static_cast<std::uint32_t>(bytes.size() - (i * 9 + 5)));
    saranga::store_be(at + 5, std::uint32_t{1});
  }
  bytes.back() = std::byte{0x40};
  json value = value_json(bytes);
  for (int depth = 0; depth < kMaximumAmqpDepth; ++depth) value = json(value["value"][0]);
  CHECK(value.size() == 2);
  CHECK(value["type"] == "list");
  CHECK(value.contains("encoded_b64"));
  Cursor cursor(bytes);
  TextBuffer out;
  append_amqp_value(out, Value::read(cursor));
  CHECK(out.size() < 200);
}

TEST_CASE("a descriptor that many elements share is written once", "[amqp]") {
  std::string bytes("\xF0\0\0\0\0\0\0\x27\x10\0\xB1\0\0\x27\x10", 15);
  bytes += std::string(10000, 'd') + '\x56' + std::string(10000, '\1');
  saranga::store_be(reinterpret_cast<std::byte*>(bytes.data()) + 1,
                    static_cast<std::uint32_t>(bytes.size() - 5));
  const json value = value_json(as_bytes(bytes));
  CHECK(value["value"].size() == 10000);
  CHECK(value.dump().size() < 1000000);
}

TEST_CASE("a message has its sections as members", "[amqp]") {
  for (const auto& sample : kAmqpSamples) {
    if (sample.name != "protocols 63") continue;
    const auto body = unhex(sample.body);
    Cursor cursor(body);
    const json message = json_of(decode_record(cursor), BodyDetail::kNone);
    CHECK(message["durable"] == true);
    CHECK(message["large"] == false);
    CHECK_FALSE(message.contains("body"));
    CHECK_FALSE(message.contains("problem"));
    CHECK(message["header"]["durable"] == true);
    CHECK(message["properties"]["message_id"] ==
          json::parse(R"({"type":"string","value":"ID:mine-1"})"));
    CHECK(message["properties"]["user_id_b64"] == "YWxpY2U=");
    CHECK(message["properties"]["creation_time_ms"] == 1700000000000);
    CHECK(message["properties"]["group_sequence"] == 5);
    CHECK(message["application_properties"]["short"] ==
          json::parse(R"({"type":"short","value":-2})"));
    CHECK(message["message_annotations"]["x-opt-custom"]["value"] == "ann");
  }
}

TEST_CASE("unexpected keys and fields are kept", "[amqp]") {
  const Sent sent("00 53 70 c0 04 02 41 54 09 00 53 72 c1 0a 04 53 05 41 a3 01 61 a1 01 62");
  const json message = json_of(sent.stored, BodyDetail::kNone);
  CHECK(message["priority"] == 4);
  CHECK(message["header"]["priority"] == json::parse(R"({"type":"int","value":9})"));
  CHECK(message["message_annotations"]["a"]["value"] == "b");
  CHECK(message["message_annotations_other"][0]["key"] ==
        json::parse(R"({"type":"ulong","value":5})"));
  CHECK(message.contains("problem"));
  CHECK(message["problem_offset"] == 0);
}

TEST_CASE("a key that occurs twice is one member, and nothing of it is lost", "[amqp]") {
  const Sent sent("00 53 74 c1 0d 04 a1 01 6b a1 01 31 a1 01 6b a1 01 32");
  const json message = json_of(sent.stored, BodyDetail::kNone);
  CHECK(message["application_properties"].size() == 1);
  CHECK(message["application_properties"]["k"]["value"] == "2");
  REQUIRE(message["application_properties_other"].size() == 1);
  CHECK(message["application_properties_other"][0]["value"]["value"] == "1");
}

TEST_CASE("bodies are shown as asked", "[amqp]") {
  const std::string_view data = "00 53 75 a0 02 6869 00 53 75 a0 01 21";
  CHECK(body_of(data, BodyDetail::kSummary) == json::parse(R"({"kind":"data","section_count":2})"));
  CHECK(json_of(Sent(data).stored, BodyDetail::kNone)["body_bytes"] == 3);
  CHECK(body_of(data, BodyDetail::kText)["text"] == "hi!");
  CHECK(body_of(data, BodyDetail::kHex)["data_hex"] == "686921");
  CHECK(body_of(data, BodyDetail::kFull)["sections"][1] ==
        json::parse(R"({"type":"binary","value_b64":"IQ=="})"));
  CHECK_FALSE(body_of("00 53 75 a0 01 ff", BodyDetail::kText).contains("text"));
  CHECK(body_of("00 53 77 a1 02 6869", BodyDetail::kText)["text"] == "hi");
  CHECK(body_of("00 53 77 a1 02 6869", BodyDetail::kHex)["data_hex"] == "a1026869");
  CHECK(body_of("00 53 76 c0 03 01 5407 00 53 76 45", BodyDetail::kFull)["sections"].size() == 2);
  CHECK(body_of("00 53 70 45", BodyDetail::kFull) == json::parse(R"({"kind":"none"})"));
}

TEST_CASE("cut and flipped records print", "[amqp]") {
  for (const auto& sample : kAmqpSamples) {
    const auto body = unhex(sample.body);
    for (std::size_t size = 0; size < body.size(); ++size) {
      print_everything(std::vector<std::byte>(body.begin(), body.begin() + std::ptrdiff_t(size)));
    }
    for (std::size_t bit = 0; bit < body.size() * 8; bit += 3) {
      auto flipped = body;
      flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      print_everything(flipped);
    }
  }
}
