// Every body that decodes is encoded to the bytes it was decoded from: samples of every type in the
// tables, and all that real brokers wrote.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "saranga/bindings/id_ranges.h"
#include "saranga/bindings/record_types.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"
#include "saranga/message/message_encoder.h"
#include "saranga/message/record_types.h"
#include "saranga/paging/page_writer.h"
#include "tests/records/samples.h"

using namespace saranga;
using namespace saranga::test;

namespace {

using Buffer = std::vector<std::byte>;

/// What became of a body.
enum class Outcome { kSame, kOther, kNotDecoded };

Outcome compare(const Result<Buffer>& encoded, Bytes body) {
  if (!encoded) return Outcome::kOther;
  return std::ranges::equal(*encoded, body) ? Outcome::kSame : Outcome::kOther;
}

Outcome encode_message_again(BodyForm form, Bytes body) {
  Cursor cursor(body);
  Encoder out;
  if (form == BodyForm::kMessage) {
    const message::StoredMessage stored = message::read_stored_message(cursor);
    if (!cursor.ok()) return Outcome::kNotDecoded;
    message::encode_stored_message(stored, out);
  } else {
    const message::CoreMessage core = form == BodyForm::kLargeMessage
                                          ? message::read_large_message(cursor)
                                          : message::read_old_message(cursor);
    if (!cursor.ok()) return Outcome::kNotDecoded;
    out.bytes(core.buffer);
  }
  out.bytes(body.subspan(cursor.position()));
  return compare(out.take(), body);
}

Outcome encode_again(Journal journal, const RecordType& type, bool is_update, Bytes body) {
  if (type.form == BodyForm::kMessage || type.form == BodyForm::kLargeMessage ||
      type.form == BodyForm::kOldMessage) {
    return encode_message_again(type.form, body);
  }
  DecodedRecord decoded;
  if (journal == Journal::kMessages) {
    if (!message::decode_record(type, is_update, body, decoded)) return Outcome::kNotDecoded;
    return compare(message::encode_record(decoded), body);
  }
  if (!bindings::decode_record(type, is_update, body, decoded)) return Outcome::kNotDecoded;
  return compare(bindings::encode_record(decoded), body);
}

/// The worked examples of docs/format/messages.md and amqp.md.
constexpr std::string_view kText =
    "0100000000000003e8010000000471003100000000420000001601000000046800690000000000000003e801000000"
    "04"
    "7100310000030100000000000000000000018000000000040100000001000000026e000600000007";
constexpr std::string_view kLarge =
    "00000000000007d001000000047100310000040100000000000000000000000000000000040100000001"
    "0000001e5f0041004d0051005f004c0041005200470045005f00530049005a004500070000000000030d40";
constexpr std::string_view kOld =
    "00000012550000003c00000000000003e80100000004710031000000ff0000000000000000000000000000000000"
    "00";
constexpr std::string_view kAmqp =
    "050000000000000bb80000000000000000010000000471003100000000250053 70c0040241500700537 "
    "3d00000000d"
    "00000003a1026d3140a10271310053 77a1026869000000000000000000000000";
constexpr std::string_view kAmqpLarge =
    "040000000000000fa0ff000000000000000001000000047100310000000020010000000100000 "
    "00e5f0041004d0051"
    "005f00410044000a0000000471003100000000000000000900537 0c00402415007ffffffff00000000ffffffff40"
    "00000009005373d00000000d00000003a1026d3140a1027131ffffffff0000001e40000000000000000000";

Buffer bytes_of(std::string_view hex) {
  std::string digits(hex);
  std::erase(digits, ' ');
  return from_hex(digits);
}

struct Counted {
  std::uint64_t same = 0;
  std::uint64_t not_decoded = 0;
};

/// Encodes every body of a journal file again.
Counted encode_file_again(const std::filesystem::path& path, journal::JournalKind kind) {
  const auto folder = open_disk_directory(path.parent_path().string());
  const auto bytes = read_whole(**folder, path.filename().string(), std::uint64_t{1} << 30);
  Counted counted;
  if (!bytes || bytes->size() < journal::kHeaderBytes) return counted;
  const auto file = (*folder)->open(path.filename().string());
  journal::FileScanner scanner(**file, journal::parse_header(*bytes));
  journal::Batch batch;
  while (*scanner.next(batch)) {
    for (const journal::Record& record : batch.records) {
      if (!journal::traits(record.kind).has_user_type) continue;
      const bool messages = kind == journal::JournalKind::kMessages;
      const bool jms = kind == journal::JournalKind::kJms;
      const RecordType* type = messages ? message::find_record_type(record.user_type)
                               : jms    ? bindings::find_jms_record_type(record.user_type)
                                        : bindings::find_record_type(record.user_type);
      if (type == nullptr) continue;
      const bool is_update = record.kind == journal::RecordKind::kUpdate ||
                             record.kind == journal::RecordKind::kUpdateTx;
      const Journal journal = messages ? Journal::kMessages : Journal::kBindings;
      const Outcome outcome = encode_again(journal, *type, is_update, record.body);
      if (outcome == Outcome::kOther) {
        FAIL(path << ": the " << type->name << " at " << record.offset
                  << " is encoded differently");
      }
      ++(outcome == Outcome::kSame ? counted.same : counted.not_decoded);
    }
  }
  return counted;
}

std::vector<std::filesystem::path> fixture_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SARANGA_FIXTURES)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

