// Record bodies that are described as fields: every type of field, present, null, absent and cut.
#include "saranga/bytes/fields.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/journal_builder.h"

using namespace saranga;
using saranga::test::BodyBuilder;
using saranga::test::Buffer;
using saranga::test::hex_bytes;
using State = FieldValue::State;

namespace {

/// A field type with the bytes of one value.
struct Sample {
  FieldType type;
  std::string_view hex;
  std::int64_t number = 0;
  double real = 0;
  std::string_view text = {};
  std::size_t bytes = 0;  ///< size of FieldValue::bytes
  State state = State::kPresent;
};

constexpr Sample kSamples[] = {
    {.type = FieldType::kI8, .hex = "FE", .number = -2},
    {.type = FieldType::kI16, .hex = "8000", .number = -32768},
    {.type = FieldType::kI32, .hex = "7FFFFFFF", .number = 2147483647},
    {.type = FieldType::kI64, .hex = "FFFFFFFFFFFFFFFE", .number = -2},
    {.type = FieldType::kF64, .hex = "3FF8000000000000", .real = 1.5},
    {.type = FieldType::kBoolean, .hex = "FF", .number = 1},
    {.type = FieldType::kBoolean, .hex = "00", .number = 0},
    {.type = FieldType::kNullableI32, .hex = "FF 00000007", .number = 7},
    {.type = FieldType::kNullableI32, .hex = "00", .state = State::kNull},
    {.type = FieldType::kNullableI64, .hex = "01 FFFFFFFFFFFFFFFF", .number = -1},
    {.type = FieldType::kNullableI64, .hex = "00", .state = State::kNull},
    {.type = FieldType::kNullableF64, .hex = "FF 4000000000000000", .real = 2},
    {.type = FieldType::kNullableF64, .hex = "00", .state = State::kNull},
    {.type = FieldType::kNullableBoolean, .hex = "FF FF", .number = 1},
    {.type = FieldType::kNullableBoolean, .hex = "FF 00", .number = 0},
    {.type = FieldType::kNullableBoolean, .hex = "00", .state = State::kNull},
    {.type = FieldType::kSimpleString, .hex = "00000004 61006200", .text = "ab"},
    {.type = FieldType::kSimpleString, .hex = "00000000", .text = ""},
    {.type = FieldType::kNullableSimpleString, .hex = "01 00000002 6100", .text = "a"},
    {.type = FieldType::kNullableSimpleString, .hex = "00", .state = State::kNull},
    {.type = FieldType::kString, .hex = "00000002 00610062", .text = "ab"},
    {.type = FieldType::kNullableString, .hex = "01 00000001 0061", .text = "a"},
    {.type = FieldType::kNullableString, .hex = "00", .state = State::kNull},
    {.type = FieldType::kSizedAscii, .hex = "00000002 6E31", .text = "n1"},
    {.type = FieldType::kSizedAscii, .hex = "00000000", .state = State::kNull},
    {.type = FieldType::kSizedBytes, .hex = "00000003 010203", .bytes = 3},
    {.type = FieldType::kSizedBytes, .hex = "00000000", .bytes = 0},
    {.type = FieldType::kXid,
     .hex = "00000001 00000001 B1 00000002 A1A2",
     .number = 1,
     .bytes = 15},
    {.type = FieldType::kI8List, .hex = "00000002 0001", .number = 2, .bytes = 2},
    {.type = FieldType::kStringList,
     .hex = "00000002 00000001 0061 00000000",
     .number = 2,
     .bytes = 10},
    {.type = FieldType::kSimpleStringList,
     .hex = "00000001 00000002 6100",
     .number = 1,
     .bytes = 6},
    {.type = FieldType::kNullableStringList,
     .hex = "00000002 00 01 00000001 0061",
     .number = 2,
     .bytes = 8},
    {.type = FieldType::kNullableStringPairs,
     .hex = "00000001 01 00000001 006B 00",
     .number = 1,
     .bytes = 8},
};

std::string described(const Sample& sample) {
  return "type " + std::to_string(static_cast<int>(sample.type)) + ", bytes " +
         std::string(sample.hex);
}

}  // namespace

