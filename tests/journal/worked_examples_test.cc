// Journals given as bytes, from real brokers and from the description of the format: they fix what
// the builder of the other tests has to make, and what the scanner has to read.
#include <catch2/catch.hpp>

#include "saranga/journal/folder.h"
#include "tests/journal/reference_scan.h"
#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::test;

namespace {

constexpr std::string_view kHeader = "00 00 00 02 | 00 00 00 00 | 00 00 00 00 00 00 00 01";
constexpr std::string_view kAdd =
    "0B | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 01 | 00 00 00 03 | 05 | 01 02 03 | 00 00 00 1A";
constexpr std::string_view kUpdate =
    "0C | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 01 | 00 00 00 01 | 06 | 09 | 00 00 00 18";
constexpr std::string_view kAddTx =
    "0D | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 07 | 00 00 00 00 00 00 00 02 | 00 00 00 01 | 1E |"
    " 41 | 00 00 00 20";
constexpr std::string_view kUpdateTx =
    "0E | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 07 | 00 00 00 00 00 00 00 01 | 00 00 00 00 | 1F |"
    " 00 00 00 1F";
constexpr std::string_view kDeleteTx =
    "0F | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 07 | 00 00 00 00 00 00 00 01 | 00 00 00 01 | 55 |"
    " 00 00 00 1F";
constexpr std::string_view kPrepare =
    "11 | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 07 | 00 00 00 03 | 00 00 00 02 | 70 71 |"
    " 00 00 00 1C";
constexpr std::string_view kCommit =
    "12 | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 07 | 00 00 00 03 | 00 00 00 16";
constexpr std::string_view kAddTx8 =
    "0D | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 08 | 00 00 00 00 00 00 00 03 | 00 00 00 01 | 1E |"
    " 42 | 00 00 00 20";
constexpr std::string_view kRollback =
    "13 | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 08 | 00 00 00 12";
constexpr std::string_view kEvent =
    "0A | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 04 | 00 00 00 01 | 27 | 07 | 00 00 00 18";
constexpr std::string_view kDelete =
    "10 | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 02 | 00 00 00 12";

Buffer fresh_journal() {
  Buffer file;
  for (const std::string_view part : {kHeader, kAdd, kUpdate, kAddTx, kUpdateTx, kDeleteTx,
                                      kPrepare, kCommit, kAddTx8, kRollback, kEvent, kDelete}) {
    std::ranges::copy(hex_bytes(part), std::back_inserter(file));
  }
  file.resize(65536);
  return file;
}

const std::vector<std::string> kFreshRecords = {
    "16+26 add tag 1 tx 0 id 1 type 5 compact 0 number 0 body 010203",
    "42+24 update tag 1 tx 0 id 1 type 6 compact 0 number 0 body 09",
    "66+32 add_tx tag 1 tx 7 id 2 type 30 compact 0 number 0 body 41",
    "98+31 update_tx tag 1 tx 7 id 1 type 31 compact 0 number 0 body ",
    "129+31 delete_tx tag 1 tx 7 id 1 type 0 compact 0 number 0 body 55",
    "160+28 prepare tag 1 tx 7 id 0 type 0 compact 0 number 3 body 7071",
    "188+22 commit tag 1 tx 7 id 0 type 0 compact 0 number 3 body ",
    "210+32 add_tx tag 1 tx 8 id 3 type 30 compact 0 number 0 body 42",
    "242+18 rollback tag 1 tx 8 id 0 type 0 compact 0 number 0 body ",
    "260+24 event tag 1 tx 0 id 4 type 39 compact 0 number 0 body 07",
    "284+18 delete tag 1 tx 0 id 2 type 0 compact 0 number 0 body ",
};

JournalBuilder built_journal() {
  JournalBuilder built;
  built.add(1, 5, hex_bytes("010203"))
      .update(1, 6, hex_bytes("09"))
      .add_tx(7, 2, 30, hex_bytes("41"))
      .update_tx(7, 1, 31)
      .remove_tx(7, 1, hex_bytes("55"))
      .prepare(7, 3, hex_bytes("7071"))
      .commit(7, 3)
      .add_tx(8, 3, 30, hex_bytes("42"))
      .rollback(8)
      .event(4, 39, hex_bytes("07"))
      .remove(2)
      .pad_to(65536);
  return built;
}

}  // namespace

TEST_CASE("a fresh NIO journal is read record by record") {
  const Scan result = scan(fresh_journal());
  CHECK(result.records == kFreshRecords);
  CHECK(result.end_of_records == 302);
  CHECK(line_of(result.account) ==
        "header 16 record 286 stale 0 padding 65234 unreadable 0 stale_records 0");
  CHECK(result.gaps.empty());
  CHECK_FALSE(result.marked);
}

TEST_CASE("the builder makes the bytes of a real broker") {
  CHECK(built_journal().bytes() == fresh_journal());
  CHECK(expected_records(built_journal()) == kFreshRecords);
}

TEST_CASE("the same journal in ASYNCIO blocks has the same records at other offsets") {
  JournalBuilder built;
  built.block().add(1, 5, hex_bytes("010203")).block().update(1, 6, hex_bytes("09")).block();
  built.add_tx(7, 2, 30, hex_bytes("41")).update_tx(7, 1, 31).remove_tx(7, 1, hex_bytes("55"));
  built.prepare(7, 3, hex_bytes("7071")).block().commit(7, 3).block().pad_to(65536);
  const std::vector<PlacedSpec>& placed = built.records();
  CHECK(placed[0].offset == 0x1000);
  CHECK(placed[1].offset == 0x2000);
  CHECK(placed[2].offset == 0x3000);
  CHECK(placed[6].offset == 0x4000);
  check_clean(built);
  CHECK(scan(built).end_of_records == 0x4016);
}