TEST_CASE("every type of the tables has an encoder that gives back what was decoded", "[records]") {
  const std::map<int, std::string_view> messages{{30, kLarge}, {31, kOld}, {45, kText}};
  const auto walk = [&](Journal journal, std::span<const RecordType> types) {
    for (const RecordType& type : types) {
      INFO(type.name);
      const bool message = journal == Journal::kMessages && messages.contains(type.number);
      for (const bool is_update : {false, true}) {
        const Buffer body = message ? bytes_of(messages.at(type.number))
                                    : sample_body(journal, type.number, is_update);
        if (body.empty()) continue;
        CHECK(encode_again(journal, type, is_update, body) == Outcome::kSame);
      }
      const bool has_sample = message || !sample_body(journal, type.number, false).empty() ||
                              !sample_body(journal, type.number, true).empty();
      CHECK(has_sample);
    }
  };
  walk(Journal::kMessages, message::record_types());
  walk(Journal::kBindings, bindings::record_types());
  walk(Journal::kJms, bindings::jms_record_types());
}

TEST_CASE("layouts of old releases are encoded as those wrote them", "[records]") {
  const RecordType& settings = *bindings::find_record_type(25);
  for (const std::string_view hex : {kSettings210, kSettings26, kSettings20, kSettings14,
                                     kSettings13, kSettings10, kSettingsHornetq}) {
    INFO(hex.size());
    CHECK(encode_again(Journal::kBindings, settings, false, from_hex(hex)) == Outcome::kSame);
  }
  CHECK(encode_again(Journal::kBindings, *bindings::find_record_type(27), false,
                     from_hex(kDivertWithoutFlag)) == Outcome::kSame);
  for (const std::string_view hex : {kBridgeWithoutFlag, kBridgeOf228}) {
    CHECK(encode_again(Journal::kBindings, *bindings::find_record_type(28), false, from_hex(hex)) ==
          Outcome::kSame);
  }
}

TEST_CASE("AMQP messages keep their bytes, in records and in files", "[records]") {
  for (const std::string_view hex : {kAmqp, kAmqpLarge}) {
    CHECK(encode_message_again(BodyForm::kMessage, bytes_of(hex)) == Outcome::kSame);
  }
}