TEST_CASE("a field of each type is read with its state and value") {
  for (const Sample& sample : kSamples) {
    INFO(described(sample));
    Buffer body = hex_bytes(sample.hex);
    const std::size_t length = body.size();
    body.push_back(std::byte{0x5A});  // of somebody else
    const Field fields[] = {{.name = "value", .type = sample.type}};
    Cursor cursor(body);
    FieldValues values;
    REQUIRE(values.decode(fields, cursor));
    CHECK(cursor.position() == length);
    CHECK(values.size() == 1);
    const FieldValue& value = values.get("value");
    CHECK(value.state == sample.state);
    CHECK(value.number == sample.number);
    CHECK(value.real == sample.real);
    CHECK(value.text.str() == sample.text);
    CHECK(value.bytes.size() == sample.bytes);
  }
}

TEST_CASE("a field that is cut anywhere makes the body fail and is absent") {
  for (const Sample& sample : kSamples) {
    const Buffer body = hex_bytes(sample.hex);
    for (std::size_t length = 0; length < body.size(); ++length) {
      INFO(described(sample) << " cut to " << length);
      const Field fields[] = {{.name = "value", .type = sample.type}};
      Cursor cursor(Bytes(body).first(length));
      FieldValues values;
      CHECK_FALSE(values.decode(fields, cursor));
      CHECK(values[0].state == State::kAbsent);
      CHECK_FALSE(std::string_view(cursor.problem()).empty());
    }
  }
}

TEST_CASE("the rest of a body may be empty") {
  const Field fields[] = {{.name = "n", .type = FieldType::kI8},
                          {.name = "rest_b64", .type = FieldType::kRestBytes}};
  for (const std::size_t rest : {0UL, 1UL, 300UL}) {
    Buffer body(rest + 1);
    Cursor cursor(body);
    FieldValues values;
    REQUIRE(values.decode(fields, cursor));
    CHECK(values[1].state == State::kPresent);
    CHECK(values[1].bytes.size() == rest);
    CHECK(cursor.at_end());
  }
}

TEST_CASE("counts and lengths that cannot be are refused") {
  for (const FieldType type :
       {FieldType::kI8List, FieldType::kStringList, FieldType::kSimpleStringList,
        FieldType::kNullableStringList, FieldType::kNullableStringPairs, FieldType::kSizedBytes,
        FieldType::kSizedAscii, FieldType::kSimpleString}) {
    for (const char* hex : {"FFFFFFFF 00000000", "80000000 00000000", "7FFFFFFF 00000000"}) {
      INFO("type " << static_cast<int>(type) << ", bytes " << hex);
      const Buffer body = hex_bytes(hex);
      const Field fields[] = {{.name = "value", .type = type}};
      Cursor cursor(body);
      FieldValues values;
      CHECK_FALSE(values.decode(fields, cursor));
      CHECK(values[0].state == State::kAbsent);
    }
  }
}

TEST_CASE("fields of later releases are absent when the body ends before them") {
  const Field fields[] = {
      {.name = "first", .type = FieldType::kI8},
      {.name = "a", .type = FieldType::kI16, .presence = Presence::kIfBytesRemain},
      {.name = "b", .type = FieldType::kI8, .presence = Presence::kWithPrevious},
      {.name = "last", .type = FieldType::kI8, .presence = Presence::kIfBytesRemain}};
  struct Expected {
    const char* hex;
    bool good;
    State a;
    State b;
    State last;
  };
  const Expected all[] = {
      {"01", true, State::kAbsent, State::kAbsent, State::kAbsent},
      {"01 02", false, State::kAbsent, State::kAbsent, State::kAbsent},
      {"01 0203", false, State::kPresent, State::kAbsent, State::kAbsent},
      {"01 0203 04", true, State::kPresent, State::kPresent, State::kAbsent},
      {"01 0203 04 05", true, State::kPresent, State::kPresent, State::kPresent},
      {"01 0203 04 05 06", true, State::kPresent, State::kPresent, State::kPresent},
  };
  for (const Expected& expected : all) {
    INFO(expected.hex);
    const Buffer body = hex_bytes(expected.hex);
    Cursor cursor(body);
    FieldValues values;
    CHECK(values.decode(fields, cursor) == expected.good);
    CHECK(values.get("first").number == 1);
    CHECK(values.get("a").state == expected.a);
    CHECK(values.get("b").state == expected.b);
    CHECK(values.get("last").state == expected.last);
  }
}

