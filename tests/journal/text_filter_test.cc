// A journal that a program took for text: every byte from 80 up has become the three bytes of
// U+FFFD, and carriage returns have become line feeds.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "tests/journal/scan_helpers.h"
#include "tests/journal/store_bodies.h"

using namespace saranga;
using namespace saranga::test;

namespace {

Buffer filtered(const Buffer& bytes) {
  Buffer out;
  for (const std::byte byte : bytes) {
    if (byte >= std::byte{0x80}) {
      for (const unsigned part : {0xEFU, 0xBFU, 0xBDU}) out.push_back(static_cast<std::byte>(part));
    } else {
      out.push_back(byte == std::byte{'\r'} ? std::byte{'\n'} : byte);
    }
  }
  return out;
}

/// What a broker writes for thirty messages, some in transactions, some consumed.
JournalBuilder ordinary(std::int64_t header_id) {
  std::mt19937_64 draw(1);
  JournalBuilder built(header_id);
  for (std::int64_t i = 0; i < 30; ++i) {
    const std::int64_t id = 300 + 7 * i;
    Buffer body(20 + draw() % 60);
    for (std::byte& byte : body) byte = static_cast<std::byte>(draw() & 0xFF);
    if (i % 3 == 0) {
      built.add_tx(id + 1, id, 45, core_message(id, "orders", body));
      built.update_tx(id + 1, id, 32, queue_id(12)).commit(id + 1, 2);
    } else {
      built.add(id, 45, core_message(id, "orders", body)).update(id, 32, queue_id(12));
    }
    if (i % 4 == 0) built.update(id, 33, queue_id(12)).remove(id);
  }
  return built.pad_to(20'000);
}

}  // namespace

TEST_CASE("a journal that was copied as text is recognised and named, once") {
  for (const std::int64_t header_id : {1, 200, 0x1234}) {
    const JournalBuilder whole = ordinary(header_id);
    REQUIRE(scan(whole).records == expected_records(whole));
    const Buffer bytes = filtered(whole.bytes());
    REQUIRE(bytes.size() > whole.bytes().size());
    const Scan result = scan(bytes);
    INFO("header id " << header_id);
    REQUIRE(result.codes() == std::vector<std::string>{"text-filtered"});
    const Finding& finding = result.findings[0];
    CHECK(finding.severity == Severity::kDamage);
    CHECK(finding.offset == 0);
    CHECK(finding.length_bytes == bytes.size());
    CHECK(finding.file == "journal/file.amq");
    CHECK(finding.text.starts_with("every byte from 80 up has become EF BF BD, "));
    CHECK(result.account.unreadable_bytes > 2000);
    // The places that look like records are counted: tags of small ids survive.
    CHECK(finding.text.find(" 0 places") == std::string::npos);
  }
}

TEST_CASE("nothing comes out of it that was not in the journal") {
  const JournalBuilder whole = ordinary(1);
  std::set<std::string> known;
  for (const std::string& line : expected_records(whole)) known.insert(line.substr(line.find(' ')));
  const Scan result = scan(filtered(whole.bytes()));
  CHECK(result.records.size() < expected_records(whole).size());
  for (const std::string& line : result.records) {
    INFO(line);
    CHECK(known.contains(line.substr(line.find(' '))));
  }
}

TEST_CASE("the number of replaced bytes is told") {
  JournalBuilder built(1);
  built.add(3, 45, hex_bytes("80 81 FF 0D FE 90 91 92 93 94")).pad_to(100);
  const Scan result = scan(filtered(built.bytes()));
  REQUIRE(result.codes() == std::vector<std::string>{"text-filtered"});
  CHECK(result.findings[0].text ==
        "every byte from 80 up has become EF BF BD, 9 times: a program took the file for text; 1 "
        "places in it look like records, 0 whole ones are left, and what they say may be changed");
}

TEST_CASE("a clean journal is not suspected, whatever its messages say") {
  JournalBuilder built(1);
  for (std::int64_t id = 1; id < 20; ++id) {
    built.add(id, 45, hex_bytes("EFBFBD EFBFBD EFBFBD"));  // replacement characters and no other
  }
  check_clean(built.pad_to(2000));
}

TEST_CASE("a damaged journal with any other high byte is just damaged") {
  JournalBuilder built(1);
  for (std::int64_t id = 1; id < 20; ++id) built.add(id, 45, hex_bytes("EFBFBD EFBFBD EFBFBD"));
  built.pad_to(2000);
  SECTION("anywhere in the file") { built.add(99, 45, hex_bytes("C3A9")); }
  SECTION("a cut sequence") { built.add(99, 45, hex_bytes("EFBF 41")); }
  SECTION("bytes of a sequence in another order") { built.add(99, 45, hex_bytes("BDBFEF")); }
  built.flip(built.records()[3].offset + 17, 1);
  CHECK(scan(built).codes() == std::vector<std::string>{"record-damaged"});
}

TEST_CASE("a few replacement characters in a damaged journal prove nothing") {
  JournalBuilder built(1);
  built.add(1, 45, hex_bytes("EFBFBD EFBFBD EFBFBD")).add(2).pad_to(200);
  built.flip(built.records()[0].offset + 17, 1);
  CHECK(scan(built).codes() == std::vector<std::string>{"record-damaged"});
}

TEST_CASE("a long journal is recognised across the windows in which it is looked through") {
  JournalBuilder built(1);
  for (std::int64_t id = 1; id < 3000; ++id) {
    built.add(id, 45, Buffer(static_cast<std::size_t>(50 + id % 3), std::byte{0xEE}));
  }
  const Scan result = scan(filtered(built.bytes()));
  CHECK(result.codes() == std::vector<std::string>{"text-filtered"});
}
