// Walks the tables of record types: whatever is in a table has a decoder, a text, JSON, a sample
// and a row in the format documents.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "saranga/bindings/address_settings.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/record_types.h"
#include "tests/records/printed.h"

using namespace saranga;
using namespace saranga::test;

namespace {

struct Table {
  Journal journal;
  std::span<const RecordType> types;
  const RecordType* (*find)(std::int8_t);
  bool (*decode)(const RecordType&, bool, Bytes, DecodedRecord&);
};

std::vector<Table> tables() {
  return {{Journal::kMessages, message::record_types(), message::find_record_type,
           message::decode_record},
          {Journal::kBindings, bindings::record_types(), bindings::find_record_type,
           bindings::decode_record},
          {Journal::kJms, bindings::jms_record_types(), bindings::find_jms_record_type,
           bindings::decode_record}};
}

bool is_message(const RecordType& type) {
  return type.form == BodyForm::kMessage || type.form == BodyForm::kLargeMessage ||
         type.form == BodyForm::kOldMessage;
}

bool is_snake_case(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void check_fields(std::span<const Field> fields) {
  CHECK(fields.size() <= FieldValues::kMaximum);
  std::set<std::string_view> names;
  for (const Field& field : fields) {
    CHECK(is_snake_case(field.name));
    CHECK(names.insert(field.name).second);
    const bool bytes = field.type == FieldType::kSizedBytes || field.type == FieldType::kRestBytes;
    CHECK(field.name.ends_with("_b64") == bytes);
  }
  if (!fields.empty()) CHECK(fields[0].presence == Presence::kRequired);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("numbers are unique, sorted and found", "[records]") {
  for (const Table& table : tables()) {
    CHECK(std::ranges::is_sorted(table.types, std::less_equal{}, &RecordType::number));
    for (int number = -128; number < 128; ++number) {
      const auto row = std::ranges::find(table.types, number, &RecordType::number);
      const RecordType* expected = row == table.types.end() ? nullptr : &*row;
      CHECK(table.find(static_cast<std::int8_t>(number)) == expected);
    }
  }
}

TEST_CASE("no number is in both journals", "[records]") {
  for (const RecordType& type : bindings::record_types()) {
    CHECK(message::find_record_type(type.number) == nullptr);
  }
  CHECK(message::record_types().size() + bindings::record_types().size() == 34);
}

TEST_CASE("rows are complete and fields well named", "[records]") {
  for (const Table& table : tables()) {
    for (const RecordType& type : table.types) {
      CAPTURE(type.number);
      CHECK(type.name == std::string(type.name));
      CHECK(!type.since.empty());
      CHECK((type.fields.empty() == (is_message(type) || type.form == BodyForm::kRaw)));
      check_fields(type.fields);
      check_fields(type.update_fields);
    }
  }
}

TEST_CASE("every row decodes its sample to the last byte", "[records]") {
  for (const Table& table : tables()) {
    for (const RecordType& type : table.types) {
      CAPTURE(type.number);
      if (is_message(type)) continue;
      for (const bool is_update : {false, true}) {
        const auto body = sample_body(table.journal, type.number, is_update);
        if (body.empty()) continue;
        DecodedRecord decoded;
        REQUIRE(table.decode(type, is_update, body, decoded));
        CHECK(decoded.type == &type);
        CHECK(decoded.trailing.empty());
        CHECK(decoded.layout.empty());
        CHECK(decoded.problem == nullptr);
      }
    }
  }
}

TEST_CASE("every row has a sample, a text and JSON", "[records]") {
  // Artemis has no text for these.
  static constexpr int kWithoutText[] = {49, 50, 51, 54};
  for (const Table& table : tables()) {
    for (const RecordType& type : table.types) {
      CAPTURE(type.number);
      if (is_message(type)) continue;
      auto body = sample_body(table.journal, type.number);
      if (body.empty()) body = sample_body(table.journal, type.number, true);
      REQUIRE(!body.empty());
      const std::string text = text_of(table.journal, body_of(type.number, body));
      const bool without = std::ranges::find(kWithoutText, type.number) != std::end(kWithoutText);
      CHECK((text == print::kNoText) == without);
      CHECK(text.find("error") == std::string::npos);
      const auto json = nlohmann::json::parse(json_of(table.journal, body_of(type.number, body)));
      CHECK(json.at("record_name") == std::string(type.name));
      CHECK(json.at("body").is_object());
      CHECK(!json.at("body").empty());
    }
  }
}

TEST_CASE("message types leave their bodies to others", "[records]") {
  for (const RecordType& type : message::record_types()) {
    if (!is_message(type)) continue;
    DecodedRecord decoded;
    const std::vector<std::byte> body(20);
    CHECK_FALSE(message::decode_record(type, false, body, decoded));
    CHECK(text_of(Journal::kMessages, body_of(type.number, body)) == print::kNoText);
  }
}

TEST_CASE("every row has a row in the format documents", "[records]") {
  const std::pair<std::string, std::span<const RecordType>> documents[] = {
      {"messages.md", message::record_types()}, {"bindings.md", bindings::record_types()}};
  for (const auto& [name, types] : documents) {
    const auto lines = lines_of(std::string(SARANGA_SOURCE_DIR) + "/docs/format/" + name);
    for (const RecordType& type : types) {
      CAPTURE(name, type.number);
      const std::string start =
          "| " + std::to_string(type.number) + " | " + std::string(type.name) + " |";
      CHECK(std::ranges::any_of(lines, [&](const auto& line) { return line.starts_with(start); }));
    }
  }
}

TEST_CASE("binary and JSON settings have the same names", "[records]") {
  const RecordType& binary = *bindings::find_record_type(25);
  for (const Field& field : binary.fields.subspan(1)) {
    CAPTURE(field.name);
    CHECK(std::ranges::find(bindings::setting_fields(), field.name, &Field::name) !=
          bindings::setting_fields().end());
  }
  check_fields(bindings::setting_fields());
}
