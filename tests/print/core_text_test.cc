// Artemis' text of Core messages and their properties.
#include <catch2/catch.hpp>

#include "tests/message/core_samples.h"
#include "tools/print/core_text.h"
#include "tools/print/java_text.h"
#include "tools/print/property_map.h"

using namespace saranga;
using namespace saranga::test;

namespace {

std::string text_of(const Buffer& block) {
  TextBuffer out;
  print::append_typed_properties(out, block);
  return out.str();
}

// A block of null properties with these keys, which blanks separate.
Buffer with_keys(std::string_view keys) {
  std::vector<Buffer> entries;
  while (!keys.empty()) {
    const std::size_t end = std::min(keys.find(' '), keys.size());
    entries.push_back(property(keys.substr(0, end), 0));
    keys.remove_prefix(std::min(end + 1, keys.size()));
  }
  return properties_block(entries);
}

std::string with_null_values(std::string_view keys) {
  std::string text = "TypedProperties[";
  for (const char c : keys) {
    if (c == ' ') {
      text += "=NULL-value, ";
    } else {
      text += c;
    }
  }
  return text + "=NULL-value]";
}

std::string value_text(unsigned type, std::string_view hex) {
  const std::string text = text_of(properties_block({property("k", type, hex)}));
  return text.substr(18, text.size() - 19);
}

std::string bytes_property(std::string_view key, std::size_t count) {
  const Buffer value = BodyBuilder().sized(Buffer(count, std::byte{0xAB}));
  const Buffer entry = BodyBuilder().simple_string(key).u8(4).raw(value);
  return text_of(properties_block({entry}));
}

message::CoreMessage read(const Buffer& bytes) {
  Cursor cursor(Bytes(bytes).subspan(1));
  message::CoreMessage message = message::read_core_message(cursor);
  REQUIRE(cursor.ok());
  return message;
}

std::string numbered(std::string_view prefix, int count) {
  std::string keys;
  for (int i = 0; i < count; ++i) {
    keys += (i == 0 ? "" : " ") + std::string(prefix) + std::to_string(i);
  }
  return keys;
}

}  // namespace

TEST_CASE("every type of property has its text", "[core]") {
  CHECK(text_of(hex_bytes("00")) == "TypedProperties[]");
  CHECK(text_of(hex_bytes("01 00000000")) == "TypedProperties[]");
  CHECK(value_text(0, "") == "NULL-value");
  CHECK(value_text(2, "01") == "true");
  CHECK(value_text(2, "00") == "false");
  CHECK(value_text(3, "ff") == "-1");
  CHECK(value_text(4, "00000003 0aff01") == "[0AFF 01]");
  CHECK(value_text(5, "8000") == "-32768");
  CHECK(value_text(6, "7fffffff") == "2147483647");
  CHECK(value_text(7, "8000000000000000") == "-9223372036854775808");
  CHECK(value_text(8, "3fc00000") == "1.5");
  CHECK(value_text(9, "4202a05f20000000") == "1.0E10");
  CHECK(value_text(10, "00000004 68006900") == "hi");
  CHECK(value_text(10, "00000000").empty());
  CHECK(value_text(11, "0041") == "A");
}

TEST_CASE("properties come in the order of a Java map", "[core]") {
  // The orders are those of java.util.HashMap, made for as many entries.
  CHECK(
      text_of(with_keys(numbered("key", 40))) ==
      with_null_values("key23 key32 key0 key16 key25 key34 key2 key14 key4 key12 key21 key30 key6 "
                       "key10 key9 key27 key36 key29 key38 key18 key1 key15 key22 key31 key3 key13 "
                       "key24 key33 key5 key11 key7 key20 key8 key39 key19 key26 key35 key17 key28 "
                       "key37"));
  CHECK(text_of(with_keys("JMS_pa JMS_pb JMS_pc JMS_pd JMS_pe JMS_pf JMS_pg JMS_ph JMS_pi JMS_pj "
                          "JMS_pk JMS_pl JMS_pm JMS_pn JMS_po JMS_pp JMS_pq")) ==
        with_null_values("JMS_pf JMS_pg JMS_pd JMS_pe JMS_pb JMS_pc JMS_pa JMS_pp JMS_pq JMS_pn "
                         "JMS_po JMS_pl JMS_pm JMS_pj JMS_pk JMS_ph JMS_pi"));
}

TEST_CASE("keys of one bucket stay as they came", "[core]") {
  CHECK(text_of(with_keys("ah ap ax bg bo bw n m")) == with_null_values("n ah ap ax bg bo bw m"));
  CHECK(text_of(with_keys("m n bw bo bg ax ap ah")) == with_null_values("n m bw bo bg ax ap ah"));
}

