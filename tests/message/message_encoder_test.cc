// New messages: their bytes are those of the worked examples, and what is read back is what went
// in.
#include "saranga/message/message_encoder.h"

#include <catch2/catch.hpp>
#include <random>

#include "saranga/message/large_file_writer.h"
#include "saranga/message/large_files.h"
#include "tests/crash/workload.h"

using namespace saranga;
using namespace saranga::message;
using namespace saranga::test;

namespace {

Buffer text_body(std::string_view text) { return *encode_text_body(Text(text)); }

/// All values as text, for comparing.
std::string described(const TypedProperties& properties) {
  std::string text;
  TypedProperties::Iterator iterator(properties);
  while (const auto property = iterator.next()) {
    text += fmt::format("{}:{}={}{}{};", property->key.str(),
                        property_type_name(property->value.type), property->value.number,
                        property->value.text.str(), as_text(property->value.bytes));
  }
  return text;
}

}  // namespace

TEST_CASE("a text message has the bytes of the worked example", "[message]") {
  const Buffer body = text_body("hi");
  const auto bytes = encode_core_message({.id = 1000,
                                          .address = Text("q1"),
                                          .type = CoreType::kText,
                                          .timestamp_ms = 0x18000000000,
                                          .properties = {{Text("n"), int_value(7)}},
                                          .body = body});
  REQUIRE(bytes);
  CHECK(*bytes == hex_bytes("01 00000000000003e8 01 00000004 71003100 00000042 00000016"
                            "01 00000004 68006900 00000000000003e8 01 00000004 71003100 00 03 01"
                            "0000000000000000 0000018000000000 04"
                            "01 00000001 00000002 6e00 06 00000007"));
}

TEST_CASE("a large message has the headers of the worked example", "[message]") {
  const auto bytes =
      encode_large_message({.id = 2000,
                            .address = Text("q1"),
                            .type = CoreType::kBytes,
                            .properties = {{Text("_AMQ_LARGE_SIZE"), long_value(200000)}}});
  REQUIRE(bytes);
  CHECK(*bytes ==
        hex_bytes("00000000000007d0 01 00000004 71003100 00 04 01 0000000000000000 0000000000000000"
                  "04 01 00000001 0000001e 5f0041004d0051005f004c0041005200470045005f0053004900"
                  "5a004500 07 0000000000030d40"));
}

TEST_CASE("whatever goes into a message comes out of it", "[message]") {
  const Buffer raw{std::byte{1}, std::byte{2}};
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::string address = "queue " + std::to_string(random() % 100) + " \xE2\x82\xAC";
    Buffer body(random() % 2000);
    for (std::byte& b : body) b = static_cast<std::byte>(random());
    NewCoreMessage message{.id = static_cast<std::int64_t>(random() >> 1),
                           .address = Text(address),
                           .type = static_cast<CoreType>(random() % 7),
                           .durable = random() % 2 == 0,
                           .expiration_ms = static_cast<std::int64_t>(random() % 1'000'000),
                           .timestamp_ms = static_cast<std::int64_t>(random() % 1'000'000),
                           .priority = static_cast<std::uint8_t>(random() % 10),
                           .body = body};
    if (random() % 4 == 0) message.address.reset();
    if (random() % 2 == 0) {
      message.user_id.emplace();
      message.user_id->fill(static_cast<std::byte>(round));
    }
    const std::vector<NewProperty> all{{Text("null"), null_value()},
                                       {Text("b"), boolean_value(true)},
                                       {Text("byte"), byte_value(-7)},
                                       {Text("s"), short_value(-300)},
                                       {Text("i"), int_value(INT32_MIN)},
                                       {Text("l"), long_value(static_cast<std::int64_t>(random()))},
                                       {Text("f"), float_value(1.5F)},
                                       {Text("d"), double_value(-2.25)},
                                       {Text("c"), char_value(u'\u20AC')},
                                       {Text("t"), string_value(Text("x\xC3\xA9"))},
                                       {Text("bytes"), bytes_value(raw)}};
    for (const NewProperty& property : all) {
      if (random() % 2 == 0) message.properties.push_back(property);
    }
    const auto bytes = encode_core_message(message);
    REQUIRE(bytes);
    Cursor cursor(*bytes);
    const StoredMessage read = read_stored_message(cursor);
    REQUIRE(cursor.ok());
    CHECK(cursor.at_end());
    REQUIRE(read.core);
    const CoreHeaders& headers = read.core->headers;
    CHECK(read.core->id == message.id);
    CHECK(headers.id == message.id);
    CHECK(headers.address.has_value() == message.address.has_value());
    if (headers.address) CHECK(headers.address->str() == address);
    CHECK(headers.user_id.size() == (message.user_id ? 16 : 0));
    CHECK(headers.type == message.type);
    CHECK(headers.durable == message.durable);
    CHECK(headers.expiration_ms == message.expiration_ms);
    CHECK(headers.timestamp_ms == message.timestamp_ms);
    CHECK(headers.priority == message.priority);
    CHECK(std::ranges::equal(read.core->body, body));
    CHECK(headers.properties.count() == message.properties.size());
    Encoder block;
    encode_properties(message.properties, block);
    Cursor properties(block.view());
    CHECK(described(headers.properties) == described(TypedProperties::read(properties)));
    Encoder again;
    encode_stored_message(read, again);
    CHECK(*again.take() == *bytes);
  }
}

TEST_CASE("a message that makes no sense is refused", "[message]") {
  CHECK_FALSE(encode_core_message({.priority = 10}));
  const auto twice =
      encode_core_message({.properties = {{Text("a"), int_value(1)}, {Text("a"), int_value(2)}}});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().text == "cannot be encoded: has a property twice");
}

TEST_CASE("a body in a file is there whole under its name, or a broker removes it", "[message]") {
  const auto write = [](FaultyDirectory& disk) {
    auto writer = LargeFileWriter::create(disk, 42);
    if (!writer) return false;
    for (const std::string_view part : {"abcd", "efgh", "ijkl"}) {
      if (!(*writer)->append(as_bytes(part))) return false;
    }
    return (*writer)->finish().has_value();
  };
  FaultyDirectory whole;
  REQUIRE(write(whole));
  CHECK(whole.after_power_failure(Loss::kAll, 1).at("42.msg").size() == 12);
  CHECK_FALSE(write(whole));  // it is there
  std::uint64_t crashes = 0;
  for (std::uint64_t call = 1; call <= whole.calls(); ++call) {
    for (std::uint64_t seed = 0; seed < 40; ++seed, ++crashes) {
      FaultyDirectory disk({.power_fails_at = call});
      const bool finished = write(disk);
      const auto files = disk.after_power_failure(static_cast<Loss>(seed % kLossKinds), seed);
      const auto found = files.find("42.msg");
      if (finished) CHECK(found != files.end());
      if (found != files.end()) CHECK(as_text(found->second) == "abcdefghijkl");
    }
    FaultyDirectory failing({.fails_at = call});
    const bool finished = write(failing);
    // What failed last is the sync of the folder, when the name is there already.
    for (const auto& [name, content] : failing.files()) CHECK(name == "42.msg");
    CHECK((finished || call > 1 || failing.files().empty()));
  }
  fmt::print("{} crashes while a body was written\n", crashes);
}
