// The typed properties of Core messages.
#include <catch2/catch.hpp>
#include <cmath>

#include "saranga/message/typed_properties.h"
#include "tests/message/core_samples.h"

using namespace saranga;
using namespace saranga::test;
using message::Property;
using message::PropertyType;
using message::PropertyValue;
using message::TypedProperties;

namespace {

TypedProperties read_block(Bytes block) {
  Cursor cursor(block);
  const TypedProperties properties = TypedProperties::read(cursor);
  INFO(cursor.problem());
  REQUIRE(cursor.ok());
  CHECK(cursor.at_end());
  return properties;
}

// A block that fails, with what could be read in front of the failure.
struct Broken {
  TypedProperties properties;
  std::string problem;
};

Broken read_broken(Bytes block) {
  Cursor cursor(block);
  Broken broken{.properties = TypedProperties::read(cursor), .problem = {}};
  REQUIRE_FALSE(cursor.ok());
  broken.problem = cursor.problem();
  return broken;
}

std::vector<std::string> keys(const TypedProperties& properties) {
  std::vector<std::string> found;
  TypedProperties::Iterator iterator(properties);
  while (const auto property = iterator.next()) found.push_back(property->key.str());
  return found;
}

Buffer one(unsigned type, std::string_view value_hex) {
  return properties_block({property("k", type, value_hex)});
}

PropertyValue value_of(const Buffer& block) { return *read_block(block).find("k"); }

}  // namespace

TEST_CASE("the worked examples of properties read as described", "[core]") {
  const Buffer none = hex_bytes("00");
  CHECK(read_block(none).empty());
  const Buffer null = hex_bytes("01 00000001 00000002 6e00 00");
  CHECK(read_block(null).find("n")->type == PropertyType::kNull);
  const Buffer boolean = hex_bytes("01 00000001 00000002 6200 02 01");
  CHECK(read_block(boolean).find("b")->number == 1);
  const Buffer integer = hex_bytes("01 00000001 00000002 6900 06 00011170");
  CHECK(read_block(integer).find("i")->number == 70000);
  const Buffer string = hex_bytes("01 00000001 00000002 5300 0a 00000004 68006900");
  CHECK(read_block(string).find("S")->text.str() == "hi");
  const Buffer character = hex_bytes("01 00000001 00000002 6300 0b 0041");
  CHECK(read_block(character).find("c")->number == 'A');
  const Buffer bytes = hex_bytes("01 00000001 00000002 4200 04 00000002 0102");
  CHECK(std::ranges::equal(read_block(bytes).find("B")->bytes, hex_bytes("0102")));
}

TEST_CASE("every type of property keeps its value", "[core]") {
  const Buffer null = one(0, "");
  CHECK(value_of(null).type == PropertyType::kNull);
  CHECK(value_of(one(2, "00")).number == 0);
  for (const char* truth : {"01", "ff", "20"}) CHECK(value_of(one(2, truth)).number == 1);
  CHECK(value_of(one(3, "80")).number == -128);
  CHECK(value_of(one(5, "8000")).number == -32768);
  CHECK(value_of(one(6, "80000000")).number == INT32_MIN);
  CHECK(value_of(one(7, "8000000000000000")).number == INT64_MIN);
  CHECK(value_of(one(7, "7fffffffffffffff")).number == INT64_MAX);
  CHECK(value_of(one(8, "3fc00000")).as_float() == 1.5F);
  CHECK(value_of(one(9, "c004000000000000")).as_double() == -2.5);
  CHECK(value_of(one(11, "ffff")).number == 0xFFFF);
  const Buffer empty = one(10, "00000000");
  CHECK(value_of(empty).text.empty());
  const Buffer no_bytes = one(4, "00000000");
  CHECK(value_of(no_bytes).bytes.empty());
}

TEST_CASE("not-a-numbers keep their bits", "[core]") {
  const PropertyValue real = value_of(one(9, "7ff8000000000001"));
  CHECK(std::isnan(real.as_double()));
  CHECK(static_cast<std::uint64_t>(real.number) == 0x7FF8000000000001U);
  const PropertyValue small = value_of(one(8, "ffc00001"));
  CHECK(std::isnan(small.as_float()));
  CHECK(small.number == 0xFFC00001);
}

TEST_CASE("every type byte of a property has a name", "[core]") {
  const std::pair<unsigned, std::string_view> names[] = {
      {0, "null"},    {1, "unknown"}, {2, "boolean"},  {3, "byte"},     {4, "bytes"},
      {5, "short"},   {6, "int"},     {7, "long"},     {8, "float"},    {9, "double"},
      {10, "string"}, {11, "char"},   {12, "unknown"}, {255, "unknown"}};
  for (const auto& [type, name] : names) {
    CHECK(message::property_type_name(static_cast<PropertyType>(type)) == name);
  }
}

