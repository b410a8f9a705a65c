// Records as JSON: names, nulls, choices, bytes; and that passwords stay out of it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/records/printed.h"

using namespace saranga;
using namespace saranga::test;
using nlohmann::json;

namespace {

json parsed(Journal journal, int type, Bytes body) {
  return json::parse(json_of(journal, body_of(type, body)));
}

json sample_json(Journal journal, int type) {
  return parsed(journal, type, sample_body(journal, type));
}

}  // namespace

TEST_CASE("members have the names of the fields", "[records]") {
  CHECK(sample_json(Journal::kMessages, 38) ==
        json::parse(R"({"record_name":"HEURISTIC_COMPLETION","body":{"xid":{"format_id":1,
            "branch_qualifier_b64":"sQ==","global_id_b64":"oaI="},"commit":true}})"));
  CHECK(sample_json(Journal::kMessages, 37)["body"] ==
        json::parse(R"({"address":"q1","duplicate_id_b64":"aQBkAA=="})"));
  CHECK(sample_json(Journal::kMessages, 49)["body"] ==
        json::parse(R"({"data_b64":"bGFyZ2UgYm9keQ=="})"));
  CHECK(sample_json(Journal::kBindings, 44)["body"] ==
        json::parse(R"({"name":"A","routing_types":["MULTICAST","ANYCAST"],"auto_created":true,
            "internal":false})"));
  CHECK(sample_json(Journal::kBindings, 48)["body"] ==
        json::parse(R"({"username":"bob","roles":["role1","role2"]})"));
  CHECK(sample_json(Journal::kJms, 3)["body"] ==
        json::parse(R"({"kind":"QUEUE","name":"DLQ","bindings":["/queue/DLQ"]})"));
}

TEST_CASE("a queue binding has its user", "[records]") {
  const json body = sample_json(Journal::kBindings, 21)["body"];
  CHECK(body["metadata"] == "user=bob;");
  CHECK(body["user"] == "bob");
  CHECK(body["routing_type"] == "ANYCAST");
  CHECK(body["filter"].is_null());
}

TEST_CASE("what a body ends before has no member", "[records]") {
  const auto whole = sample_body(Journal::kBindings, 21);
  const json body = parsed(Journal::kBindings, 21, Bytes(whole).first(37))["body"];
  CHECK(body.contains("auto_created"));
  CHECK_FALSE(body.contains("max_consumers"));
}

TEST_CASE("choices without a name are numbers", "[records]") {
  const auto body = from_hex("000000000000000c0002");
  CHECK(parsed(Journal::kBindings, 22, body)["body"]["status"] == 2);
}

TEST_CASE("both kinds of settings have the same shape", "[records]") {
  const json binary = sample_json(Journal::kBindings, 25)["body"];
  CHECK(binary["address_match"] == "a.#");
  CHECK(binary["settings"]["max_delivery_attempts"] == 5);
  CHECK(binary["settings"]["default_queue_routing_type"] == "MULTICAST");
  CHECK(binary["settings"]["default_address_routing_type"].is_null());
  CHECK(binary["settings"]["slow_consumer_threshold_measurement_unit"] == "MESSAGES_PER_HOUR");
  const json text = sample_json(Journal::kBindings, 52)["body"];
  CHECK(text["address_match"] == "a.#");
  CHECK(text["json"].get<std::string>().starts_with("{\"addressFullMessagePolicy\""));
  CHECK(text["settings"]["max_delivery_attempts"] == 3);
  CHECK_FALSE(text["settings"].contains("max_size_bytes"));
}

TEST_CASE("JSON settings that are none", "[records]") {
  const json record = parsed(Journal::kBindings, 52,
                             from_hex("00000000"
                                      "00000002"
                                      "5b00"));
  CHECK(record["body"]["json"] == "[");
  CHECK(record["body"]["settings"].is_null());
  CHECK(record["problem"] == "JSON text: not an object");
}

TEST_CASE("a layout other than the usual is named", "[records]") {
  const json divert = parsed(Journal::kBindings, 27, from_hex(kDivertWithoutFlag))["body"];
  CHECK(divert["layout"] == "transformer-without-flag");
  CHECK(divert["transformer_class"] == "com.example.T");
  CHECK(divert["transformer_properties"] == json::parse(R"([{"key":"k","value":"v"}])"));
  CHECK(parsed(Journal::kBindings, 25, from_hex(kSettings14))["body"]["layout"] == "1.4");
}

TEST_CASE("trailing bytes are shown", "[records]") {
  auto body = sample_body(Journal::kMessages, 32, true);
  body.push_back(std::byte{7});
  CHECK(parsed(Journal::kMessages, 32, body)["body"]["trailing_b64"] == "Bw==");
}

TEST_CASE("bodies that do not decode, and unknown types, keep their bytes", "[records]") {
  const auto body = from_hex("0001");
  CHECK(parsed(Journal::kMessages, 32, body) ==
        json::parse(R"({"record_name":"ADD_REF","problem":"runs past its end",
            "data_b64":"AAE="})"));
  CHECK(parsed(Journal::kMessages, 77, body) ==
        json::parse(R"({"record_name":null,"data_b64":"AAE="})"));
}

TEST_CASE("the writers say whether the body decodes", "[records]") {
  TextBuffer out;
  cli::JsonWriter writer(out);
  const auto group = sample_body(Journal::kBindings, 20);
  const auto no_settings = from_hex(
      "00000000"
      "00000002"
      "5b00");
  writer.begin_object();
  CHECK(print::write_bindings_record_json(writer, body_of(20, group)));
  CHECK_FALSE(print::write_bindings_record_json(writer, body_of(20, Bytes(group).first(5))));
  CHECK_FALSE(print::write_bindings_record_json(writer, body_of(52, no_settings)));
  CHECK(print::write_bindings_record_json(writer, body_of(99, group)));
  CHECK_FALSE(print::write_message_record_json(writer, body_of(45, group)));
}

TEST_CASE("text that is not whole has its bytes beside it", "[records]") {
  const json body = parsed(Journal::kBindings, 20,
                           from_hex("00000003610000"
                                    "00000000"))["body"];
  CHECK(body["group_id"] == "a");
  CHECK(body["group_id_b64"] == "YQAA");
}

TEST_CASE("passwords are never shown", "[records]") {
  const json user = sample_json(Journal::kBindings, 47)["body"];
  CHECK(user == json::parse(R"({"username":"bob","password":"****"})"));
  CHECK(sample_json(Journal::kBindings, 28)["body"]["password"] == "****");
  CHECK(sample_json(Journal::kBindings, 51)["body"]["url"] ==
        "tcp://h:61617?sslEnabled=true&keyStorePassword=****&trustStorePath=t");
}

TEST_CASE("a cut or longer record does not give its password away", "[records]") {
  auto body = sample_body(Journal::kBindings, 47);
  body.push_back(std::byte{'x'});
  CHECK(parsed(Journal::kBindings, 47, body)["body"]["trailing_bytes"] == 1);
  const Bytes start = Bytes(body).first(body.size() - 3);
  const json cut = parsed(Journal::kBindings, 47, start);
  CHECK(cut["data_bytes"] == start.size());
  CHECK_FALSE(cut.contains("data_b64"));
}
