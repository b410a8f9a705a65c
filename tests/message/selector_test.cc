// Selectors: every vector that Artemis' own filter answered, what is wrong with refused texts, and
// that no text makes compiling or evaluating expensive.
#include "saranga/message/selector.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/message/amqp_samples.h"

using nlohmann::json;
using saranga::Cursor;
using saranga::ErrorCode;
using saranga::Text;
using saranga::message::read_stored_message;
using saranga::message::Selector;
using saranga::message::SelectorMessage;
using saranga::message::SelectorResult;
using saranga::message::SelectorSource;
using saranga::message::StoredMessage;
using saranga::test::unhex;

namespace {

// XPATH is refused here; Artemis evaluates these.
constexpr int kXpathVectors[] = {1230, 1231, 1232, 1233, 1234, 1235,
                                 1240, 1241, 1242, 1243, 1244, 1245};

constexpr std::uint8_t kStringProperty = 10;

/// Writes the few things that records are made of.
class Writer {
 public:
  template <class T>
  Writer& integer(T value) {
    std::vector<std::byte> bytes(sizeof value);
    saranga::store_be(bytes.data(), value);
    return raw(bytes);
  }
  Writer& raw(const std::vector<std::byte>& bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Writer& sized(const std::vector<std::byte>& bytes) {
    return integer(static_cast<std::int32_t>(bytes.size())).raw(bytes);
  }
  /// A SimpleString; `utf8` holds nothing beyond U+07FF.
  Writer& simple_string(std::string_view utf8) {
    std::vector<std::byte> units;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
      auto c = static_cast<unsigned char>(utf8[i]);
      unsigned unit = c;
      if (c >= 0x80) unit = ((c & 0x1FU) << 6) | (static_cast<unsigned char>(utf8[++i]) & 0x3FU);
      units.push_back(static_cast<std::byte>(unit & 0xFF));
      units.push_back(static_cast<std::byte>(unit >> 8));
    }
    return sized(units);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(out_); }

 private:
  std::vector<std::byte> out_;
};

/// A stored message that owns its bytes.
struct Owned {
  Owned(std::string name_of_it, std::vector<std::byte> record_bytes)
      : name(std::move(name_of_it)), record(std::move(record_bytes)) {
    Cursor cursor(record);
    stored = read_stored_message(cursor);
    whole = cursor.ok() && cursor.at_end();
  }
  Owned(const Owned&) = delete;
  Owned(Owned&&) = default;

  [[nodiscard]] SelectorMessage view() const {
    SelectorMessage message{.message = stored};
    if (!connection_id.empty()) message.connection_id = Text(connection_id);
    return message;
  }