TEST_CASE("bodies that real brokers wrote are encoded to their own bytes", "[records]") {
  std::uint64_t records = 0;
  std::uint64_t odd = 0;
  std::uint64_t files = 0;
  for (const std::filesystem::path& path : fixture_files()) {
    const auto kind = journal::journal_kind_of(path.filename().string());
    if (!kind) continue;
    const Counted counted = encode_file_again(path, *kind);
    records += counted.same;
    odd += counted.not_decoded;
    files += counted.same != 0 ? 1 : 0;
  }
  fmt::print("{} bodies of {} files encoded again; {} do not decode\n", records, files, odd);
  CHECK(records > 10'000);
  CHECK(files > 50);
  CHECK(odd * 100 < records);
}

TEST_CASE("page entries that real brokers wrote are encoded to their own bytes", "[paging]") {
  std::uint64_t entries = 0;
  std::uint64_t pages = 0;
  for (const std::filesystem::path& path : fixture_files()) {
    if (path.extension() != ".page") continue;
    const auto folder = open_disk_directory(path.parent_path().string());
    const auto file = (*folder)->open(path.filename().string());
    REQUIRE(file);
    paging::PageScanner scanner(**file);
    paging::PageEntry entry;
    while (*scanner.next(entry)) {
      Cursor cursor(entry.payload);
      const paging::PagedMessage paged = paging::read_paged_message(cursor);
      if (!cursor.ok() || !cursor.at_end()) continue;
      if (compare(paging::encode_paged_message(paged), entry.payload) != Outcome::kSame) {
        FAIL(path << ": the entry at " << entry.offset << " is encoded differently");
      }
      ++entries;
    }
    ++pages;
  }
  fmt::print("{} entries of {} pages encoded again\n", entries, pages);
  CHECK(entries > 500);
}

TEST_CASE("a new body is built by the names of its fields", "[records]") {
  const RecordType& type = *bindings::find_record_type(44);
  const Buffer routing{std::byte{0}, std::byte{1}};
  const auto body = FieldsBuilder(type.fields)
                        .text("name", "A")
                        .list("routing_types", 2, routing)
                        .number("auto_created", 1)
                        .number("internal", 0)
                        .encode();
  REQUIRE(body);
  CHECK(*body == sample_body(Journal::kBindings, 44));
  const auto unset = FieldsBuilder(type.fields).text("name", "A").encode();
  REQUIRE_FALSE(unset);
  CHECK(unset.error().text == "field routing_types is not set");
  const auto unknown = FieldsBuilder(type.fields).text("nam", "A").encode();
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().text == "field nam is not one of this record");
  const RecordType& counter = *message::find_record_type(40);
  CHECK(FieldsBuilder(counter.fields).number("queue_id", 1).number("value", 2).encode()->size() ==
        16);
}

TEST_CASE("ids are given out as a broker gives them, over restarts", "[records]") {
  bindings::IdRanges fresh;
  CHECK(fresh.next() == 0);
  auto due = fresh.due();
  REQUIRE(due);
  CHECK(due->record_id == 1);
  CHECK(due->counter == 2'147'483'647);
  CHECK(due->body() == sample_body(Journal::kBindings, 24));
  CHECK_FALSE(fresh.due());
  CHECK(fresh.next() == 2);
  CHECK_FALSE(fresh.due());
  // Killed: the next start leaves out the rest of the range.
  auto again = bindings::IdRanges::after(due->counter);
  REQUIRE(again);
  CHECK(again->next() == 2'147'483'648);
  due = again->due();
  REQUIRE(due);
  CHECK(due->record_id == 2'147'483'649);
  CHECK(due->counter == 2'147'483'648 + 2'147'483'647);
  // Stopped: it goes on right behind.
  const bindings::IdCounter stopped = again->stop();
  CHECK(stopped.record_id == stopped.counter);
  CHECK(stopped.counter == 2'147'483'651);
  CHECK(bindings::IdRanges::after(stopped.counter)->next() == 2'147'483'652);
  CHECK_FALSE(bindings::IdRanges::after(-1));
  CHECK_FALSE(bindings::IdRanges::after(INT64_MAX - 3));
}