TEST_CASE("a field may depend on the one before it being not null") {
  const Field fields[] = {
      {.name = "class", .type = FieldType::kNullableString},
      {.name = "count", .type = FieldType::kI32, .presence = Presence::kIfPreviousNotNull},
      {.name = "more", .type = FieldType::kI8, .presence = Presence::kIfPreviousNotNull}};
  FieldValues values;
  const Buffer with = BodyBuilder().nullable_string("T").i32(5).u8(6);
  Cursor there(with);
  REQUIRE(values.decode(fields, there));
  CHECK(values.get("count").number == 5);
  CHECK(values.get("more").number == 6);
  const Buffer without = BodyBuilder().nullable_string({});
  Cursor null(without);
  REQUIRE(values.decode(fields, null));
  CHECK(values.get("class").state == State::kNull);
  CHECK(values.get("count").state == State::kAbsent);
  CHECK(values.get("more").state == State::kAbsent);
}

TEST_CASE("what was read in front of a failure stays, nothing behind it appears") {
  const Field fields[] = {{.name = "id", .type = FieldType::kI64},
                          {.name = "name", .type = FieldType::kSimpleString},
                          {.name = "flag", .type = FieldType::kBoolean}};
  const Buffer body = BodyBuilder().i64(12).i32(-6).u8(1);
  Cursor cursor(body);
  FieldValues values;
  CHECK_FALSE(values.decode(fields, cursor));
  CHECK(values.get("id").number == 12);
  CHECK(values.get("name").state == State::kAbsent);
  CHECK(values.get("flag").state == State::kAbsent);
}

TEST_CASE("a name that is not described has an absent value") {
  FieldValues values;
  CHECK(values.get("nothing").state == State::kAbsent);
  CHECK(values.size() == 0);
  const Field fields[] = {{.name = "x", .type = FieldType::kI8}};
  values.reset(fields);
  CHECK(values.get("x").state == State::kAbsent);
  values.at(0).state = State::kPresent;
  CHECK(values.get("x").state == State::kPresent);
  CHECK(values.get("y").state == State::kAbsent);
}

TEST_CASE("values decoded again hold nothing of the time before") {
  const Field texts[] = {{.name = "t", .type = FieldType::kSimpleString}};
  const Field numbers[] = {{.name = "n", .type = FieldType::kNullableI32}};
  FieldValues values;
  const Buffer text = BodyBuilder().simple_string("long ago");
  Cursor first(text);
  REQUIRE(values.decode(texts, first));
  const Buffer null = hex_bytes("00");
  Cursor second(null);
  REQUIRE(values.decode(numbers, second));
  CHECK(values[0].state == State::kNull);
  CHECK(values[0].text.empty());
  CHECK(values.get("t").state == State::kAbsent);
}

TEST_CASE("as many fields as there is room for are decoded") {
  const std::vector<Field> fields(FieldValues::kMaximum + 4,
                                  Field{.name = "n", .type = FieldType::kI8});
  const Buffer body(fields.size(), std::byte{7});
  Cursor cursor(body);
  FieldValues values;
  CHECK(values.decode(fields, cursor));
  CHECK(values.size() == FieldValues::kMaximum);
  CHECK(values[FieldValues::kMaximum - 1].number == 7);
  CHECK(cursor.remaining() == 4);
}

TEST_CASE("an Xid has its branch qualifier in front of its global id") {
  const Buffer body = hex_bytes("00000001 00000001 B1 00000002 A1A2");
  Cursor cursor(body);
  const Xid xid = read_xid(cursor);
  CHECK(cursor.at_end());
  CHECK(xid.format_id == 1);
  CHECK(std::ranges::equal(xid.branch_qualifier, hex_bytes("B1")));
  CHECK(std::ranges::equal(xid.global_id, hex_bytes("A1A2")));
  for (std::size_t length = 0; length < body.size(); ++length) {
    Cursor cut(Bytes(body).first(length));
    (void)read_xid(cut);
    CHECK_FALSE(cut.ok());
  }
}