TEST_CASE("a key that comes again keeps its place and takes the new value", "[core]") {
  const Buffer block =
      properties_block({property("ah", 6, "00000001"), property("ap", 0),
                        property("ah", 6, "00000002"), property("ah", 6, "00000003")});
  CHECK(text_of(block) == "TypedProperties[ah=3, ap=NULL-value]");

  // More keys than are compared one by one.
  std::vector<Buffer> entries;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 30; ++i) {
      entries.push_back(property("key" + std::to_string(i), 3, round == 2 ? "02" : "00"));
    }
  }
  const Buffer many = properties_block(entries);
  Cursor cursor(many);
  const auto properties = message::TypedProperties::read(cursor);
  const auto unique = print::unique_properties(properties);
  REQUIRE(unique.size() == 30);
  for (std::size_t i = 0; i < unique.size(); ++i) {
    CHECK(unique[i].key.str() == "key" + std::to_string(i));
    CHECK(unique[i].value.number == 2);
  }
}

TEST_CASE("of a damaged block the whole entries are shown", "[core]") {
  const Buffer block = properties_block({property("a", 3, "01"), property("b", 3, "02")});
  const Buffer cut(block.begin(), block.end() - 1);
  CHECK(text_of(cut) == "TypedProperties[a=1]");
}

TEST_CASE("long bytes are cut in the middle from 150 characters on", "[core]") {
  // 60 bytes are 149 characters, 61 are 152: groups of four digits and blanks.
  const auto text = [](std::size_t count) {
    const std::string whole = bytes_property("k", count);
    return whole.substr(std::string_view("TypedProperties[k=[").size(),
                        whole.size() - std::string_view("TypedProperties[k=[]]").size());
  };
  CHECK(text(0) == "[]");
  CHECK(text(1) == "AB");
  CHECK(text(60).size() == 149);
  CHECK(text(60).find("...") == std::string::npos);
  for (const std::size_t count : {61U, 62U, 63U, 200U, 5000U}) {
    const std::string cut = text(count);
    CHECK(cut.size() == 155);
    CHECK(cut.substr(75, 5) == " ... ");
    CHECK(cut.starts_with("ABAB ABAB"));
  }
}

TEST_CASE("bytes that name queues are shown as numbers too", "[core]") {
  const Buffer two = BodyBuilder()
                         .simple_string("_AMQ_ROUTE_TOqueue")
                         .u8(4)
                         .sized(BodyBuilder().i64(5).i64(-1).bytes());
  CHECK(text_of(properties_block({two})) ==
        "TypedProperties[_AMQ_ROUTE_TOqueue=[0000 0000 0000 0005 FFFF FFFF FFFF FFFF], "
        "bytesAsLongs[5, -1]]");
  CHECK(bytes_property("_AMQ_ROUTE_TO", 0) ==
        "TypedProperties[_AMQ_ROUTE_TO=[[]], bytesAsLongs[]]");
  CHECK(bytes_property("x_AMQ_ROUTE_TO", 8).find("bytesAsLongs") == std::string::npos);
  CHECK(bytes_property("_AMQ_ROUTE_T", 8).find("bytesAsLongs") == std::string::npos);
}

TEST_CASE("a Core message has its line", "[core]") {
  const Buffer bytes = hex_bytes(kTextMessageHex);
  TextBuffer out;
  print::append_core_message(out, read(bytes));
  TextBuffer date;
  print::append_java_date(date, 0x18000000000);
  CHECK(
      out.view() ==
      "CoreMessage[messageID=1000, durable=true, userID=null, priority=4, timestamp=" + date.str() +
          ", expiration=0, durable=true, address=q1, size=66, "
          "properties=TypedProperties[n=7]]@0");
}

TEST_CASE("what a message lacks is null, or zero", "[core]") {
  const Buffer bytes =
      stored_core({.id = -5, .address = std::nullopt, .durable = 0, .priority = 0xFF});
  TextBuffer out;
  print::append_core_message(out, read(bytes));
  CHECK(out.view() ==
        "CoreMessage[messageID=-5, durable=false, userID=null, priority=-1, timestamp=0, "
        "expiration=0, durable=false, address=null, size=34, properties=TypedProperties[]]@0");
}

TEST_CASE("large messages have fewer blanks, and those of pages a class of their own", "[core]") {
  const Buffer bytes = headers_block({.id = 7, .user_id = Buffer(16, std::byte{0x11})});
  Cursor cursor(bytes);
  const message::CoreMessage message = message::read_large_message(cursor);
  TextBuffer out;
  print::append_large_message(out, message);
  CHECK(out.view() ==
        "LargeServerMessage[messageID=7,durable=true,userID=11111111-1111-1111-1111-111111111111,"
        "priority=4, timestamp=0,expiration=0, durable=true, address=q1, "
        "properties=TypedProperties[]]@0");
  out.clear();
  print::append_paged_large_message(out, message, false);
  CHECK(out.view() ==
        "NullStorageLargeServerMessage[messageID=7, durable=true, address=q1,"
        "properties=TypedProperties[]]");
  out.clear();
  print::append_paged_large_message(out, message, true);
  CHECK(out.view() == "NullStorageLargeServerMessage(safe data, size=54)");
}
