// Damaged journal files: what is lost is what was damaged, and it is told.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "saranga/journal/scanner.h"
#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

/// Three records, the one in question, and three more.
struct Surrounded {
  explicit Surrounded(const RecordSpec& middle, std::int32_t version = 2) : built(5, version) {
    built.add(1, 45, hex_bytes("A1A2A3")).update(1, 32, BodyBuilder().i64(12)).commit(9, 3);
    built.record(middle).add(2, 45, hex_bytes("B1")).remove(1).rollback(9).pad_to(700);
  }
  [[nodiscard]] const PlacedSpec& middle() const { return built.records()[3]; }
  [[nodiscard]] std::vector<std::string> others() const {
    std::vector<std::string> lines = expected_records(built);
    lines.erase(lines.begin() + 3);
    return lines;
  }
  JournalBuilder built;
};

RecordSpec sample(RecordKind kind) {
  const KindTraits& traits_of = traits(kind);
  const bool body = traits_of.has_body || kind == RecordKind::kPrepare;
  return {.kind = kind,
          .tx_id = traits_of.has_tx ? 77 : 0,
          .id = traits_of.has_id ? 1234 : 0,
          .user_type = traits_of.has_user_type ? 45 : 0,
          .body = body ? hex_bytes("C1C2C3C4C5") : Buffer(),
          .number = traits_of.has_number ? 3 : 0};
}

/// The offsets inside a record that nothing protects: a change there makes another good record.
std::set<std::size_t> unprotected(RecordKind kind, std::int32_t version) {
  const KindTraits& t = traits(kind);
  std::set<std::size_t> offsets;
  std::size_t at = 5;
  const auto take = [&](std::size_t count, bool is_free) {
    for (std::size_t i = 0; i < count; ++i, ++at) {
      if (is_free) offsets.insert(at);
    }
  };
  if (version >= 2) take(1, true);  // compact count
  if (t.has_tx) take(8, true);
  if (t.has_id) take(8, true);
  if (t.has_number) take(4, true);
  if (t.has_body || kind == RecordKind::kPrepare) take(4, false);  // length
  if (t.has_user_type) take(1, true);
  if (t.has_body || kind == RecordKind::kPrepare) take(5, true);  // body
  return offsets;
}

/// Whether a flip of the first byte makes it a kind with the same fields.
bool same_layout(std::byte before, std::byte after) {
  const auto layout = [](std::byte kind) {
    const unsigned value = static_cast<unsigned>(kind);
    return value >= 10 && value <= 12 ? 1U : value == 13 || value == 14 ? 2U : 100U + value;
  };
  return layout(before) == layout(after);
}

void check_flips(RecordKind kind, std::int32_t version) {
  const Surrounded whole(sample(kind), version);
  REQUIRE(scan(whole.built).records == expected_records(whole.built));
  const std::set<std::size_t> free = unprotected(kind, version);
  const std::uint64_t begin = whole.middle().offset;
  for (std::size_t at = 0; at < whole.middle().length; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      INFO(traits(kind).name << " version " << version << ": byte " << at << ", bit " << bit);
      JournalBuilder damaged = whole.built;
      const std::byte before = damaged.bytes()[begin + at];
      damaged.flip(begin + at, 1U << bit);
      const std::byte after = damaged.bytes()[begin + at];
      Scan result = scan(damaged);
      const bool silent = free.contains(at) || (at == 0 && same_layout(before, after));
      if (silent) {
        REQUIRE(result.records.size() == 7);
        CHECK(result.findings.empty());
        result.records.erase(result.records.begin() + 3);
      }
      CHECK(result.records == whole.others());
      if (silent) continue;
      REQUIRE(result.findings.size() == 1);
      const Finding& finding = result.findings[0];
      CHECK(finding.severity == Severity::kDamage);
      CHECK(*finding.offset >= begin);
      CHECK(*finding.offset + *finding.length_bytes <= whole.middle().end());
      CHECK(result.account.record_bytes + whole.middle().length ==
            scan(whole.built).account.record_bytes);
    }
  }
}

/// Lays random bytes over a stretch.
Buffer stomp(Buffer bytes, std::size_t from, std::size_t to, std::mt19937_64& draw) {
  for (std::size_t i = from; i < to; ++i) bytes[i] = static_cast<std::byte>(draw() & 0xFF);
  return bytes;
}

}  // namespace

TEST_CASE("a flipped bit costs at most the record it is in, and is told where it can be seen") {
  for (const KindTraits& kind : kKinds) {
    for (const std::int32_t version : {1, 2}) check_flips(kind.kind, version);
  }
}

