// What every byte of a reused, torn or holed file is: sums done by hand.
#include <catch2/catch.hpp>

#include "saranga/journal/scanner.h"
#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

/// A first life of ten records of 100 bytes each, from 16 to 1016, in a file of 1500 bytes.
JournalBuilder first_life() {
  JournalBuilder built(3);
  for (int i = 1; i <= 10; ++i) built.add(i, 45, Buffer(77, std::byte{0x61}));
  return built.pad_to(1500);
}

std::string account(const JournalBuilder& built) { return line_of(scan(built).account); }

}  // namespace

TEST_CASE("a file that has become free holds stale records only") {
  JournalBuilder built = first_life();
  built.reuse(8);
  CHECK(account(built) ==
        "header 16 record 0 stale 1000 padding 484 unreadable 0 stale_records 10");
  CHECK(scan(built).codes().empty());
  CHECK_FALSE(scan(built).marked);
}

TEST_CASE("new records that end where an old one begins leave no remnant") {
  JournalBuilder built = first_life();
  built.reuse(8).add(21, 45, Buffer(177));  // 200 bytes
  CHECK(account(built) ==
        "header 16 record 200 stale 800 padding 484 unreadable 0 stale_records 8");
  CHECK(scan(built).codes().empty());
}

TEST_CASE("the rest of an old record behind the last new one is stale") {
  for (std::size_t body = 0; body < 77; ++body) {
    JournalBuilder built = first_life();
    built.reuse(8).add(21, 45, Buffer(body + 100, std::byte{0x62}));
    const std::size_t length = body + 123;  // ends inside the second old record
    INFO("the new record has " << length << " bytes");
    const Scan result = scan(built);
    CHECK(result.records.size() == 1);
    CHECK(result.codes().empty());
    // Zeros at the beginning of a remnant look like padding.
    CHECK(result.account.record_bytes == length);
    CHECK(result.account.unreadable_bytes == 0);
    CHECK(result.account.stale_records == 8);
    CHECK(result.account.stale_bytes + length + (result.account.padding_bytes - 484) == 1000);
    CHECK(result.account.padding_bytes - 484 <= 17);
  }
}

TEST_CASE("a remnant of any length in front of a stale record is told by its check size") {
  // A new record that leaves only the last bytes of the check size of the old one.
  for (std::size_t left = 1; left <= 8; ++left) {
    JournalBuilder built = first_life();
    built.reuse(8).add(21, 45, Buffer(77 - left, std::byte{0x62}));
    INFO(left << " bytes are left");
    const Scan result = scan(built);
    CHECK(result.codes().empty());
    CHECK(result.account.unreadable_bytes == 0);
    CHECK(result.account.stale_records == 9);
  }
}

