// JSON Lines of `saranga data print`: what docs/json.md promises, on small stores.
#include "saranga/message/compressed_body.h"
#include "tests/print/printed_store.h"

#include <zlib.h>

using namespace saranga;
using namespace saranga::test;
using nlohmann::json;
using print::BodyDetail;

namespace {

Buffer queue(std::int64_t id) { return BodyBuilder().i64(id); }

// The one message of a journal of one record.
json message_of(const CoreSpec& spec, BodyDetail detail = BodyDetail::kNone) {
  JournalBuilder journal;
  journal.add(spec.id, 45, stored_core(spec));
  const auto records = print_json(with_journal(journal), {.body = detail}).objects("record");
  REQUIRE(records.size() == 1);
  return records[0]["message"];
}

json body_of(unsigned type, const Buffer& body, BodyDetail detail = BodyDetail::kFull) {
  return message_of({.type = type, .body = body}, detail)["body"];
}

json property_of(unsigned type, std::string_view hex) {
  return message_of(
      {.properties = properties_block({property("k", type, hex)})})["properties"]["k"];
}

Buffer deflated(const Buffer& plain) {
  uLongf size = compressBound(plain.size());
  Buffer packed(size);
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  packed.resize(size);
  return packed;
}

Buffer compressed_flag() { return properties_block({property("_AMQ_LARGE_COMPRESSED", 2, "01")}); }

}  // namespace

TEST_CASE("the first object names the schema, the last one sums up", "[json]") {
  JournalBuilder journal;
  journal.add(1, 29, queue(1));
  const auto objects =
      print_json(with_journal(journal), {.store = "data", .server_id = "id"}).objects();
  CHECK(objects.front()["type"] == "header");
  CHECK(objects.front()["schema"] == "saranga.print/1");
  CHECK(objects.front()["store"] == "data");
  CHECK(objects.front()["server_id"] == "id");
  CHECK(objects.back()["type"] == "summary");
  CHECK(objects.back()["record_count"] == 1);
  CHECK(objects.back()["file_count"] == 2);
  CHECK(objects.back()["exit_code"] == 0);
  for (const json& object : objects) CHECK(object.contains("type"));
}

TEST_CASE("a record has its place, and the members of its kind", "[json]") {
  JournalBuilder journal(7);
  journal.add(1, 29, queue(9)).update_tx(70, 1, 32, queue(5)).remove_tx(70, 2, hex_bytes("1d"));
  journal.commit(70, 2).remove(1).rollback(71).record(
      {.kind = journal::RecordKind::kAdd, .id = 5, .user_type = 99, .compact_count = 3});
  const auto records = print_json(with_journal(journal)).objects("record");
  REQUIRE(records.size() == 7);
  CHECK(records[0] == json::parse(R"({"type":"record","file":"journal/activemq-data-1.amq",
      "file_id":7,"offset":16,"length":31,"kind":"add","tx":null,"id":1,"compact_count":0,
      "record_type":29,"record_name":"ADD_LARGE_MESSAGE_PENDING","body":{"message_id":9}})"));
  CHECK(records[1]["tx"] == 70);
  CHECK(records[1]["body"]["queue_id"] == 5);
  CHECK(records[2]["data_b64"] == "HQ==");
  CHECK_FALSE(records[2].contains("record_type"));
  CHECK(records[3]["record_count"] == 2);
  CHECK_FALSE(records[3].contains("id"));
  CHECK(records[4]["kind"] == "delete");
  CHECK(records[5]["tx"] == 71);
  CHECK(records[6]["record_name"].is_null());
  CHECK(records[6]["data_b64"] == "");
  CHECK(records[6]["compact_count"] == 3);
}