TEST_CASE("a stretch of wild bytes costs only the records it touches") {
  std::mt19937_64 draw(20'240'501);
  JournalBuilder built(6);
  for (int i = 0; i < 60; ++i) {
    built.record(sample(kKinds[static_cast<std::size_t>(i) % kKinds.size()].kind));
  }
  built.pad_to(built.at() + 100);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t from = 16 + draw() % (built.bytes().size() - 16);
    const std::size_t to = std::min(built.bytes().size(), from + 1 + draw() % 200);
    const Buffer bytes = stomp(built.bytes(), from, to, draw);
    const Scan result = scan(bytes);
    const std::set<std::string> found(result.records.begin(), result.records.end());
    for (const PlacedSpec& placed : built.records()) {
      const bool touched = placed.offset < to && placed.end() > from;
      if (!touched && !found.contains(line_of(placed, 6))) {
        FAIL("round " << round << ": bytes " << from << " to " << to << " lost the record at "
                      << placed.offset);
      }
    }
  }
}

TEST_CASE("a length of extra data that a broker fails on is no record") {
  // The number 18 stands where the check size of a record of 26 - 8 bytes would be.
  JournalBuilder built(2);
  built.add(1);
  built.record({.kind = RecordKind::kPrepare, .tx_id = 7, .number = 18, .claimed_length = -8});
  built.add(2).pad_to(200);
  const Scan result = scan(built);
  REQUIRE(result.records.size() == 2);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].code == "record-damaged");
  CHECK(result.findings[0].id == 7);
  CHECK(result.findings[0].text ==
        "looks like a record of kind prepare, transaction 7: its body length is -8");
  CHECK(result.marked);
}

TEST_CASE("negative lengths are refused in every kind that has one") {
  for (const RecordKind kind :
       {RecordKind::kEvent, RecordKind::kAdd, RecordKind::kUpdate, RecordKind::kAddTx,
        RecordKind::kUpdateTx, RecordKind::kDeleteTx, RecordKind::kPrepare}) {
    for (const std::int32_t length : {-1, -4, -8, -18, -23, -26, -31, INT32_MIN}) {
      RecordSpec spec = sample(kind);
      spec.claimed_length = length;
      spec.check = traits(kind).fixed_bytes + (length < -1000 ? 0 : length);
      const Surrounded damaged(spec);
      INFO(traits(kind).name << " with length " << length);
      const Scan result = scan(damaged.built);
      CHECK(result.records == damaged.others());
      CHECK(result.codes() == std::vector<std::string>{"record-damaged"});
      // Artemis passes over a negative body in silence, but not over negative extra data.
      CHECK(result.marked == (kind == RecordKind::kPrepare));
    }
  }
}

TEST_CASE("lengths near 2^31 cost neither memory nor the records behind them") {
  for (const RecordKind kind :
       {RecordKind::kAdd, RecordKind::kAddTx, RecordKind::kDeleteTx, RecordKind::kPrepare}) {
    for (const std::int32_t length : {INT32_MAX, INT32_MAX - 4, INT32_MAX - 22, INT32_MAX - 26,
                                      INT32_MAX - 31, 1 << 30, 701, 684}) {
      RecordSpec spec = sample(kind);
      spec.claimed_length = length;
      const Surrounded damaged(spec);
      INFO(traits(kind).name << " with length " << length);
      for (const bool reclaimed : {false, true}) {
        const Scan result = scan(damaged.built, {.reclaimed = reclaimed, .window_bytes = 64});
        CHECK(result.records == damaged.others());
        CHECK(result.codes() == std::vector<std::string>{"record-damaged"});
        CHECK(result.largest_window_bytes <= 128);
      }
    }
  }
}