TEST_CASE("a remnant at the end of the old records is told as well") {
  for (const std::size_t old_body : {77UL, 233UL, 300UL, 489UL, 1001UL, 65'513UL}) {
    // Check sizes that end in zeros (256, 512, 65536) look like fill at their end.
    JournalBuilder built(3);
    built.add(1, 45, Buffer(old_body, std::byte{0x61})).pad_to(70'000);
    built.reuse(8).remove(1);
    INFO("the old record has " << old_body + 23 << " bytes");
    const Scan result = scan(built);
    CHECK(result.codes().empty());
    CHECK(line_of(result.account) ==
          fmt::format("header 16 record 18 stale {} padding {} unreadable 0 stale_records 0",
                      old_body + 23 - 18, 70'000 - 16 - old_body - 23));
  }
}

TEST_CASE("the worked example of the format: ten new records over hundreds of old ones") {
  const auto folder = open_disk_directory(SARANGA_FIXTURES "/cases/a6-reused-file/store/journal");
  REQUIRE(folder);
  const auto bytes = read_whole(**folder, "activemq-data-1.amq", 1 << 20);
  REQUIRE(bytes);
  CHECK(line_of(scan(*bytes).account) ==
        "header 16 record 1070 stale 101159 padding 155 unreadable 0 stale_records 384");
  CHECK(line_of(scan(*bytes, {.reclaimed = true}).account) == line_of(scan(*bytes).account));
  CHECK(scan(*bytes, {.reclaimed = true}).codes().empty());
}

TEST_CASE("what stands in the body of an old record is neither counted nor told") {
  const Buffer older = record_bytes({.id = 7}, 3);
  const Buffer broken = record_bytes({.id = 8, .check = 1}, 8);
  JournalBuilder built(3);
  built.add(1, 45, BodyBuilder().u8(0x61).raw(older).raw(broken).u8(0x61).bytes()).pad_to(500);
  built.reuse(8);
  const Scan result = scan(built);
  CHECK(result.codes().empty());
  CHECK(line_of(result.account) ==
        "header 16 record 0 stale 71 padding 413 unreadable 0 stale_records 1");
}

TEST_CASE("what is no remnant behind the records stays unreadable") {
  JournalBuilder built(8);
  built.add(1).raw(hex_bytes("6161616161616161 7F000000")).pad_to(400);
  const Scan result = scan(built);
  CHECK(result.codes() == std::vector<std::string>{"garbage-behind-records"});
  CHECK(result.account.unreadable_bytes == 9);
}

TEST_CASE("a torn new record over old ones is told, and what follows it is stale") {
  JournalBuilder built = first_life();
  built.reuse(8).add(21, 45, Buffer(20, std::byte{0x62}));
  Buffer torn = record_bytes({.id = 22, .user_type = 45, .body = Buffer(300, std::byte{0x63})}, 8);
  torn.resize(60);
  built.raw(torn);
  const Scan result = scan(built);
  CHECK(result.records.size() == 1);
  CHECK(result.codes() == std::vector<std::string>{"torn-record"});
  CHECK(result.findings[0].id == 22);
  // The old record that the torn one begins in has no head any more: it counts with the torn one.
  CHECK(result.account.stale_records == 8);
  CHECK(result.account.stale_bytes == 800);
  CHECK(result.account.unreadable_bytes == 200 - 43);
  CHECK(result.end_of_records == 59);
}

TEST_CASE("a hole of old blocks between new records is a warning, not damage") {
  // ASYNCIO: the second block of the new life had not been written when the broker crashed.
  JournalBuilder built(3);
  built.block();
  for (int block = 0; block < 3; ++block) built.add(block, 45, Buffer(200)).block();
  built.pad_to(20'480);
  built.reuse(8).block().add(21).block().skip_to(12'288).add(22).block();
  const Scan result = scan(built);
  CHECK(result.records.size() == 2);
  CHECK(result.codes() == std::vector<std::string>{"hole-between-records"});
  CHECK(result.findings[0].severity == Severity::kWarning);
  CHECK(result.findings[0].offset == 8192);
  CHECK(result.findings[0].length_bytes == 4096);
  CHECK(line_of(result.account) ==
        "header 16 record 46 stale 223 padding 20195 unreadable 0 stale_records 1");
}

TEST_CASE("a hole of blocks that were never written is nothing to tell") {
  JournalBuilder built(8);
  built.block().add(1).block().fill(8192).add(2).block();
  check_clean(built);
}

TEST_CASE("a record with a damaged tag between good ones is damage") {
  JournalBuilder built(8);
  built.add(1).add(2).add(3).pad_to(500);
  built.flip(built.records()[1].offset + 4, 0x40);
  const Scan result = scan(built);
  CHECK(result.codes() == std::vector<std::string>{"record-tag-damaged"});
  CHECK(result.findings[0].severity == Severity::kDamage);
  CHECK(result.findings[0].offset == built.records()[1].offset);
  CHECK(result.findings[0].length_bytes == 23);
  CHECK(line_of(result.account) ==
        "header 16 record 46 stale 23 padding 415 unreadable 0 stale_records 1");
}

TEST_CASE("a new record inside the bounds of an old one is found") {
  JournalBuilder built(3);
  built.add(1, 45, Buffer(800, std::byte{0x61})).pad_to(1000);
  built.reuse(8).skip_to(100).add(5);
  const Scan result = scan(built);
  CHECK(result.records == expected_records(built));
  CHECK(result.account.stale_records == 1);
  CHECK(result.account.total_bytes() == 1000);
}

TEST_CASE("the leftovers of a compaction behind the records have lower tags and are stale") {
  JournalBuilder built(8);
  built.add(1);
  for (int i = 0; i < 5; ++i) built.record({.id = i, .body = Buffer(30), .tag = 7});
  built.pad_to(600);
  const Scan result = scan(built);
  CHECK(result.codes().empty());
  CHECK(line_of(result.account) ==
        "header 16 record 23 stale 265 padding 296 unreadable 0 stale_records 5");
}

TEST_CASE("a type byte in the last four bytes of the file marks it, whatever its tag") {
  for (std::size_t left = 1; left <= 8; ++left) {
    JournalBuilder built(8);
    built.pad_to(100).raw(hex_bytes("0B")).fill(left - 1);
    INFO(left << " bytes with the type byte");
    CHECK(scan(built).marked == (left < 5));
  }
}