TEST_CASE("the base64 of an Xid is that of a broker's management") {
  CHECK(xid_base64(
            {.format_id = 1, .branch_qualifier = as_bytes("cb"), .global_id = as_bytes("cg")}) ==
        "Y2JjZwEAAAA=");
  CHECK(xid_base64({.format_id = -1}) == "_____w==");
  CHECK(xid_base64({.format_id = 255}) == "AAAAAA==");
}

TEST_CASE("numbers that stand for a choice have names") {
  static constexpr ValueName kNames[] = {{0, "multicast"}, {1, "anycast"}, {-1, "none"}};
  const Field field{.name = "routing", .type = FieldType::kI8, .names = kNames};
  CHECK(value_name(field, 1) == "anycast");
  CHECK(value_name(field, -1) == "none");
  CHECK(value_name(field, 2).empty());
  CHECK(value_name(Field{.name = "plain", .type = FieldType::kI8}, 0).empty());
}

TEST_CASE("a record type's body is decoded by its add or its update description") {
  static constexpr Field kAdd[] = {{.name = "tx", .type = FieldType::kI64}};
  static constexpr Field kUpdate[] = {{.name = "minus", .type = FieldType::kI32}};
  RecordType type{.number = 99,
                  .name = "TEST",
                  .since = "1.0",
                  .effect = RecordEffect::kNone,
                  .form = BodyForm::kFields,
                  .fields = kAdd,
                  .update_fields = kUpdate};
  DecodedRecord decoded;
  const Buffer body = hex_bytes("0000000000000005 AABB");
  REQUIRE(decode_fields(type, false, body, decoded));
  CHECK(decoded.type == &type);
  CHECK(decoded.values.get("tx").number == 5);
  CHECK(decoded.trailing.size() == 2);
  REQUIRE(decode_fields(type, true, body, decoded));
  CHECK(decoded.values.get("minus").number == 0);
  CHECK(decoded.trailing.size() == 6);
  CHECK_FALSE(decode_fields(type, false, Bytes(body).first(7), decoded));
  REQUIRE(decoded.problem != nullptr);
  CHECK(std::string_view(decoded.problem) == "runs past its end");
  type.update_fields = {};
  REQUIRE(decode_fields(type, true, body, decoded));
  CHECK(decoded.problem == nullptr);
  CHECK(decoded.values.get("tx").number == 5);
  type.form = BodyForm::kRaw;
  REQUIRE(decode_fields(type, false, body, decoded));
  CHECK(decoded.values.get("data_b64").bytes.size() == body.size());
}

TEST_CASE("of several layouts the first one that uses up every byte is right") {
  static constexpr Field kLong[] = {{.name = "a", .type = FieldType::kI16},
                                    {.name = "b", .type = FieldType::kI16}};
  static constexpr Field kShort[] = {{.name = "a", .type = FieldType::kI16}};
  static constexpr Layout kLayouts[] = {{"", kLong}, {"old", kShort}};
  const RecordType type{.number = 99,
                        .name = "TEST",
                        .since = "1.0",
                        .effect = RecordEffect::kNone,
                        .form = BodyForm::kFields};
  DecodedRecord decoded;
  REQUIRE(decode_exactly(type, kLayouts, hex_bytes("0001 0002"), decoded));
  CHECK(decoded.layout.empty());
  CHECK(decoded.values.get("b").number == 2);
  REQUIRE(decode_exactly(type, kLayouts, hex_bytes("0001"), decoded));
  CHECK(decoded.layout == "old");
  CHECK(decoded.values.size() == 1);
  for (const char* odd : {"", "00", "0001 00", "0001 0002 00"}) {
    INFO(odd);
    CHECK_FALSE(decode_exactly(type, kLayouts, hex_bytes(odd), decoded));
    CHECK(std::string_view(decoded.problem) == "fits none of the known layouts");
  }
  CHECK_FALSE(decode_exactly(type, {}, hex_bytes("00"), decoded));
}
