// AMQP values and messages: every type code, real records, and bytes that are not what they say.
#include "tests/message/amqp_samples.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "saranga/message/amqp_value.h"

using saranga::as_bytes;
using saranga::as_text;
using saranga::Bytes;
using saranga::Cursor;
using namespace saranga::message::amqp;
using saranga::test::decode_record;
using saranga::test::kAmqpSamples;
using saranga::test::unhex;

namespace {

/// A value that owns its bytes.
struct Owned {
  explicit Owned(std::string_view hex) : bytes(unhex(hex)) {
    Cursor cursor(bytes);
    value = Value::read(cursor);
    whole = cursor.ok() && cursor.at_end();
  }
  std::vector<std::byte> bytes;
  Value value;
  bool whole = false;
};

struct CodeCase {
  std::string_view hex;
  Type type;
};

constexpr CodeCase kCodeCases[] = {
    {"40", Type::kNull},
    {"41", Type::kBoolean},
    {"42", Type::kBoolean},
    {"43", Type::kUint},
    {"44", Type::kUlong},
    {"45", Type::kList},
    {"50 c8", Type::kUbyte},
    {"51 fd", Type::kByte},
    {"52 ff", Type::kUint},
    {"53 ff", Type::kUlong},
    {"54 f9", Type::kInt},
    {"55 f9", Type::kLong},
    {"56 01", Type::kBoolean},
    {"60 ea60", Type::kUshort},
    {"61 fffb", Type::kShort},
    {"70 ee6b2800", Type::kUint},
    {"71 fffffff9", Type::kInt},
    {"72 3fc00000", Type::kFloat},
    {"73 0001f680", Type::kChar},
    {"74 01020304", Type::kDecimal32},
    {"80 ffffffffffffffff", Type::kUlong},
    {"81 fffffffffffffff7", Type::kLong},
    {"82 c004000000000000", Type::kDouble},
    {"83 0000018bcfe56800", Type::kTimestamp},
    {"84 0102030405060708", Type::kDecimal64},
    {"94 000102030405060708090a0b0c0d0e0f", Type::kDecimal128},
    {"98 00112233445566778899aabbccddeeff", Type::kUuid},
    {"a0 02 0506", Type::kBinary},
    {"a1 02 c3a9", Type::kString},
    {"a3 03 73796d", Type::kSymbol},
    {"b0 00000002 0506", Type::kBinary},
    {"b1 00000002 c3a9", Type::kString},
    {"b3 00000003 73796d", Type::kSymbol},
    {"c0 03 02 41 40", Type::kList},
    {"c1 03 02 41 40", Type::kMap},
    {"d0 00000006 00000002 41 40", Type::kList},
    {"d1 00000006 00000002 41 40", Type::kMap},
    {"e0 04 02 54 0102", Type::kArray},
    {"f0 00000007 00000002 54 0102", Type::kArray},
    {"00 53 70 45", Type::kDescribed},
    {"00 a303666f6f 00 44 71 00000007", Type::kDescribed},
    {"57 00", Type::kUnknown},
    {"a5 02 0506", Type::kUnknown},
};

std::string described_chain(std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) bytes += std::string("\0\x44", 2);
  return bytes + '\x40';
}

std::string nested_descriptors(std::size_t depth) {
  return std::string(depth, '\0') + std::string(depth + 1, '\x40');
}

/// Lists in lists, each with its right size.
std::string nested_lists(std::size_t depth) {
  std::vector<std::byte> bytes(depth * 9 + 1);
  for (std::size_t i = 0; i < depth; ++i) {
    std::byte* at = bytes.data() + i * 9;
    at[0] = std::byte{0xD0};
    saranga::store_be(at + 1, static_cast<std::uint32_t>(bytes.size() - (i * 9 + 5)));
    saranga::store_be(at + 5, std::uint32_t{1});
  }
  bytes.back() = std::byte{0x40};
  return std::string(as_text(bytes));
}

/// Reads everything there is to read of a value, a few levels deep.
std::size_t touch(const Value& value, int depth) {
  std::size_t sum = value.bytes().size() + value.text().raw().size() + value.count();
  sum += static_cast<std::size_t>(value.boolean()) + value.unsigned_number();
  sum += static_cast<std::size_t>(value.signed_number()) + value.encoded().size();
  if (value.real32() > 0 || value.real64() > 0) ++sum;
  if (depth == 0) return sum;
  sum += touch(value.descriptor(), depth - 1) + touch(value.described(), depth - 1);
  if (value.elements_are_empty()) return sum;
  Elements elements = value.elements();
  while (const auto element = elements.next()) sum += touch(*element, depth - 1);
  elements = value.elements();
  while (const auto entry = elements.next_entry()) sum += entry->key.encoded_size();
  return sum;
}

