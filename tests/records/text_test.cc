// Texts of `data print` that no store at hand has; the others are compared with Artemis' output.
#include <catch2/catch.hpp>

#include "tests/records/printed.h"

using namespace saranga;
using namespace saranga::test;

namespace {

std::string sample_text(Journal journal, int type, bool is_update = false) {
  const auto body = sample_body(journal, type, is_update);
  return text_of(journal, body_of(type, body, is_update));
}

}  // namespace

TEST_CASE("texts of the message journal", "[records]") {
  CHECK(sample_text(Journal::kMessages, 32, true) == "AddRef;QueueEncoding [queueID=12]");
  CHECK(sample_text(Journal::kMessages, 33, true) == "ACK;QueueEncoding [queueID=12]");
  CHECK(sample_text(Journal::kMessages, 35) ==
        "PageTransactionInfoImpl(transactionID=77,id=9,numberOfMessages=2)");
  CHECK(sample_text(Journal::kMessages, 35, true) == "PageUpdateTXEncoding [pageTX=77, records=1]");
  CHECK(sample_text(Journal::kMessages, 38) ==
        "HeuristicCompletionEncoding [xid=XidImpl (0 bq:-79 formatID:1 gtxid:-95.-94 "
        "base64:saGiAQAAAA==, isCommit=true]");
  const std::string retry =
      "AckRetry{nodeID='n1', messageID=1000, reason=EXPIRED, pageAttempts=0, queueAttempts=0, "
      "viewCount=0}";
  CHECK(sample_text(Journal::kMessages, 53) ==
        "MapRecord{collectionID=12, id=500, key=" + retry + ", value=" + retry + "}");
  CHECK(sample_text(Journal::kMessages, 54) == "** null **");
}

TEST_CASE("the id of a bridge's duplicate is shown twice", "[records]") {
  std::string hex = "00000010420052004900440047004500";
  hex += "2e007800000000180001020304050607";
  hex += "08090a0b0c0d0e0f000000000000002a";
  CHECK(text_of(Journal::kMessages, body_of(37, from_hex(hex))) ==
        "DuplicateIDEncoding [address=BRIDGE.x, duplID=0001 0203 0405 0607 0809 0A0B 0C0D 0E0F "
        "0000 0000 0000 002A / nodeUUID=00010203-0405-1607-8809-0a0b0c0d0e0f messageID=42]");
}

TEST_CASE("old page counters print a size of zero", "[records]") {
  auto body = sample_body(Journal::kMessages, 40);
  body.resize(16);
  CHECK(text_of(Journal::kMessages, body_of(40, body)) ==
        "PageCountRecord [queueID=12, value=89, persistentSize=0]");
}

TEST_CASE("a format id is printed byte by byte as Artemis computes it", "[records]") {
  TextBuffer out;
  print::append_xid_text(out, Xid{.format_id = -1, .branch_qualifier = {}, .global_id = {}});
  CHECK(out.view() == "XidImpl (0 bq: formatID:-1 gtxid: base64:_____w==");
  out.clear();
  print::append_xid_text(out, Xid{.format_id = 255, .branch_qualifier = {}, .global_id = {}});
  CHECK(out.view() == "XidImpl (0 bq: formatID:255 gtxid: base64:AAAAAA==");
}

TEST_CASE("a queue binding of five fields prints what Artemis assumes", "[records]") {
  const auto whole = sample_body(Journal::kBindings, 21);
  const std::string text = text_of(Journal::kBindings, body_of(21, Bytes(whole).first(37)));
  for (const char* part : {"id=9,", "routingType=MULTICAST", "user=bob", "maxConsumers=-1",
                           "enabled=true", "autoDelete=true", "ringSize=-1", "internal=null",
                           "configurationManaged=null", "autoCreated=true", "fqqn=null]]"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("a qualified queue name is split", "[records]") {
  // name "x", address "A::Q"
  const auto body = from_hex(
      "000000027800"
      "0000000841003a003a005100"
      "00");
  const std::string text = text_of(Journal::kBindings, body_of(21, body));
  CHECK(text.find("name=Q, address=A, ") != std::string::npos);
  CHECK(text.find("fqqn=true]]") != std::string::npos);
}

TEST_CASE("diverts", "[records]") {
  CHECK(sample_text(Journal::kBindings, 27) ==
        "PersistedDivertConfiguration{storeId=9, divertConfiguration=DivertConfiguration "
        "[name=d, routingName=r, address=a, forwardingAddress=f, exclusive=true, "
        "filterString=x = 1, routing-type=PASS, transformerConfiguration=TransformerConfiguration "
        "[className=com.example.T, properties={k=v, n=null}]]}");
  // A broker doesn't see the transformer that was written without its flag.
  const auto without = from_hex(kDivertWithoutFlag);
  CHECK(text_of(Journal::kBindings, body_of(27, without))
            .ends_with("routing-type=PASS, transformerConfiguration=null]}"));
}

TEST_CASE("safe mode only names bindings", "[records]") {
  const auto queue = sample_body(Journal::kBindings, 21);
  const auto address = sample_body(Journal::kBindings, 44);
  const auto group = sample_body(Journal::kBindings, 20);
  TextBuffer out;
  REQUIRE(print::append_bindings_record_text(out, body_of(21, queue), true));
  out.put('\n');
  REQUIRE(print::append_bindings_record_text(out, body_of(44, address), true));
  out.put('\n');
  REQUIRE(print::append_bindings_record_text(out, body_of(20, group), true));
  CHECK(out.view() ==
        "PersistentQueueBindingEncoding(safe data)\n"
        "PersistentAddressBindingEncoding(safe data)\n"
        "GroupingEncoding [id=9, groupId=g.1, clusterName=c.1]");
}

TEST_CASE("routing types are listed in their order, each once", "[records]") {
  const auto body = from_hex(
      "000000024100"
      "00000003"
      "010001"
      "00");
  CHECK(text_of(Journal::kBindings, body_of(44, body)) ==
        "PersistentAddressBindingEncoding [id=9, name=A, routingTypes={MULTICAST,ANYCAST}, "
        "autoCreated=false, internal=false]");
}

TEST_CASE("unknown statuses and types", "[records]") {
  const auto status = from_hex("000000000000000c0002");
  CHECK(text_of(Journal::kBindings, body_of(22, status)) ==
        "QueueStatusEncoding [id=9, queueID=12, status=null]");
  CHECK(text_of(Journal::kBindings, body_of(99, status)) == "** null **");
  CHECK(text_of(Journal::kMessages, body_of(-1, status)) == "** null **");
}

TEST_CASE("a body that does not decode is an error and prints nothing", "[records]") {
  const auto body = from_hex("0000");
  TextBuffer out;
  const auto result = print::append_message_record_text(out, body_of(32, body));
  REQUIRE_FALSE(result);
  CHECK(out.empty());
  CHECK(result.error().code == ErrorCode::kDamaged);
  CHECK(result.error().record == 9);
  CHECK(result.error().text == "body of type 32 (ADD_REF) runs past its end");
  CHECK(text_of(Journal::kBindings, body_of(52, from_hex("0000000000000002"
                                                         "5b00")))
            .starts_with("error: record 9: body of type 52 (ADDRESS_SETTING_RECORD_JSON)"));
}