  std::string name;
  std::vector<std::byte> record;
  StoredMessage stored;
  bool whole = false;
  std::string connection_id{};
};

std::vector<std::byte> core_record(std::int64_t id, std::string_view address,
                                   const std::vector<std::byte>& encoded) {
  Writer writer;
  writer.integer(std::int8_t{1}).integer(id).integer(std::int8_t{1}).simple_string(address);
  return writer.sized(encoded).take();
}

std::vector<std::byte> amqp_record(std::int64_t id, std::string_view address,
                                   const std::vector<std::byte>& encoded) {
  Writer extra;
  extra.integer(std::int8_t{1}).integer(std::int32_t{1}).simple_string("_AMQ_AD");
  extra.integer(kStringProperty).simple_string(address);
  Writer writer;
  writer.integer(std::int8_t{3}).integer(id).integer(std::int64_t{0}).integer(std::int8_t{1});
  return writer.simple_string(address).sized(encoded).sized(extra.take()).take();
}

/// A Core message without body, with text properties.
Owned core_message(const std::vector<std::pair<std::string, std::string>>& properties) {
  Writer writer;
  writer.integer(std::int32_t{17}).integer(std::int32_t{0}).integer(std::int64_t{1});
  writer.integer(std::int8_t{0}).integer(std::int8_t{0}).integer(std::int16_t{1});
  writer.integer(std::int64_t{0}).integer(std::int64_t{0}).integer(std::int8_t{4});
  writer.integer(std::int8_t{1}).integer(static_cast<std::int32_t>(properties.size()));
  for (const auto& [key, value] : properties) {
    writer.simple_string(key).integer(kStringProperty).simple_string(value);
  }
  return {"made", core_record(1, "q", writer.take())};
}

struct Vectors {
  std::vector<Owned> messages;
  std::vector<json> selectors;
};

Vectors load(std::string_view name) {
  Vectors all;
  std::ifstream file(SARANGA_SOURCE_DIR "/fixtures/selectors/" + std::string(name));
  for (std::string line; std::getline(file, line);) {
    json entry = json::parse(line);
    if (!entry.contains("message")) {
      all.selectors.push_back(std::move(entry));
      continue;
    }
    const auto encoded = unhex(entry["encoded"].get<std::string>());
    const auto make = entry["kind"] == "core" ? core_record : amqp_record;
    all.messages.emplace_back(entry["message"].get<std::string>(),
                              make(entry["id"], entry["address"].get<std::string>(), encoded));
    all.messages.back().connection_id = entry.value("connectionID", "");
  }
  return all;
}

const Vectors& vectors() {
  static const Vectors loaded = load("vectors.jsonl");
  return loaded;
}

const Owned& message_named(std::string_view name) {
  const auto& messages = vectors().messages;
  const auto found = std::ranges::find(messages, name, &Owned::name);
  REQUIRE(found != messages.end());
  return *found;
}

SelectorSource source_of(const json& entry) {
  if (entry["via"] == "jms") return SelectorSource::kJms;
  return entry["via"] == "string" ? SelectorSource::kString : SelectorSource::kCore;
}

std::string repeat(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

std::string text_of(const json& entry) {
  if (entry.contains("selector")) return entry["selector"];
  std::string text;
  for (const json& part : entry["repeat"]) text += repeat(part[0].get<std::string>(), part[1]);
  return text;
}

char letter(SelectorResult result) {
  static constexpr char kLetters[] = "FTNE";
  return kLetters[static_cast<std::size_t>(result)];
}

std::string matches_of(const Selector& selector, const std::vector<Owned>& messages) {
  std::string letters;
  for (const Owned& message : messages) letters += selector.matches(message.view()) ? 'T' : 'F';
  return letters;
}

std::string values_of(const Selector& selector, const std::vector<Owned>& messages) {
  std::string letters;
  for (const Owned& message : messages) letters += letter(selector.evaluate(message.view()));
  return letters;
}

Selector compiled(std::string_view text, SelectorSource source = SelectorSource::kCore) {
  auto selector = Selector::compile(text, source);
  INFO(text.substr(0, 200));
  if (!selector) FAIL(selector.error().text);
  return *selector;
}

std::string refusal(std::string_view text, SelectorSource source = SelectorSource::kCore) {
  const auto selector = Selector::compile(text, source);
  return selector ? "accepted" : selector.error().text;
}

bool matches(std::string_view text, const Owned& message) {
  return compiled(text).matches(message.view());
}

std::int64_t ms_since(std::chrono::steady_clock::time_point start) {
  const auto spent = std::chrono::steady_clock::now() - start;
  return std::chrono::duration_cast<std::chrono::milliseconds>(spent).count();
}

// What is linear takes a few ms; the checks have to hold under the sanitizers as well.
constexpr std::int64_t kLongMs = 5000;

}  // namespace

namespace {

/// Whether the selector is refused, or answers, as the vector says.
bool agrees(const json& entry, const std::vector<Owned>& messages) {
  const auto selector = Selector::compile(text_of(entry), source_of(entry));
  CHECK(selector.has_value() != entry.contains("invalid"));
  if (!selector || entry.contains("invalid")) return !selector && entry.contains("invalid");
  const std::string everything(messages.size(), 'T');
  std::string match = entry.value("match", everything);
  std::ranges::replace(match, 'E', 'F');  // an exception is no match
  const std::string value = entry.value("value", everything);
  const std::string matches = matches_of(*selector, messages);
  const std::string values = values_of(*selector, messages);
  CHECK(selector->selects_all() == entry.contains("nofilter"));
  CHECK(matches == match);
  CHECK(values == value);
  const std::string prepared(selector->text());
  CHECK(entry.value("core", prepared) == prepared);
  return matches == match && values == value;
}

}  // namespace

TEST_CASE("selectors answer as Artemis does", "[selector]") {
  const Vectors& all = vectors();
  REQUIRE(all.messages.size() == 20);
  for (const Owned& message : all.messages) REQUIRE(message.whole);
  std::size_t passed = 0;
  std::size_t excepted = 0;
  for (const json& entry : all.selectors) {
    INFO("vector " << entry["n"] << ": " << text_of(entry).substr(0, 300));
    if (std::ranges::count(kXpathVectors, entry["n"].get<int>()) > 0) {
      const auto selector = Selector::compile(text_of(entry), source_of(entry));
      REQUIRE(!selector);
      CHECK(selector.error().code == ErrorCode::kUnsupported);
      ++excepted;
    } else if (agrees(entry, all.messages)) {
      ++passed;
    }
  }
  std::cout << "vectors.jsonl: " << passed << " of " << all.selectors.size()
            << " selectors agree on " << all.messages.size() << " messages, and " << excepted
            << " with XPATH are refused\n";
  CHECK(passed == 1491);
  CHECK(excepted == std::size(kXpathVectors));
}

TEST_CASE("more selectors answer as Artemis does", "[selector]") {
  const Vectors all = load("more.jsonl");
  REQUIRE(all.messages.size() == 7);
  for (const Owned& message : all.messages) REQUIRE(message.whole);
  std::size_t passed = 0;
  for (const json& entry : all.selectors) {
    INFO("vector " << entry["n"] << ": " << text_of(entry));
    if (agrees(entry, all.messages)) ++passed;
  }
  std::cout << "more.jsonl: " << passed << " of " << all.selectors.size() << " selectors agree on "
            << all.messages.size() << " messages\n";
  CHECK(passed == 613);
}

TEST_CASE("refusals say where and what was expected", "[selector]") {
  CHECK(refusal("i = ") ==
        "selector, line 1, column 5: found the end of the text, expected an identifier, a literal, "
        "( or NOT");
  CHECK(refusal("i = 5 i") ==
        "selector, line 1, column 7: found i, expected an operator, AND, OR or the end of the "
        "text");
  CHECK(refusal("b AND\nu = '\xc3\xbc' OR x == 1") ==
        "selector, line 2, column 15: found =, expected an identifier, a literal, ( or NOT");
  CHECK(refusal("s LIKE x") ==
        "selector, line 1, column 8: found x, expected a text in single quotes");
  CHECK(refusal("s LIKE 'x' ESCAPE 'ab'") ==
        "selector, line 1, column 19: found 'ab', expected one character of the basic plane");
  CHECK(refusal("s IN ('a' 'b')") == "selector, line 1, column 11: found 'b', expected , or )");
  CHECK(refusal("(s + 'a') IN ('a')") ==
        "selector, line 1, column 11: what stands on the left of IN is no identifier, expected "
        "one");
  CHECK(refusal("i BETWEEN 1 OR 2") ==
        "selector, line 1, column 13: found OR, expected AND and the upper bound of BETWEEN");
  CHECK(refusal("s < 'b'") ==
        "selector, line 1, column 3: an operand of < cannot be ordered, expected a number, an "
        "identifier or a calculation");
  CHECK(refusal("s = NULL") ==
        "selector, line 1, column 3: an operand of = is NULL, expected IS NULL or IS NOT NULL "
        "instead");
  CHECK(refusal("((b)") == "selector, line 1, column 1: found a ( that is not closed, expected )");
  CHECK(refusal("i + 1").starts_with(
      "selector, line 1, column 1: the selector is no condition, expected a comparison"));
  CHECK(refusal("b AND 5").starts_with(
      "selector, line 1, column 3: an operand of AND is no condition, expected a comparison"));
  CHECK(refusal("s = 'abc") ==
        "selector, line 1, column 5: found a text that does not end, expected another '");
  CHECK(refusal("i != 5") ==
        "selector, line 1, column 3: found !, which is no part of the language outside of quotes");
  CHECK(refusal("i = 0x8000000000000000") ==
        "selector, line 1, column 5: found 0x8000000000000000, expected a number below 2^63");
  CHECK(refusal("hyphenated_props:\"a\"") ==
        "selector, line 1, column 18: found a quoted identifier, which hyphenated_props: does not "
        "allow");
  CHECK(refusal("s = 'a\xff'") ==
        "selector, line 1, column 7: found a byte that is not UTF-8, expected only UTF-8");
  CHECK(refusal("i = \x01") ==
        "selector, line 1, column 5: found \\x01, which is no part of the "
        "language outside of quotes");
  CHECK(refusal("i = 5 " + std::string(100, 'x')).find(std::string(40, 'x') + "...") !=
        std::string::npos);
}

TEST_CASE("the place of a refusal is that in the text before its preparation", "[selector]") {
  CHECK(refusal("  i = ", SelectorSource::kString).starts_with("selector, line 1, column 6: "));
  const std::string jms = "JMSDeliveryMode = 'NON_PERSISTENT' AND JMSPriority ! 4";
  CHECK(refusal(jms, SelectorSource::kJms).starts_with("selector, line 1, column 52: found !"));
  CHECK(refusal("x = 1 OR JMSPriority", SelectorSource::kJms) == "accepted");
  CHECK(compiled("\tTRUE ", SelectorSource::kString).text() == "TRUE");
}

TEST_CASE("XPATH is not supported, XQUERY is always false", "[selector]") {
  const auto selector = Selector::compile("b AND XPATH '//item'", SelectorSource::kCore);
  REQUIRE(!selector);
  CHECK(selector.error().code == ErrorCode::kUnsupported);
  CHECK(selector.error().text == "selector, line 1, column 7: XPATH is not supported");
  CHECK(Selector::compile("XPATH //item", SelectorSource::kCore).error().code ==
        ErrorCode::kInvalidArgument);
  const Owned& message = message_named("jms-text");
  CHECK(compiled("NOT XQUERY '//item'").matches(message.view()));
}

TEST_CASE("nothing binds more tightly behind LIKE, IN and IS NULL", "[selector]") {
  CHECK(refusal("s IN ('a') * i = 1") ==
        "selector, line 1, column 12: found *, expected an operator, AND, OR or the end of the "
        "text");
  CHECK(refusal("i IS NULL LIKE 'a'").starts_with("selector, line 1, column 11: "));
  CHECK(refusal("s LIKE 'a' + 1 = 2").starts_with("selector, line 1, column 12: "));
  CHECK(refusal("i IS NULL BETWEEN 1 AND 2") != "accepted");
  CHECK(refusal("i IS NULL = TRUE IS NULL <> FALSE") == "accepted");
  CHECK(refusal("(i IS NULL) LIKE 'a'") == "accepted");
  CHECK(refusal("s LIKE 'a' LIKE 'b' AND s IN ('a') IS NULL") == "accepted");
}

TEST_CASE("asked for a match, an AND ends at what is unknown", "[selector]") {
  const Owned& message = message_named("types");
  const auto both = [&](std::string_view text) {
    const Selector selector = compiled(text);
    return std::string{selector.matches(message.view()) ? 'T' : 'F',
                       letter(selector.evaluate(message.view()))};
  };
  CHECK(both("missing AND bs > 5") == "FE");
  CHECK(both("missing AND bs > 5 OR TRUE") == "TE");
  CHECK(both("(b OR FALSE) AND (missing AND bs > 5 OR TRUE)") == "TE");
  CHECK(both("missing BETWEEN 1 AND (bs - 1) OR TRUE") == "TT");
  CHECK(both("i BETWEEN missing AND (bs - 1) OR TRUE") == "TE");
  CHECK(both("i BETWEEN 9 AND (bs - 1) OR TRUE") == "TT");
  CHECK(both("i NOT BETWEEN missing AND (bs - 1) OR TRUE") == "FE");
  CHECK(both("(missing AND bs > 5) = FALSE OR TRUE") == "FE");
  CHECK(both("NOT (missing AND bs > 5) OR TRUE") == "FE");
}

TEST_CASE("what the caller knows wins over the record", "[selector]") {
  for (const std::string_view name : {"types", "amqp-full"}) {
    const Owned& owned = message_named(name);
    SelectorMessage message = owned.view();
    message.size_bytes = 12345;
    message.address = Text("elsewhere");
    message.expiration_ms = 99;
    message.durable = false;
    const Selector selector = compiled(
        "AMQSize = 12345 AND AMQAddress = 'elsewhere' AND AMQExpiration = 99 AND "
        "AMQDurable = 'NON_DURABLE'");
    CHECK(selector.matches(message));
    CHECK(!selector.matches(owned.view()));
  }
  const Owned& owned = message_named("amqp-full");
  const auto scanned = saranga::message::amqp::Message::of(*owned.stored.amqp);
  SelectorMessage message = owned.view();
  message.scanned = &scanned;
  CHECK(compiled("AMQPriority = 7 AND color = 'blue' AND \"m.xann\" = 'v'").matches(message));
  message.connection_id = Text("c2");
  CHECK(compiled("__AMQ_CID = 'c2'").matches(message));
}

TEST_CASE("an evaluation is linear in selector and text", "[selector][time]") {
  const std::string text_of_a(100'000, 'a');
  const Owned long_text = core_message({{"s", text_of_a}, {"i", "1"}});
  const auto start = std::chrono::steady_clock::now();
  // No match, which is what makes engines that backtrack try everything.
  CHECK(!matches("s LIKE '" + repeat("%a", 300) + "%b'", long_text));
  CHECK(!matches("s LIKE '" + repeat("%", 300) + "b'", long_text));
  CHECK(!matches("s LIKE '" + repeat("%_a", 300) + "%b%'", long_text));
  CHECK(!matches("s LIKE '%" + std::string(50'000, 'a') + "b%'", long_text));
  CHECK(matches("s LIKE '%" + std::string(50'000, 'a') + "%'", long_text));
  CHECK(matches("s LIKE '" + text_of_a + "' AND s = '" + text_of_a + "'", long_text));
  CHECK(!matches("s IN ('x" + repeat("','" + std::string(1000, 'a'), 1000) + "')", long_text));
  CHECK(!matches("s = 'x'" + repeat(" OR s = 'x'", 20'000), long_text));
  CHECK(matches("'' + s" + repeat(" + 1", 20'000) + " <> s", long_text));
  CHECK(ms_since(start) < kLongMs);
}

TEST_CASE("depth and length cost no stack", "[selector][time]") {
  const Owned& message = message_named("types");
  const auto start = std::chrono::steady_clock::now();
  const std::size_t many = 20'000;
  CHECK(matches("i" + repeat(" + 1", many) + " = 20005", message));
  CHECK(matches(repeat("(1 + ", many) + "i" + repeat(")", many) + " = 20005", message));
  CHECK(matches(repeat("(", many) + "b" + repeat(")", many), message));
  CHECK(matches(repeat("NOT ", many) + "b", message));
  CHECK(matches(repeat("- ", many) + "i = 5", message));
  CHECK(matches(repeat("NOT (", many) + "b" + repeat(")", many), message));
  CHECK(matches(repeat("(FALSE OR ", many) + "b" + repeat(")", many), message));
  CHECK(matches("b" + repeat(" AND b", 5 * many), message));
  CHECK(matches("FALSE" + repeat(" OR FALSE", 5 * many) + " OR b", message));
  CHECK(matches("b" + repeat(" = TRUE", many), message));
  CHECK(matches(repeat("(", many) + "i BETWEEN 1 AND 9" + repeat(") = TRUE", many), message));
  CHECK(!matches("i BETWEEN 1 AND " + repeat("(1 + ", many) + "bs" + repeat(")", many), message));
  CHECK(refusal(repeat("(", many) + "b") != "accepted");
  CHECK(refusal(repeat("(", 10 * many)) != "accepted");
  CHECK(refusal(repeat("-", 5 * many)) != "accepted");
  CHECK(refusal(repeat("/*", 5 * many)) != "accepted");
  CHECK(matches(repeat("/**/", 5 * many) + repeat("--\n", 5 * many) + "b", message));
  CHECK(matches(repeat("i = 5 AND ", many) + repeat("x", 100'000) + " IS NULL", message));
  CHECK(ms_since(start) < kLongMs);
}

TEST_CASE("texts that are put together have a limit", "[selector][time]") {
  const Owned message = core_message({{"s", std::string(30'000, 'a')}});
  const auto start = std::chrono::steady_clock::now();
  // The text on the left is doubled 30 times.
  std::string doubled = "s + s";
  for (int i = 0; i < 10; ++i) doubled = "(" + doubled + ") + (" + doubled + ")";
  CHECK(compiled(doubled + " = s").evaluate(message.view()) == SelectorResult::kError);
  std::string nested = "s";
  for (int i = 0; i < 1000; ++i) nested = "s + (" + nested + ")";
  CHECK(compiled(nested + " = s").evaluate(message.view()) == SelectorResult::kError);
  CHECK(ms_since(start) < kLongMs);
  const std::string long_text(Selector::kMaximumTextBytes + 1, ' ');
  CHECK(Selector::compile(long_text, SelectorSource::kCore).error().code ==
        ErrorCode::kUnsupported);
}

TEST_CASE("a selector is shared between threads", "[selector]") {
  Selector original =
      compiled("color = 'blue' AND num * 2 = 6 OR s LIKE '%b%' AND AMQUserID <> 'x'");
  const Selector copy = original;
  const std::vector<Owned>& messages = vectors().messages;
  const std::string expected = matches_of(copy, messages);
  original = Selector();
  CHECK(original.selects_all());
  CHECK(original.text().empty());
  std::vector<int> wrong(4, 0);
  std::vector<std::jthread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) count += matches_of(copy, messages) == expected ? 0 : 1;
    });
  }
  threads.clear();
  CHECK(wrong == std::vector<int>(4, 0));
}