TEST_CASE("a prepare has the name of its transaction", "[json]") {
  JournalBuilder journal;
  journal.add_tx(7, 1, 29, queue(9)).prepare(7, 1, hex_bytes("00000001 00000001 b1 00000002 a1a2"));
  journal.add_tx(8, 2, 29, queue(9)).prepare(8, 1, hex_bytes("ff"));
  const PrintedStore printed = print_json(with_journal(journal));
  const auto records = printed.objects("record");
  CHECK(records[1]["xid"] ==
        json::parse(R"({"format_id":1,"branch_qualifier_b64":"sQ==","global_id_b64":"oaI="})"));
  CHECK(records[3]["xid"].is_null());
  CHECK(records[3]["extra_data_b64"] == "/w==");
  const auto transactions = printed.objects("transaction");
  REQUIRE(transactions.size() == 2);
  CHECK(transactions[0] == json::parse(R"({"type":"transaction","journal":"journal","tx":7,
      "state":"prepared","record_count":1,"delete_count":0})"));
  const auto held = printed.objects("transaction_record");
  CHECK(held[0]["offset"] == records[0]["offset"]);
  CHECK(held[0]["record_type"] == 29);
  CHECK(held[0]["delete"] == false);
}

TEST_CASE("objects of a part name its journal, a single file as well", "[json]") {
  JournalBuilder jms;
  jms.add(1, 1, hex_bytes("00000004 43004600 00000001"));
  StoreFiles store = with_journal(JournalBuilder().add(1, 29, queue(1)));
  store.files["bindings/activemq-jms-1.jms"] = jms.bytes();
  const PrintedStore printed = print_json(store);
  std::vector<std::string> journals;
  for (const json& object : printed.objects("journal")) journals.push_back(object["journal"]);
  CHECK(journals == std::vector<std::string>{"bindings", "jms", "journal"});
  const auto survivors = printed.objects("survivor");
  REQUIRE(survivors.size() == 2);
  CHECK(survivors[0]["journal"] == "jms");
  CHECK(survivors[1]["journal"] == "journal");
}

TEST_CASE("counts are those of the text, and what they are made of", "[json]") {
  JournalBuilder journal;
  journal.add(1, 45, stored_core({.id = 1})).update(1, 33, queue(9)).update(1, 33, queue(9));
  journal.update(1, 32, queue(9)).update_tx(80, 6, 33, queue(5)).prepare(80, 1);
  const json counts = print_json(with_journal(journal)).objects("counts").back();
  CHECK(counts["surviving"]["message_count"] == 1);
  CHECK(counts["surviving"]["references"] == json::parse(R"([{"queue_id":9,"count":0,
      "reference_count":1,"acknowledge_count":2}])"));
  CHECK(counts["prepared"]["references"] == json::parse(R"([{"queue_id":5,"count":0,
      "reference_count":0,"acknowledge_count":1}])"));
}

TEST_CASE("every byte of a file has its class", "[json]") {
  const PrintedStore printed =
      print_json(built_files("journal journal/activemq-data-1.amq id=1 size=149\n"
                             "  add 1 ADD_LARGE_MESSAGE_PENDING message_id=1\n"
                             "  bytes hex:4142\n"
                             "journal bindings/activemq-bindings-1.bindings id=1\n"));
  const json account = printed.objects("file_end").back()["account"];
  CHECK(account == json::parse(R"({"header_bytes":16,"record_bytes":31,"stale_bytes":0,
      "padding_bytes":100,"unreadable_bytes":2,"total_bytes":149,"stale_record_count":0})"));
  CHECK(printed.objects("summary")[0]["findings"]["warning"] == 1);
}

