// What is told about the bytes between records, word for word.
#include "saranga/journal/gap_findings.h"

#include <catch2/catch.hpp>

#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

/// The single finding of a file.
Finding finding_of(const JournalBuilder& built) {
  const Scan result = scan(built);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].file == "journal/file.amq");
  return result.findings[0];
}

/// A good record, the bytes in question, another good record.
JournalBuilder between(Bytes odd) {
  JournalBuilder built(5);
  return built.add(1).raw(odd).add(2).pad_to(4000);
}

/// The bytes in question behind the last good record, fill behind them.
JournalBuilder behind(Bytes odd) {
  JournalBuilder built(5);
  return built.add(1).raw(odd).pad_to(4000);
}

}  // namespace

TEST_CASE("a clean file gives no finding") { CHECK(scan(between({})).findings.empty()); }

TEST_CASE("a record with a wrong check size is named with what it looks like") {
  const Buffer odd =
      record_bytes({.id = 8841, .user_type = 45, .body = Buffer(95), .check = 90}, 5);
  const Finding damaged = finding_of(between(odd));
  CHECK(damaged.code == "record-damaged");
  CHECK(damaged.severity == Severity::kDamage);
  CHECK(damaged.offset == 39);
  CHECK(damaged.length_bytes == 118);
  CHECK(damaged.id == 8841);
  CHECK(damaged.text ==
        "looks like a record of kind add, id 8841, record type 45: check size is 90, expected 118");
  const Finding torn = finding_of(behind(odd));
  CHECK(torn.code == "torn-record");
  CHECK(torn.severity == Severity::kWarning);
  CHECK(torn.text == damaged.text + "; nothing readable follows in the file");
}

TEST_CASE("kinds without a record id are named by their transaction") {
  const Finding finding = finding_of(between(
      record_bytes({.kind = RecordKind::kCommit, .tx_id = 77, .number = 1, .check = 1}, 5)));
  CHECK(finding.id == 77);
  CHECK(finding.text ==
        "looks like a record of kind commit, transaction 77: check size is 1, expected 22");
}

TEST_CASE("a delete in a transaction is named by its record id, without a type") {
  const Finding finding = finding_of(
      between(record_bytes({.kind = RecordKind::kDeleteTx, .tx_id = 77, .id = 9, .check = 1}, 5)));
  CHECK(finding.text ==
        "looks like a record of kind delete_tx, id 9: check size is 1, expected 30");
}

TEST_CASE("impossible lengths are named as they stand") {
  const auto with_length = [](std::int32_t length) {
    return record_bytes({.id = 3, .user_type = 1, .claimed_length = length}, 5);
  };
  CHECK(finding_of(between(with_length(-2))).text ==
        "looks like a record of kind add, id 3, record type 1: its body length is -2");
  CHECK(finding_of(between(with_length(1'000'000))).text ==
        "looks like a record of kind add, id 3, record type 1: it would need 1000023 bytes, the "
        "file has 3961 left");
}

TEST_CASE("a record that begins right before the end of the file is torn") {
  JournalBuilder built(5);
  Buffer start = record_bytes({.kind = RecordKind::kAddTx, .tx_id = 1, .id = 2}, 5);
  start.resize(20);
  built.add(1).raw(start);
  const Finding finding = finding_of(built);
  CHECK(finding.code == "torn-record");
  CHECK(
      finding.text ==
      "looks like a record of kind add_tx, id 0, record type 0: the file ends before the 31 bytes "
      "that it needs at least; nothing readable follows in the file");
}

TEST_CASE("bytes that look like nothing are counted") {
  const Buffer garbage = hex_bytes("9999999999");
  const Finding damaged = finding_of(between(garbage));
  CHECK(damaged.code == "record-damaged");
  CHECK(damaged.severity == Severity::kDamage);
  CHECK(damaged.offset == 39);
  CHECK(damaged.length_bytes == 5);
  CHECK_FALSE(damaged.id);
  CHECK(damaged.text == "5 bytes between records are no record");
  const Finding tail = finding_of(behind(garbage));
  CHECK(tail.code == "garbage-behind-records");
  CHECK(tail.severity == Severity::kWarning);
  CHECK(tail.text == "5 bytes behind the last record are no record");
}

TEST_CASE("between records even bytes that end like an old record are damage") {
  const Finding finding = finding_of(between(hex_bytes("9999 0000001C")));
  CHECK(finding.code == "record-damaged");
  CHECK(finding.length_bytes == 6);
}

TEST_CASE("several broken records in one stretch are one finding that counts them") {
  Buffer odd = record_bytes({.id = 3, .user_type = 1, .check = 5}, 5);
  const Buffer second = record_bytes({.id = 4, .user_type = 1, .check = 5}, 5);
  odd.insert(odd.end(), second.begin(), second.end());
  const Finding finding = finding_of(between(odd));
  CHECK(finding.length_bytes == 46);
  CHECK(
      finding.text ==
      "looks like a record of kind add, id 3, record type 1: check size is 5, expected 23 (2 such "
      "places)");
}

TEST_CASE("records with another tag between good ones are damage, at a block border a hole") {
  const Buffer other = record_bytes({.id = 3}, 4);
  const Finding damaged = finding_of(between(other));
  CHECK(damaged.code == "record-tag-damaged");
  CHECK(damaged.severity == Severity::kDamage);
  CHECK(damaged.offset == 39);
  CHECK(damaged.length_bytes == 23);
  CHECK(damaged.text ==
        "23 bytes of records with another tag than the file's stand between its records");
  JournalBuilder built(5);
  built.block(512).add(1).block(512).raw(other).block(512).add(2).pad_to(4096);
  const Finding hole = finding_of(built);
  CHECK(hole.code == "hole-between-records");
  CHECK(hole.severity == Severity::kWarning);
  CHECK(hole.length_bytes == 512);
}

TEST_CASE("findings come in the order of their places") {
  JournalBuilder built(5);
  built.add(1).raw(hex_bytes("99")).add(2).raw(record_bytes({.id = 3}, 4)).add(4);
  built.raw(record_bytes({.id = 5, .check = 1}, 5)).fill(600).raw(hex_bytes("9999")).pad_to(4000);
  const Scan result = scan(built);
  CHECK(result.codes() ==
        std::vector<std::string>{"record-damaged", "record-tag-damaged", "torn-record"});
  for (std::size_t i = 1; i < result.findings.size(); ++i) {
    CHECK(*result.findings[i - 1].offset < *result.findings[i].offset);
  }
}

TEST_CASE("stretches before the last record are damage, however far in front they are") {
  JournalBuilder built(5);
  built.add(1).raw(hex_bytes("99")).fill(100).raw(record_bytes({.id = 3}, 4)).fill(100);
  built.raw(hex_bytes("98")).add(2).pad_to(4000);
  const Scan result = scan(built);
  CHECK(result.codes() ==
        std::vector<std::string>{"record-damaged", "record-tag-damaged", "record-damaged"});
  for (const Finding& finding : result.findings) CHECK(finding.severity == Severity::kDamage);
  CHECK(*result.findings[0].offset < *result.findings[1].offset);
  CHECK(*result.findings[1].offset < *result.findings[2].offset);
}