TEST_CASE("an empty map may be written in two ways", "[core]") {
  const Buffer old = hex_bytes("01 00000000");
  CHECK(read_block(old).empty());
  CHECK(read_block(old).entries().empty());
  CHECK_FALSE(read_block(old).find("k").has_value());
}

TEST_CASE("any flag but zero announces properties", "[core]") {
  for (const unsigned flag : {1U, 2U, 0xFFU}) {
    Buffer block = one(6, "00000001");
    block[0] = static_cast<std::byte>(flag);
    CHECK(read_block(block).count() == 1);
  }
}

TEST_CASE("of a key that occurs twice the last value counts", "[core]") {
  const Buffer block = properties_block({property("k", 6, "00000001"), property("x", 6, "00000002"),
                                         property("k", 10, "00000002 6200")});
  const TypedProperties properties = read_block(block);
  CHECK(properties.count() == 3);
  CHECK(properties.find("k")->text.str() == "b");
  CHECK(keys(properties) == std::vector<std::string>{"k", "x", "k"});
}

TEST_CASE("properties come in stored order, views of their block", "[core]") {
  const Buffer block = properties_block({property("b", 0), property("a", 0), property("", 0)});
  const TypedProperties properties = read_block(block);
  CHECK(keys(properties) == std::vector<std::string>{"b", "a", ""});
  CHECK(properties.entries().data() == block.data() + 5);
  CHECK(properties.entries().size() == block.size() - 5);
}

TEST_CASE("an unknown type ends what is readable", "[core]") {
  for (const unsigned type : {1U, 12U, 0x80U, 0xFFU}) {
    const Buffer block = properties_block(
        {property("a", 6, "00000001"), property("b", type), property("c", 6, "00000003")});
    const Broken broken = read_broken(block);
    CHECK(broken.problem == "has a property of an unknown type");
    CHECK(keys(broken.properties) == std::vector<std::string>{"a"});
    CHECK(broken.properties.find("a")->number == 1);
    CHECK_FALSE(broken.properties.find("c").has_value());
  }
}

TEST_CASE("a count is not believed", "[core]") {
  CHECK(read_broken(hex_bytes("01 ffffffff")).problem == "has a negative count of properties");
  CHECK(read_broken(hex_bytes("01 80000000")).problem == "has a negative count of properties");
  const Buffer many = hex_bytes("01 7fffffff 00000002 6100 00");
  const Broken broken = read_broken(many);
  CHECK(broken.problem == "runs past its end");
  CHECK(broken.properties.count() == 1);
}

TEST_CASE("lengths are checked before anything is taken", "[core]") {
  CHECK(read_broken(hex_bytes("01 00000001 7fffffff 6100 00")).problem == "runs past its end");
  CHECK(read_broken(hex_bytes("01 00000001 ffffffff")).problem == "has a negative length");
  CHECK(read_broken(one(4, "7fffffff")).problem == "runs past its end");
  CHECK(read_broken(one(4, "ffffffff")).problem == "has a negative length");
  CHECK(read_broken(one(10, "00000003 6100")).problem == "runs past its end");
}

TEST_CASE("half a character in a key or value is kept, and told", "[core]") {
  const Buffer block = hex_bytes("01 00000001 00000003 610062 0a 00000003 780079");
  const TypedProperties properties = read_block(block);
  TypedProperties::Iterator iterator(properties);
  const auto property = iterator.next();
  REQUIRE(property.has_value());
  CHECK(property->key.str() == "a");
  CHECK_FALSE(property->key.well_formed());
  CHECK(property->value.text.raw().size() == 3);
  CHECK_FALSE(property->value.text.well_formed());
}

TEST_CASE("properties cut at any byte keep what was whole", "[core]") {
  const std::vector<Buffer> entries = {property("a", 6, "00000001"),
                                       property("bb", 10, "00000004 68006900"),
                                       property("c", 4, "00000003 010203"), property("d", 0)};
  const Buffer block = properties_block(entries);
  for (std::size_t size = 0; size < block.size(); ++size) {
    std::size_t whole = 0;
    std::size_t end = 5;
    while (whole < entries.size() && end + entries[whole].size() <= size) {
      end += entries[whole++].size();
    }
    const Broken broken = read_broken(Bytes(block).first(size));
    CHECK(broken.properties.count() == whole);
    CHECK(keys(broken.properties).size() == whole);
  }
}