TEST_CASE("properties keep their types", "[json]") {
  CHECK(property_of(0, "") == json::parse(R"({"type":"null","value":null})"));
  CHECK(property_of(2, "ff") == json::parse(R"({"type":"boolean","value":true})"));
  CHECK(property_of(3, "80") == json::parse(R"({"type":"byte","value":-128})"));
  CHECK(property_of(4, "00000002 0102") == json::parse(R"({"type":"bytes","value_b64":"AQI="})"));
  CHECK(property_of(5, "ffff") == json::parse(R"({"type":"short","value":-1})"));
  CHECK(property_of(6, "80000000") == json::parse(R"({"type":"int","value":-2147483648})"));
  CHECK(property_of(7, "7fffffffffffffff") ==
        json::parse(R"({"type":"long","value":9223372036854775807})"));
  CHECK(property_of(8, "3dcccccd") == json::parse(R"({"type":"float","value":0.1})"));
  CHECK(property_of(9, "3fb999999999999a") == json::parse(R"({"type":"double","value":0.1})"));
  CHECK(property_of(10, "00000002 6100") == json::parse(R"({"type":"string","value":"a"})"));
  CHECK(property_of(11, "20ac") == json::parse(R"({"type":"char","value":"\u20ac"})"));
}

TEST_CASE("numbers that JSON does not have are strings", "[json]") {
  CHECK(property_of(9, "7ff0000000000000")["value"] == "Infinity");
  CHECK(property_of(8, "ff800000")["value"] == "-Infinity");
  CHECK(property_of(9, "7ff8000000000001") ==
        json::parse(R"({"type":"double","value":"NaN","bits":9221120237041090561})"));
  CHECK(property_of(8, "7fc00000") ==
        json::parse(R"({"type":"float","value":"NaN","bits":2143289344})"));
}

TEST_CASE("half a surrogate pair is an escape, so nothing is lost", "[json]") {
  JournalBuilder journal;
  journal.add(
      1, 45,
      stored_core({.properties = properties_block(
                       {property("s", 10, "00000006 61003dd86200"), property("c", 11, "dc00")})}));
  const PrintedStore printed = print_json(with_journal(journal));
  CHECK(printed.has(R"("s":{"type":"string","value":"a\ud83db"})"));
  CHECK(printed.has(R"("c":{"type":"char","value":"\udc00"})"));
}

TEST_CASE("half a character is shown as bytes too", "[json]") {
  CHECK(property_of(10, "00000003 610062") ==
        json::parse(R"({"type":"string","value":"a","value_b64":"YQBi"})"));
  const json text = body_of(3, hex_bytes("01 00000003 610062"));
  CHECK(text["text"] == "a");
  CHECK(text["data_b64"] == "AQAAAANhAGI=");
}

TEST_CASE("a map that JSON cannot hold is there as bytes too", "[json]") {
  const Buffer twice = properties_block({property("k", 3, "01"), property("k", 3, "02")});
  const json message = message_of({.properties = twice});
  CHECK(message["properties"] == json::parse(R"({"k":{"type":"byte","value":2}})"));
  CHECK(message["properties_b64"] == "AAAAAmsAAwEAAAACawADAg==");
  CHECK_FALSE(message_of({}).contains("properties_b64"));
}

TEST_CASE("headers are complete", "[json]") {
  CHECK(message_of({.id = 5,
                    .user_id = Buffer(16, std::byte{0x11}),
                    .type = 5,
                    .durable = 0,
                    .expiration_ms = 7,
                    .timestamp_ms = -1,
                    .priority = 9}) ==
        json::parse(R"({"id":5,"address":"q1","protocol":"core","message_type":"map",
          "durable":false,"priority":9,"timestamp_ms":-1,"expiration_ms":7,
          "user_id":"11111111-1111-1111-1111-111111111111","large":false,"body_bytes":0,
          "encoded_bytes":58,"properties":{}})"));
  const json odd = message_of({.address = std::nullopt, .type = 77});
  CHECK(odd["address"].is_null());
  CHECK(odd["message_type"] == "unknown");
  CHECK(odd["message_type_number"] == 77);
}

TEST_CASE("what the message says inside is shown when it differs", "[json]") {
  JournalBuilder journal;
  journal.add(2, 45,
              BodyBuilder().u8(1).i64(2).nullable_simple_string("outer").sized(
                  core_buffer({.id = 1, .address = "inner"})));
  const json message = print_json(with_journal(journal)).objects("record")[0]["message"];
  CHECK(message["id"] == 2);
  CHECK(message["inner_id"] == 1);
  CHECK(message["address"] == "outer");
  CHECK(message["inner_address"] == "inner");
  CHECK_FALSE(message_of({}).contains("inner_address"));
}