std::size_t touch(const Message& message) {
  std::size_t sum = message.body_section_count() + message.body_size_bytes();
  for (const auto kind :
       {SectionKind::kHeader, SectionKind::kDeliveryAnnotations, SectionKind::kMessageAnnotations,
        SectionKind::kProperties, SectionKind::kApplicationProperties, SectionKind::kFooter}) {
    sum += touch(message.section(kind).value, 4);
    if (check_value(message.section(kind).value) != nullptr) ++sum;
  }
  BodySections body = message.body();
  while (const auto section = body.next()) sum += touch(section->value, 4);
  for (const Value& value : message.properties().values) sum += touch(value, 2);
  if (message.header().durable.value_or(false)) ++sum;
  if (message.annotation("x-opt-jms-dest")) ++sum;
  return sum;
}

std::size_t touch_record(Bytes body) {
  Cursor cursor(body);
  const Stored stored = decode_record(cursor);
  const Message message = Message::of(stored);
  return touch(message) + static_cast<std::size_t>(effective_address(stored, message).has_value()) +
         static_cast<std::size_t>(is_durable(stored, message));
}

/// Copies into a block of exactly this size, so that a read behind its end is one behind the heap.
std::vector<std::byte> exact(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

TEST_CASE("every type code is recognised and skipped", "[amqp]") {
  for (const CodeCase& c : kCodeCases) {
    INFO(c.hex);
    const Owned owned(c.hex);
    CHECK(owned.whole);
    CHECK(owned.value.type() == c.type);
    CHECK(owned.value.encoded() == as_text(owned.bytes));
    CHECK(check_value(owned.value) == nullptr);
    for (std::size_t size = 0; size < owned.bytes.size(); ++size) {
      const auto cut = exact(Bytes(owned.bytes).first(size));
      Cursor cursor(cut);
      CHECK_FALSE(skip_value(cursor));
      Cursor again(cut);
      CHECK(Value::read(again).is_null());
      CHECK_FALSE(again.ok());
    }
  }
}

TEST_CASE("codes without a width stop the cursor", "[amqp]") {
  for (const auto* hex : {"01", "3f", "10 00", "00 44 07", "00 07 40"}) {
    INFO(hex);
    CHECK_FALSE(Owned(hex).whole);
  }
}

TEST_CASE("numbers are the same in every encoding", "[amqp]") {
  CHECK(Owned("43").value.unsigned_number() == 0);
  CHECK(Owned("52 ff").value.unsigned_number() == 255);
  CHECK(Owned("70 ee6b2800").value.unsigned_number() == 4000000000);
  CHECK(Owned("80 ffffffffffffffff").value.unsigned_number() == UINT64_MAX);
  CHECK_FALSE(Owned("80 ffffffffffffffff").value.integer());
  CHECK(Owned("54 f9").value.signed_number() == -7);
  CHECK(Owned("71 fffffff9").value.integer() == -7);
  CHECK(Owned("81 8000000000000000").value.signed_number() == INT64_MIN);
  CHECK(Owned("51 80").value.integer() == -128);
  CHECK(Owned("61 8000").value.integer() == -32768);
  CHECK(Owned("83 0000018bcfe56800").value.signed_number() == 1700000000000);
  CHECK(Owned("72 3fc00000").value.real32() == 1.5F);
  CHECK(Owned("82 c004000000000000").value.real64() == -2.5);
  CHECK(Owned("73 0001f680").value.unsigned_number() == 0x1F680);
  CHECK(Owned("56 02").value.boolean());
  CHECK_FALSE(Owned("56 00").value.boolean());
  CHECK(Owned("a1 02 c3a9").value.text().str() == "é");
  CHECK_FALSE(Owned("a1 02 c3a9").value.integer());
}

TEST_CASE("lists, maps and arrays are walked", "[amqp]") {
  const Owned list("c0 06 03 41 40 a1 01 78");
  Elements elements = list.value.elements();
  CHECK(elements.left() == 3);
  CHECK(elements.next().value_or(Value{}).boolean());
  CHECK(elements.next().value_or(Value{}).is_null());
  CHECK(elements.next().value_or(Value{}).text().str() == "x");
  CHECK_FALSE(elements.next());
  CHECK(elements.ok());

  const Owned map("c1 10 06 a1016b 5401 a1016a 5403 a1016b 5402");
  CHECK(find_key(map.value, "k").value_or(Value{}).integer() == 2);
  CHECK(find_key(map.value, "j").value_or(Value{}).integer() == 3);
  CHECK_FALSE(find_key(map.value, "x"));

  const Owned array("e0 0a 02 00 a301 78 60 0001 ffff");
  CHECK(array.value.element_type() == Type::kDescribed);
  elements = array.value.elements();
  CHECK(elements.next().value_or(Value{}).unsigned_number() == 1);
  CHECK(elements.next().value_or(Value{}).unsigned_number() == 65535);
  CHECK_FALSE(elements.next());

  const Owned described("00 a303666f6f 00 44 71 00000007");
  CHECK(described.value.descriptor().text().str() == "foo");
  CHECK(described.value.described().descriptor().type() == Type::kUlong);
  CHECK(described.value.described().described().integer() == 7);
}

TEST_CASE("counts and sizes that lie are found", "[amqp]") {
  CHECK_FALSE(Owned("c0 00").whole);               // no room for the count
  CHECK_FALSE(Owned("d0 00000003 000000").whole);  // nor here
  CHECK_FALSE(Owned("a1 05 61").whole);            // longer than the bytes
  CHECK_FALSE(Owned("b1 ffffffff 61").whole);
  CHECK(check_value(Owned("c0 03 02 41 a1").value) != nullptr);
  CHECK(check_value(Owned("c0 03 05 41 41").value) != nullptr);
  CHECK(check_value(Owned("c0 03 01 41 41").value) != nullptr);  // a byte left over
  CHECK(check_value(Owned("c1 02 01 41").value) != nullptr);     // a key without a value
  CHECK(check_value(Owned("e0 03 02 54 01").value) != nullptr);
  CHECK(check_value(Owned("e0 02 01 07").value) != nullptr);
  CHECK(check_value(Owned("c0 06 01 c0 07 01 a1 01").value) != nullptr);
  const Owned odd_map("c1 02 01 41");
  Elements odd = odd_map.value.elements();
  CHECK_FALSE(odd.next_entry());
  CHECK_FALSE(odd.ok());
  const Owned many("f0 00000005 ffffffff 41");  // four thousand million times true
  CHECK(many.value.elements_are_empty());
  CHECK(many.value.count() == UINT32_MAX);
  CHECK(check_value(many.value) == nullptr);
}

TEST_CASE("deep nesting takes linear time and no stack", "[amqp]") {
  constexpr std::size_t kDepth = 100000;
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& bytes :
       {nested_lists(kDepth), described_chain(kDepth), nested_descriptors(kDepth)}) {
    Cursor cursor(as_bytes(bytes));
    CHECK(skip_value(cursor));
    CHECK(cursor.at_end());
    Cursor again(as_bytes(bytes));
    const Value value = Value::read(again);
    CHECK(check_value(value) == nullptr);
    CHECK(touch(value, 3) > 0);
    const std::string message = std::string("\0\x53\x77", 3) + bytes;
    CHECK(Message::scan(as_bytes(message)).problem() == nullptr);
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("real records decode to their last byte", "[amqp]") {
  for (const auto& sample : kAmqpSamples) {
    INFO(sample.name);
    const auto body = unhex(sample.body);
    Cursor cursor(body);
    const Stored stored = decode_record(cursor);
    CHECK(cursor.ok());
    CHECK(cursor.at_end());
    const Message message = Message::of(stored);
    CHECK(message.scanned());
    CHECK(message.problem() == nullptr);
    CHECK(is_durable(stored, message));
  }
}

TEST_CASE("the standard form is read field by field", "[amqp]") {
  const auto body = unhex(
      "05 0000000000000bb8 0000000000000005 01 00000004 71003100 00000025"
      "00 53 70 c0 04 02 41 50 07  00 53 73 d0 0000000d 00000003 a1 02 6d31 40 a1 02 7131"
      "00 53 77 a1 02 6869  00000000  0000018bcfe56800 ee");
  Cursor cursor(body);
  const Stored stored = decode_record(cursor);
  REQUIRE(cursor.ok());
  CHECK(cursor.remaining() == 1);  // what follows in a page
  CHECK(stored.message_id == 3000);
  CHECK(stored.message_format == 5);
  CHECK(stored.address->str() == "q1");
  CHECK_FALSE(stored.has_extra_properties);
  CHECK(stored.expiration_ms == 1700000000000);
  const Message message = Message::of(stored);
  CHECK(message.header().durable == true);
  CHECK(message.header().priority == 7);
  CHECK_FALSE(message.header().ttl_ms);
  CHECK(message.properties()[Property::kMessageId].text().str() == "m1");
  CHECK(message.properties()[Property::kUserId].is_null());
  CHECK(message.properties()[Property::kTo].text().str() == "q1");
  CHECK(message.section(SectionKind::kProperties).offset == 9);
  CHECK(message.section(SectionKind::kProperties).size_bytes == 21);
  CHECK_FALSE(message.section(SectionKind::kFooter).present);
  CHECK(message.body_kind() == BodyKind::kValue);
  CHECK(message.body_offset() == 30);
  CHECK(message.body().next()->value.text().str() == "hi");
}

TEST_CASE("older forms end earlier", "[amqp]") {
  const std::string front = "0000000000000bb8 0000000000000000 00 00000007 00 53 70 c0 02 01 41";
  for (const auto& [hex, extra] : {std::pair{"02" + front, false},
                                   {"03" + front + "00000000", false},
                                   {"03" + front + "00000001 00", true}}) {
    INFO(hex);
    const auto body = unhex(hex);
    Cursor cursor(body);
    const Stored stored = decode_record(cursor);
    CHECK(cursor.ok());
    CHECK(cursor.at_end());
    CHECK_FALSE(stored.address);
    CHECK(stored.has_extra_properties == extra);
    CHECK_FALSE(stored.expiration_ms);
  }
  for (const auto* hex : {"01", "06", "00", "ff", ""}) {
    const auto body = unhex(hex + front);
    Cursor cursor(body);
    decode_record(cursor);
    CHECK_FALSE(cursor.ok());
  }
}

TEST_CASE("the large form is read field by field", "[amqp]") {
  const std::string front =
      "04 0000000000000fa0 ff 0000000000000000 01 00000004 71003100"
      "00000020 01 00000001 0000000e 5f0041004d0051005f0041004400 0a 00000004 71003100"
      "00000000 00000009 00 53 70 c0 04 02 41 50 07  ffffffff 00000000  ffffffff 40"
      "00000009 00 53 73 d0 0000000d 00000003 a1 02 6d31 40 a1 02 7131"
      "ffffffff 0000001e 40";
  const auto body = unhex(front + "0000000000000000 00");
  Cursor cursor(body);
  const Stored stored = decode_record(cursor);
  REQUIRE(cursor.ok());
  CHECK(cursor.at_end());
  CHECK(stored.is_large());
  CHECK(stored.large_durable);
  CHECK(stored.message_id == 4000);
  CHECK(stored.large.header_position == 0);
  CHECK(stored.large.header_size_bytes == 9);
  CHECK(stored.large.message_annotations_position == -1);
  CHECK(stored.large.properties_position == 9);
  CHECK(stored.large.body_position == 30);
  CHECK(stored.expiration_ms == 0);
  CHECK(stored.reencoded == false);
  const Message message = Message::of(stored);
  CHECK(message.scanned());
  CHECK(message.header().priority == 7);
  CHECK(message.properties()[Property::kTo].text().str() == "q1");
  CHECK(message.body_kind() == BodyKind::kInFile);
  CHECK(message.body_offset() == 30);

  const auto old_body = unhex(front);
  Cursor old_cursor(old_body);
  const Stored old_stored = decode_record(old_cursor);
  CHECK(old_cursor.ok());
  CHECK_FALSE(old_stored.expiration_ms);
  CHECK_FALSE(old_stored.reencoded);
}

TEST_CASE("the address comes from the first place that has one", "[amqp]") {
  Stored stored{.persister_id = kPersisterV3};
  const auto encoded = unhex("00 53 73 c0 06 03 40 40 a1 01 74");
  stored.encoded = encoded;
  CHECK(effective_address(stored, Message::of(stored))->str() == "t");
  const auto extra = unhex("01 00000001 0000000e 5f0041004d0051005f0041004400 0a 00000002 6500");
  stored.has_extra_properties = true;
  stored.extra_properties = extra;
  CHECK(effective_address(stored, Message::of(stored))->str() == "e");
  stored.address = saranga::Text("a");
  CHECK(effective_address(stored, Message::of(stored))->str() == "a");
  CHECK_FALSE(effective_address(Stored{.persister_id = kPersisterV3}, Message::scan({})));
}

TEST_CASE("sections are found in any form and order", "[amqp]") {
  const auto bytes = unhex(
      "00 53 71 c1 05 02 a3 01 61 41"       // delivery annotations first
      "00 80 0000000000000070 c0 02 01 41"  // long descriptor
      "00 a3 14 616d71703a70726f706572746965733a6c697374 c0 04 01 a1 01 6d"
      "00 53 72 40"  // null annotations
      "00 53 74 c1 06 02 a1 01 6b 54 07"
      "00 53 75 a0 02 0102  00 53 75 a0 01 03  00 53 78 c1 05 02 a3 01 66 42");
  const Message message = Message::scan(bytes);
  CHECK(message.scanned());
  CHECK(message.problem() == nullptr);
  CHECK(message.header().durable == true);
  CHECK(message.section(SectionKind::kDeliveryAnnotations).size_bytes == 10);
  CHECK(message.properties()[Property::kMessageId].text().str() == "m");
  CHECK(message.application_property("k")->integer() == 7);
  CHECK_FALSE(message.annotation("k"));
  CHECK(message.body_kind() == BodyKind::kData);
  CHECK(message.body_section_count() == 2);
  CHECK(message.body_size_bytes() == 3);
  CHECK(find_key(message.section(SectionKind::kFooter).value, "f")->boolean() == false);
}

TEST_CASE("of a repeated section the last one counts", "[amqp]") {
  const auto bytes = unhex("00 53 70 c0 02 01 41  00 53 70 c0 02 01 42");
  CHECK(Message::scan(bytes).header().durable == false);
}

TEST_CASE("damage keeps what was before it", "[amqp]") {
  struct Damage {
    std::string_view hex;
    bool scanned;
    std::size_t offset;
  };
  const std::string_view header = "00 53 70 c0 02 01 41";
  for (const Damage& damage :
       {Damage{"00 53 77 a1 10 78", true, 7},         // cut body: the broker does not look at it
        Damage{"a1 01 78", true, 7},                  // no section at all: a body, it believes
        Damage{"00 53 77 40 00 53 77 40", true, 11},  // two values
        Damage{"00 53 77 40 00 53 75 a0 00", true, 11},
        Damage{"00 53 75 a1 00", true, 7},            // data that is no binary
        Damage{"00 53 77 40 00 53 70 45", true, 11},  // header behind the body
        Damage{"00 53 74 c1 10", false, 7}, Damage{"00 53 73", false, 7}, Damage{"00", false, 7},
        Damage{"01 02 03", false, 7},
        Damage{"00 53 73 40", false, 7},  // properties that are no list
        Damage{"00 53 74 c0 01 00", false, 7}, Damage{"00 53 73 c0 03 01 40 40", true, 0},
        Damage{"00 53 73 c0 04 03 40 40 54", false, 7},
        Damage{"00 53 73 c0 05 03 40 40 54 01", false, 7},  // "to" is an int
        Damage{"00 53 70 c0 07 06 40 40 40 40 40 40", false, 7}}) {
    INFO(damage.hex);
    const auto bytes = unhex(std::string(header) + std::string(damage.hex));
    const Message message = Message::scan(bytes);
    CHECK(message.scanned() == damage.scanned);
    CHECK((message.problem() == nullptr) == (damage.offset == 0));
    CHECK(message.problem_offset() == damage.offset);
    CHECK(message.section(SectionKind::kHeader).present);
    touch(message);
  }
}

TEST_CASE("a large record with other sections than it says is refused", "[amqp]") {
  Stored stored{.persister_id = kPersisterLarge};
  const Owned properties("00 53 73 c0 04 01 a1 01 6d");
  stored.large.header = properties.value;
  const Message message = Message::of(stored);
  CHECK_FALSE(message.scanned());
  CHECK_FALSE(message.section(SectionKind::kHeader).present);
}

TEST_CASE("cut and flipped records stay inside their bytes", "[amqp]") {
  std::size_t sum = 0;
  for (const auto& sample : kAmqpSamples) {
    const auto body = unhex(sample.body);
    for (std::size_t size = 0; size < body.size(); ++size) {
      sum += touch_record(exact(Bytes(body).first(size)));
    }
    for (std::size_t bit = 0; bit < body.size() * 8; ++bit) {
      auto flipped = exact(body);
      flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      sum += touch_record(flipped);
    }
  }
  CHECK(sum > 0);
}
