// A journal as lines of text, in both directions.
#include "saranga/journal/journal_text.h"

#include <catch2/catch.hpp>

#include "saranga/bytes/base64.h"
#include "saranga/journal/scanner.h"
#include "saranga/journal/text_decoder.h"
#include "tests/support/faulty_directory.h"
#include "tests/support/journal_builder.h"

using namespace saranga;
using namespace saranga::journal;
using saranga::test::Buffer;
using saranga::test::FaultyDirectory;
using saranga::test::hex_bytes;

namespace {

constexpr std::string_view kText =
    "#File,JournalFileImpl: (activemq-data-1.amq id = 1, recordID = 1)\n"
    "operation@AddRecord,id@1,userRecordType@5,length@3,isUpdate@false,compactCount@0,data@AQID\n"
    "operation@UpdateTX,txID@7,id@1,userRecordType@31,length@0,isUpdate@true,compactCount@2,"
    "data@\n"
    "operation@Prepare,txID@7,numberOfRecords@1,extraData@cHE=\n"
    "operation@Commit,txID@7,numberOfRecords@1\n"
    "#File,JournalFileImpl: (activemq-data-2.amq id = 6442450949, recordID = 5)\n"
    "operation@DeleteRecord,id@1\n";

struct NoFindings final : FindingSink {
  void finding(Finding /*finding*/) override { ++count; }
  int count = 0;
};

Result<DecodedText> decode(FaultyDirectory& directory, std::string_view text, std::size_t piece) {
  NoFindings findings;
  TextDecoder decoder(directory, {.file_size_bytes = 1024, .label = "text"}, findings);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (auto fed = decoder.feed(text.substr(at, piece)); !fed) return std::unexpected(fed.error());
  }
  return decoder.finish();
}

}  // namespace

TEST_CASE("a line is written and read for every kind of record") {
  const Buffer body = hex_bytes("00 FF FE FB");
  for (const KindTraits& kind : kKinds) {
    INFO(kind.name);
    const bool has_body = kind.has_body || kind.kind == RecordKind::kPrepare;
    const Record record{.kind = kind.kind,
                        .user_type = static_cast<std::int8_t>(kind.has_user_type ? -7 : 0),
                        .compact_count = 127,
                        .number = kind.has_number ? INT32_MIN : 0,
                        .tx_id = kind.has_tx ? INT64_MAX : 0,
                        .id = kind.has_id ? INT64_MIN : 0,
                        .body = has_body ? Bytes(body) : Bytes()};
    TextBuffer line;
    append_text_record(line, record);
    REQUIRE(line.view().ends_with('\n'));
    const auto parsed = parse_text_line(line.view().substr(0, line.size() - 1));
    REQUIRE(parsed);
    const auto& read = std::get<TextRecord>(*parsed);
    CHECK(read.fields.kind == record.kind);
    CHECK(read.fields.user_type == record.user_type);
    CHECK(read.fields.compact_count == record.compact_count);
    CHECK(read.fields.number == record.number);
    CHECK(read.fields.tx_id == record.tx_id);
    CHECK(read.fields.id == record.id);
    Buffer decoded;
    REQUIRE(append_base64_bytes(decoded, read.body, Base64Alphabet::kUrl));
    CHECK(decoded == (has_body ? body : Buffer()));
  }
}

TEST_CASE("fields may come in any order") {
  const auto parsed = parse_text_line("data@,id@4,operation@Update,userRecordType@-1");
  REQUIRE(parsed);
  const auto& read = std::get<TextRecord>(*parsed);
  CHECK(read.fields.kind == RecordKind::kUpdate);
  CHECK(read.fields.id == 4);
  CHECK(read.fields.user_type == -1);
}

TEST_CASE("pieces of any size give the same files") {
  FaultyDirectory whole;
  REQUIRE(decode(whole, kText, kText.size()));
  REQUIRE(whole.files().size() == 2);
  const auto second = whole.files().at("activemq-data-2.amq");
  CHECK(second.size() == 1024);
  CHECK(parse_header(second).id == 6442450949);
  const auto record = parse_record(Bytes(second).subspan(kHeaderBytes), kFormatVersion, 16);
  REQUIRE(record);
  CHECK(record->kind == RecordKind::kDelete);
  CHECK(record->tag == 5);
  for (std::size_t piece = 1; piece < 200; piece += 7) {
    FaultyDirectory other;
    const auto decoded = decode(other, kText, piece);
    REQUIRE(decoded);
    CHECK(decoded->records == 5);
    CHECK(decoded->files == 2);
    CHECK(other.files() == whole.files());
  }
}

TEST_CASE("whatever fails is told, and what is done is durable") {
  FaultyDirectory clean;
  REQUIRE(decode(clean, kText, kText.size()));
  CHECK(clean.after_power_failure(saranga::test::Loss::kAll, 1).empty());  // names: the caller's
  for (std::uint64_t call = 1; call <= clean.calls(); ++call) {
    FaultyDirectory directory({.fails_at = call});
    const auto decoded = decode(directory, kText, kText.size());
    INFO("call " << call);
    REQUIRE(!decoded);
    CHECK(decoded.error().code == ErrorCode::kIo);
  }
  REQUIRE(clean.sync());
  CHECK(clean.after_power_failure(saranga::test::Loss::kAll, 1) == clean.files());
}