TEST_CASE("bodies are shown by type", "[json]") {
  CHECK(body_of(3, hex_bytes("01 00000004 68006900")) ==
        json::parse(R"({"kind":"text","text":"hi"})"));
  CHECK(body_of(3, hex_bytes("00")) == json::parse(R"({"kind":"text","text":null})"));
  CHECK(body_of(4, hex_bytes("0102")) == json::parse(R"({"kind":"bytes","data_b64":"AQI="})"));
  CHECK(body_of(5, properties_block({property("k", 2, "01")})) ==
        json::parse(R"({"kind":"map","map":{"k":{"type":"boolean","value":true}}})"));
  CHECK(body_of(2, hex_bytes("00000002 aced")) ==
        json::parse(R"({"kind":"object","object_b64":"rO0="})"));
  CHECK(body_of(2, {}) == json::parse(R"({"kind":"object","object_b64":null})"));
  CHECK(body_of(6, hex_bytes("0a 01 00000005 00680065006c006c006f 02 ff 0a 00")) ==
        json::parse(R"({"kind":"stream","stream":[{"type":"string","value":"hello"},
          {"type":"boolean","value":true},{"type":"null","value":null}]})"));
}

TEST_CASE("a body that is not what its type says is there as bytes too", "[json]") {
  const json text = body_of(3, hex_bytes("01 00000009 68"));
  CHECK(text["problem"] == "runs past its end");
  CHECK(text["data_b64"] == "AQAAAAlo");
  const json longer = body_of(3, hex_bytes("00 55"));
  CHECK(longer["text"].is_null());
  CHECK(longer["data_b64"] == "AFU=");
  const json stream = body_of(6, hex_bytes("06 00000007 63"));
  CHECK(stream["stream"].size() == 1);
  CHECK(stream["problem"] == "has a property of an unknown type");
  CHECK(body_of(5, hex_bytes("01 7fffffff"))["problem"] == "runs past its end");
}

TEST_CASE("how much of a body is shown is asked for", "[json]") {
  const Buffer text = hex_bytes("01 00000004 68006900");
  CHECK_FALSE(message_of({.type = 3, .body = text}).contains("body"));
  CHECK(message_of({.type = 3, .body = text})["body_bytes"] == 9);
  CHECK(body_of(3, text, BodyDetail::kSummary) == json::parse(R"({"kind":"text"})"));
  CHECK(body_of(3, text, BodyDetail::kText) == json::parse(R"({"kind":"text","text":"hi"})"));
  CHECK(body_of(4, text, BodyDetail::kText) == json::parse(R"({"kind":"bytes"})"));
  CHECK(body_of(3, text, BodyDetail::kHex) ==
        json::parse(R"({"kind":"text","data_hex":"010000000468006900"})"));
}

TEST_CASE("a compressed body is inflated for showing", "[json]") {
  const Buffer plain = hex_bytes("01 00000004 68006900");
  const CoreSpec spec{.type = 3, .properties = compressed_flag(), .body = deflated(plain)};
  CHECK(message_of(spec, BodyDetail::kFull)["body"] ==
        json::parse(R"({"kind":"text","compressed":true,"inflated_bytes":9,"text":"hi"})"));
  CoreSpec broken = spec;
  broken.body.pop_back();
  const json body = message_of(broken, BodyDetail::kFull)["body"];
  CHECK(body["problem"] == "the compressed body is cut");
  CHECK(body.contains("data_b64"));
  CHECK_FALSE(message_of(broken, BodyDetail::kSummary)["body"].contains("data_b64"));
  // A flag that is false, or no boolean, says nothing.
  const CoreSpec plain_spec{
      .type = 3,
      .properties = properties_block({property("_AMQ_LARGE_COMPRESSED", 2, "00")}),
      .body = plain};
  CHECK(message_of(plain_spec, BodyDetail::kFull)["body"]["text"] == "hi");
}