TEST_CASE("a record of format version 1 lacks the compact count") {
  Buffer file = hex_bytes("00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 01");
  std::ranges::copy(hex_bytes("0B | 00 00 00 01 | 00 00 00 00 00 00 00 05 | 00 00 00 02 | 09 |"
                              " 01 02 | 00 00 00 18"),
                    std::back_inserter(file));
  const Scan result = scan(file);
  REQUIRE(result.records.size() == 1);
  CHECK(result.records[0] == "16+24 add tag 1 tx 0 id 5 type 9 compact 0 number 0 body 0102");
  JournalBuilder built(1, 1);
  CHECK(built.add(5, 9, hex_bytes("0102")).bytes() == file);
}

TEST_CASE("a commit behind a roll-over counts the records of its own file only") {
  const Buffer body(300);
  JournalBuilder second(2);
  second.add_tx(50, 4, 45, body).add_tx(50, 5, 45, body).commit(50, 2).pad_to(1024);
  CHECK(second.records()[2].offset == 678);
  const Buffer bytes =
      hex_bytes("12 | 00 00 00 02 | 00 | 00 00 00 00 00 00 00 32 | 00 00 00 02 | 00 00 00 16");
  CHECK(std::ranges::equal(Bytes(second.bytes()).subspan(0x2A6, bytes.size()), bytes));
}

TEST_CASE("a control file has the bytes of a real compaction") {
  const Buffer file = control_file({"activemq-data-1.amq", "activemq-data-2.amq"},
                                   {"activemq-data-4.amq.cmp", "activemq-data-5.amq.cmp"});
  Buffer expected = hex_bytes(
      "00 00 00 02  00 00 00 00  00 00 00 00 00 00 00 00"
      "0B  00 00 00 00  00  00 00 00 00 00 00 00 01  00 00 00 80  00  00 00 00 02");
  for (const auto& [length, name] :
       {std::pair{0x13, "activemq-data-1.amq"}, std::pair{0x13, "activemq-data-2.amq"},
        std::pair{0, ""}, std::pair{0x17, "activemq-data-4.amq.cmp"},
        std::pair{0x17, "activemq-data-5.amq.cmp"}}) {
    const Buffer part = length == 0 ? hex_bytes("00 00 00 02")
                                    : BodyBuilder().i16(length).raw(text_bytes(name)).bytes();
    std::ranges::copy(part, std::back_inserter(expected));
  }
  REQUIRE(expected.size() == 0x87);
  expected.resize(0xA3);
  std::ranges::copy(hex_bytes("00 00 00 97"), std::back_inserter(expected));
  CHECK(file == expected);
  CHECK(file.size() == 167);
  const auto record = journal::parse_record(Bytes(file).subspan(16), 2, 16);
  REQUIRE(record);
  const auto plan = journal::parse_plan(record->body);
  REQUIRE(plan);
  CHECK(plan->consumed == std::vector<std::string>{"activemq-data-1.amq", "activemq-data-2.amq"});
  CHECK(plan->produced ==
        std::vector<std::string>{"activemq-data-4.amq.cmp", "activemq-data-5.amq.cmp"});
  CHECK(plan->renames.empty());
}

TEST_CASE("a compacted record carries how often it was compacted") {
  JournalBuilder built;
  built.record({.kind = journal::RecordKind::kAdd,
                .id = 2,
                .user_type = 5,
                .body = Buffer(1000),
                .compact_count = 1});
  const Buffer head =
      hex_bytes("0B | 00 00 00 01 | 01 | 00 00 00 00 00 00 00 02 | 00 00 03 E8 | 05");
  CHECK(std::ranges::equal(Bytes(built.bytes()).subspan(16, head.size()), head));
  CHECK(std::ranges::equal(Bytes(built.bytes()).last(4), hex_bytes("00 00 03 FF")));
  check_clean(built);
}

TEST_CASE("the rollback that a load appends is read like any other") {
  JournalBuilder built;
  built.add_tx(7, 2, 30, hex_bytes("4142"));
  CHECK(built.at() == 0x31);
  built.rollback(7);
  CHECK(std::ranges::equal(
      Bytes(built.bytes()).subspan(0x31),
      hex_bytes("13 | 00 00 00 01 | 00 | 00 00 00 00 00 00 00 07 | 00 00 00 12")));
  check_clean(built);
}

TEST_CASE("the plain scan that the others are compared with reads the fresh journal too") {
  const Buffer file = fresh_journal();
  const ReferenceScan result = reference_scan(file);
  std::vector<std::string> lines;
  for (const journal::Record& record : result.records) lines.push_back(line_of(record));
  CHECK(lines == kFreshRecords);
  CHECK(result.end == 302);
  CHECK_FALSE(result.marked);
}

TEST_CASE("the tag is the header id without its upper half and top bit") {
  const auto tag_of = [](std::int64_t id) { return journal::FileHeader{.id = id}.tag(); };
  CHECK(tag_of(1) == 1);
  CHECK(tag_of(0x180000005) == 5);
  CHECK(tag_of(0x7FFFFFFF) == 0x7FFFFFFF);
  CHECK(tag_of(0x80000000) == 0);
  CHECK(tag_of(-1) == 0x7FFFFFFF);
  JournalBuilder built(0x180000005);
  check_clean(built.add(9));
}