TEST_CASE("lies about lengths inside the file make no window grow") {
  JournalBuilder built(2);
  for (int i = 0; i < 2000; ++i) {
    built.record({.id = i, .body = hex_bytes("0102"), .claimed_length = 50'000});
  }
  built.add(7).pad_to(300'000);
  const Scan result = scan(built, {.window_bytes = 512});
  CHECK(result.records.size() == 1);
  CHECK(result.largest_window_bytes <= 1024);
}

TEST_CASE("a record that the end of the file cuts is torn, wherever it is cut") {
  for (const KindTraits& kind : kKinds) {
    JournalBuilder built(3);
    built.add(1).record(sample(kind.kind));
    const PlacedSpec last = built.records()[1];
    for (std::uint64_t end = last.offset + 1; end < last.end(); ++end) {
      INFO(kind.name << " cut to " << end - last.offset << " bytes");
      const Buffer cut(built.bytes().begin(), built.bytes().begin() + static_cast<long>(end));
      const Scan result = scan(cut);
      CHECK(result.records.size() == 1);
      CHECK(result.end_of_records == last.offset);
      REQUIRE(result.findings.size() == 1);
      CHECK(result.findings[0].severity == Severity::kWarning);
      CHECK(result.findings[0].code ==
            (end - last.offset < 5 ? "garbage-behind-records" : "torn-record"));
      CHECK(result.account.unreadable_bytes + result.account.padding_bytes == end - last.offset);
    }
  }
}

TEST_CASE("a record whose end was never written is torn") {
  JournalBuilder built(3);
  built.add(1).add(2, 45, Buffer(100, std::byte{0x55}));
  const PlacedSpec last = built.records()[1];
  for (std::uint64_t written = 1; written < last.length; ++written) {
    Buffer bytes = built.bytes();
    bytes.resize(last.offset + written);
    bytes.resize(1000);
    const Scan result = scan(bytes);
    INFO("of " << last.length << " bytes " << written << " were written");
    CHECK(result.records.size() == 1);
    // The tag itself may end before its last byte; then nothing tells what it was to be.
    CHECK(result.codes() ==
          std::vector<std::string>{written < 5 ? "garbage-behind-records" : "torn-record"});
    CHECK(line_of(result.account).ends_with("stale_records 0"));
    CHECK(result.account.stale_bytes == 0);
  }
}

TEST_CASE("garbage behind the records is told and is no record") {
  std::mt19937_64 draw(4);
  JournalBuilder built(3);
  built.add(1).add(2);
  const std::size_t end = built.at();
  built.pad_to(4096);
  const Scan result = scan(stomp(built.bytes(), end + 50, end + 1000, draw));
  CHECK(result.records == expected_records(built));
  CHECK(result.end_of_records == end);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].severity == Severity::kWarning);
  CHECK(result.account.unreadable_bytes >= 940);
  CHECK(result.account.unreadable_bytes <= 950);
}

TEST_CASE("a good record behind garbage is found, and the garbage is damage then") {
  std::mt19937_64 draw(5);
  JournalBuilder built(3);
  built.add(1).fill(3000).add(2).pad_to(4096);
  const Scan result = scan(stomp(built.bytes(), 100, 2000, draw));
  CHECK(result.records == expected_records(built));
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].severity == Severity::kDamage);
}

TEST_CASE("record images inside a broken record come out, as from a broker") {
  const Buffer image = record_bytes({.kind = RecordKind::kDelete, .id = 42}, 5);
  RecordSpec spec{.id = 7, .user_type = 45, .body = image};
  spec.check = 999;
  const Surrounded damaged(spec);
  const Scan result = scan(damaged.built);
  REQUIRE(result.records.size() == 7);
  CHECK(result.records[3].find("delete tag 5 tx 0 id 42") != std::string::npos);
  CHECK(result.codes() == std::vector<std::string>{"record-damaged", "record-damaged"});
}

TEST_CASE("records that an old release wrote too short are told apart from damage") {
  // The length counts 3 bytes that were never written; the check size repeats the mistake.
  const auto short_record = [](std::int64_t id) {
    return RecordSpec{.id = id,
                      .user_type = 27,
                      .body = Buffer(40, std::byte{0x61}),
                      .claimed_length = 43,
                      .check = 23 + 43};
  };
  JournalBuilder built(3);
  built.add(1)
      .record(short_record(2))
      .add(3)
      .record(short_record(4))
      .record(short_record(5))
      .add(6);
  built.pad_to(1000);
  const Scan result = scan(built);
  CHECK(result.records.size() == 3);
  CHECK(result.codes() == std::vector<std::string>{"record-written-short", "record-written-short"});
  for (const Finding& finding : result.findings) CHECK(finding.severity == Severity::kInfo);
  SECTION("but damage beside one is damage") {
    const std::uint64_t at = built.records()[2].offset;  // between the two stretches
    built.flip(at + 16, 1);                              // the length of record 3
    const Scan both = scan(built);
    CHECK(both.records.size() == 2);
    CHECK(both.codes() == std::vector<std::string>{"record-damaged"});
    CHECK(both.findings[0].severity == Severity::kDamage);
  }
}