TEST_CASE("a large message has no body of its own", "[json]") {
  JournalBuilder journal;
  journal.add(2000, 30, hex_bytes(kLargeMessageHex));
  StoreFiles store = with_journal(journal);
  store.files["large-messages/2000.msg"] = Buffer(5);
  const PrintedStore printed = print_json(store, {.body = BodyDetail::kFull});
  const json message = printed.objects("record")[0]["message"];
  CHECK(message["large"] == true);
  CHECK_FALSE(message.contains("body"));
  CHECK_FALSE(message.contains("body_bytes"));
  CHECK(printed.objects("large_file")[0] ==
        json::parse(R"({"type":"large_file","file":"large-messages/2000.msg","id":2000,
          "size_bytes":5,"kind":"durable","referenced":true})"));
}

TEST_CASE("pieces of large bodies are bodies", "[json]") {
  JournalBuilder journal;
  journal.event(1, 49, text_bytes("secret"));
  const auto shown = [&](print::JsonOptions options) {
    return print_json(with_journal(journal), std::move(options)).objects("record")[0];
  };
  CHECK(shown({})["body"] == json::parse(R"({"body_bytes":6})"));
  CHECK(shown({.body = BodyDetail::kHex})["body"]["data_hex"] == "736563726574");
  CHECK(shown({.body = BodyDetail::kFull})["body"]["data_b64"] == "c2VjcmV0");
  CHECK(shown({.body = BodyDetail::kFull, .safe = true})["hidden_bytes"] == 6);
}

TEST_CASE("safe mode shows nothing of messages, whatever state they are in", "[json]") {
  const Buffer secret = hex_bytes("73006500630072006500740073006500630072006500740000");
  JournalBuilder journal;
  journal.add(1, 45, stored_core({.id = 1, .body = secret}));
  Buffer broken = stored_core({.id = 2, .body = secret});
  broken.pop_back();
  journal.add(2, 45, broken).add(3, 99, secret).event(4, 49, secret);
  StoreFiles store = with_journal(journal);
  store.files["paging/f/address.txt"] = text_bytes("a");
  Buffer page = frame(paged(stored_core({.id = 5, .body = secret})));
  append(page, frame(Bytes(paged(stored_core({.id = 6, .body = secret}))).first(90)));
  store.files["paging/f/000000001.page"] = page;
  const PrintedStore printed = print_json(store, {.body = BodyDetail::kFull, .safe = true});
  CHECK_FALSE(printed.has("data_b64"));
  CHECK_FALSE(printed.has("trailing_b64"));
  CHECK_FALSE(printed.has("\"message\":"));
  for (const char* type : {"record", "paged_message"}) {
    for (const json& object : printed.objects(type)) CHECK(object["hidden_bytes"] > 20);
  }
  CHECK(printed.objects("record")[1]["problem"] == "runs past its end");
  CHECK(printed.objects("paged_message")[1]["problem"] == "runs past its end");
}

TEST_CASE("a record that does not decode is there as bytes", "[json]") {
  JournalBuilder journal;
  journal.add(1, 45, hex_bytes("09ff")).add(2, 32, hex_bytes("00"));
  const PrintedStore printed = print_json(with_journal(journal));
  const auto records = printed.objects("record");
  CHECK(records[0]["record_name"] == "ADD_MESSAGE_PROTOCOL");
  CHECK(records[0]["problem"] == "has an unknown persister id");
  CHECK(records[0]["data_b64"] == "Cf8=");
  CHECK(records[1]["problem"] == "runs past its end");
  const json finding = printed.objects("finding")[0];
  CHECK(finding["severity"] == "damage");
  CHECK(finding["code"] == "body-undecodable");
  CHECK(finding["file"] == "journal/activemq-data-1.amq");
  CHECK(finding["offset"] == 16);
  CHECK(finding["id"] == 1);
  CHECK(printed.objects("summary")[0]["exit_code"] == 2);
}

TEST_CASE("bytes behind a message are kept", "[json]") {
  Buffer body = stored_core({.id = 1});
  body.push_back(std::byte{7});
  JournalBuilder journal;
  journal.add(1, 45, body);
  const PrintedStore printed = print_json(with_journal(journal));
  CHECK(printed.objects("record")[0]["trailing_b64"] == "Bw==");
}

TEST_CASE("paged messages have their place and queues", "[json]") {
  JournalBuilder journal;
  journal.add(50, 39, BodyBuilder().i64(12).i64(3).i32(0));
  StoreFiles store = with_journal(journal);
  store.files["paging/f/address.txt"] = text_bytes("pg.\xE9");
  Buffer page = frame(paged(stored_core({.id = 1}), {12, 13}, 77));
  page.push_back(std::byte{0});
  append(page, frame(paged(stored_core({.id = 2}), {})));
  store.files["paging/f/000000003.page"] = page;
  const PrintedStore printed = print_json(store);
  const auto messages = printed.objects("paged_message");
  REQUIRE(messages.size() == 2);
  CHECK(messages[0]["file"] == "paging/f/000000003.page");
  CHECK(messages[0]["offset"] == 0);
  CHECK(messages[0]["page_number"] == 3);
  CHECK(messages[0]["message_number"] == 0);
  CHECK_FALSE(messages[0].contains("message_number_estimated"));
  CHECK(messages[0]["tx"] == 77);
  CHECK(messages[0]["tx_found"] == false);
  CHECK(messages[0]["queues"] == json::parse(R"([
      {"queue_id":12,"acknowledged":true,"page_complete":false,"bound":false},
      {"queue_id":13,"acknowledged":false,"page_complete":false,"bound":false}])"));
  CHECK(messages[1]["message_number"] == 2);
  CHECK(messages[1]["message_number_estimated"] == true);
  CHECK(messages[1]["tx"].is_null());
  CHECK_FALSE(messages[1].contains("tx_found"));
  const json store_object = printed.objects("page_store")[0];
  CHECK(store_object["address_b64"] == "cGcu6Q==");
  CHECK(store_object["page_count"] == 1);
  CHECK(store_object["current_page_number"] == 3);
  const json end = printed.objects("page_end")[0];
  CHECK(end["message_count"] == 2);
  CHECK(end["unreadable_bytes"] == 1);
  CHECK(end["entry_bytes"] == page.size() - 1);
}

TEST_CASE("records of a previous life are marked", "[json]") {
  const PrintedStore printed =
      print_json(built_files("journal journal/activemq-data-1.amq id=5 size=0\n"
                             "  add 9 ADD_LARGE_MESSAGE_PENDING message_id=9\n"
                             "  life 1\n"
                             "  add 2 ADD_LARGE_MESSAGE_PENDING message_id=2\n"
                             "  add 3 ADD_LARGE_MESSAGE_PENDING message_id=3\n"
                             "journal bindings/activemq-bindings-1.bindings id=1\n"),
                 {}, {.reclaimed = true});
  const auto records = printed.objects("record");
  REQUIRE(records.size() == 3);
  CHECK_FALSE(records[0].contains("stale"));
  CHECK(records[1]["stale"] == true);
  CHECK(records[1]["tag"] == 1);
  CHECK(printed.objects("survivor").size() == 1);
}

TEST_CASE("files that are not read have their reason", "[json]") {
  const auto odd = print_json(built_files("journal journal/activemq-data-1.amq id=1\n"
                                          "file journal/activemq-data-2.amq size=3\n"
                                          "file journal/activemq-data-3.amq.tmp size=30\n"
                                          "journal bindings/activemq-bindings-1.bindings id=1\n"))
                       .objects("odd_file");
  REQUIRE(odd.size() == 2);
  CHECK(odd[0] == json::parse(R"({"type":"odd_file","file":"journal/activemq-data-2.amq",
      "why":"short","size_bytes":3})"));
  CHECK(odd[1]["why"] == "being_created");
}
