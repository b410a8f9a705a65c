// Scanning one journal file: every kind of record, wherever it stands, and what lies between.
#include "saranga/journal/scanner.h"

#include <catch2/catch.hpp>

#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

/// One record of each kind, with a body of `size` bytes where the kind has one.
std::vector<RecordSpec> all_kinds(std::size_t size) {
  std::vector<RecordSpec> specs;
  for (const KindTraits& kind : kKinds) {
    specs.push_back(
        {.kind = kind.kind,
         .tx_id = kind.has_tx ? 0x1122334455667788 : 0,
         .id = kind.has_id ? -5 : 0,
         .user_type = kind.has_user_type ? -56 : 0,
         .body = kind.has_body || kind.has_number ? Buffer(size, std::byte{0x77}) : Buffer(),
         .number = kind.has_number ? 3 : 0});
    if (kind.kind == RecordKind::kCommit) specs.back().body.clear();
  }
  return specs;
}

}  // namespace

TEST_CASE("every kind of record is read in both format versions") {
  for (const std::int32_t version : {1, 2}) {
    for (const std::size_t size : {0UL, 1UL, 255UL, 70'000UL}) {
      JournalBuilder built(77, version);
      for (RecordSpec& spec : all_kinds(size)) {
        spec.compact_count = version == 2 ? 127 : 0;
        built.record(spec);
      }
      check_clean(built);
    }
  }
}

TEST_CASE("the fixed sizes of the kinds are those of Artemis") {
  const std::size_t expected[] = {23, 23, 23, 31, 31, 30, 18, 26, 22, 18};
  const auto specs = all_kinds(0);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    CHECK(record_bytes(specs[i], 1, 2).size() == expected[i]);
    CHECK(record_bytes(specs[i], 1, 1).size() == expected[i] - 1);
    CHECK(kKinds[i].fixed_bytes == expected[i]);
  }
}

TEST_CASE("a record may stand at any offset, whatever fill surrounds it") {
  for (const unsigned fill : {0x00U, 0x4AU}) {
    for (std::size_t offset = 16; offset < 100; ++offset) {
      JournalBuilder built;
      built.pad_to(offset, fill).add(1, 45, hex_bytes("0102")).remove(1).pad_to(200, fill);
      check_clean(built);
      CHECK(scan(built).account.padding_bytes == 200 - 16 - 25 - 18);
    }
  }
}

TEST_CASE("both fills may mix in one file and are no damage") {
  JournalBuilder built;
  built.fill(100, 'J').add(1).fill(100, 0).fill(31, 'J').add(2).fill(7, 0).fill(9, 'J');
  check_clean(built);
  CHECK(scan(built).account.padding_bytes == 247);
}

TEST_CASE("a file without records is header and padding") {
  JournalBuilder built(9);
  built.pad_to(1024);
  const Scan result = scan(built);
  CHECK(result.records.empty());
  CHECK(result.end_of_records == 16);
  CHECK(line_of(result.account) ==
        "header 16 record 0 stale 0 padding 1008 unreadable 0 stale_records 0");
}

TEST_CASE("a file that is no longer than a header, or shorter, is no trouble") {
  const Buffer header = JournalBuilder(1).bytes();
  for (std::size_t size = 0; size <= 16; ++size) {
    const Scan result = scan(Buffer(header.begin(), header.begin() + static_cast<long>(size)));
    CHECK(result.records.empty());
    CHECK(result.account.header_bytes == size);
    CHECK(result.account.total_bytes() == size);
    CHECK(result.end_of_records == 16);
    CHECK_FALSE(result.marked);
  }
}

TEST_CASE("a record that exactly fills the rest of the file fits") {
  for (const std::size_t body : {0UL, 1UL, 1000UL}) {
    JournalBuilder built;
    built.remove(3).add(1, 45, Buffer(body, std::byte{1}));
    check_clean(built);
    CHECK(scan(built).end_of_records == built.bytes().size());
    // One byte less, and it is a torn one.
    Buffer cut = built.bytes();
    cut.pop_back();
    const Scan torn = scan(cut);
    CHECK(torn.records.size() == 1);
    CHECK(torn.end_of_records == 34);
    CHECK(torn.marked);
    REQUIRE(torn.codes() == std::vector<std::string>{"torn-record"});
    const std::string wants =
        body == 0
            ? "the file ends before the 23 bytes that it needs at least"
            : fmt::format("it would need {} bytes, the file has {} left", body + 23, body + 22);
    CHECK(torn.findings[0].text.find(wants) != std::string::npos);
  }
}

TEST_CASE("record images inside a valid body are never seen") {
  const Buffer image = record_bytes({.kind = RecordKind::kDelete, .id = 1}, 1);
  JournalBuilder built;
  built.add(1, 45, BodyBuilder().raw(image).raw(image).bytes()).add(2);
  check_clean(built);
}

TEST_CASE("zeros, block borders and foreign tags do not end a scan") {
  JournalBuilder built(5);
  built.block().add(1).block().fill(40'960).add(2);
  built.raw(record_bytes({.kind = RecordKind::kAdd, .id = 9}, 4)).block().add(3);
  const Scan result = scan(built);
  CHECK(result.records == expected_records(built));
  CHECK(result.records.size() == 3);
}

TEST_CASE("user types and compact counts are signed bytes") {
  JournalBuilder built;
  built.record({.id = 1, .user_type = 200, .compact_count = 255});
  const Scan result = scan(built);
  REQUIRE(result.records.size() == 1);
  CHECK(result.records[0] == "16+23 add tag 1 tx 0 id 1 type -56 compact -1 number 0 body ");
}

TEST_CASE("records come with their ids at the ends of their range") {
  JournalBuilder built;
  built.add(INT64_MIN).add(INT64_MAX).remove(-1).commit(INT64_MIN, INT32_MIN);
  built.prepare(-1, -1);
  check_clean(built);
}

TEST_CASE("only delete records of transactions and updates carry the update flag") {
  for (const KindTraits& kind : kKinds) {
    const Record record{.kind = kind.kind};
    CHECK(record.is_update() == (kind.name.starts_with("update") || kind.name == "delete_tx"));
  }
}

TEST_CASE("in reclaimed mode records of earlier lives come out with those of the present one") {
  JournalBuilder built(3);
  built.add(1, 45, Buffer(50, std::byte{1})).add(2, 45, Buffer(50, std::byte{2})).add(3).remove(2);
  built.pad_to(400);
  const std::vector<PlacedSpec> old = built.records();
  built.reuse(7).add(10).add(11);
  const Scan plain = scan(built);
  CHECK(plain.records == expected_records(built));
  CHECK(plain.codes().empty());
  const Scan all = scan(built, {.reclaimed = true});
  std::vector<std::string> expected = expected_records(built);
  for (const PlacedSpec& placed : old) {
    if (placed.offset >= built.at()) expected.push_back(line_of(placed, 3));
  }
  CHECK(expected.size() == 5);
  CHECK(all.records == expected);
  // What the bytes are does not depend on what is shown of them.
  CHECK(line_of(all.account) == line_of(plain.account));
  CHECK(all.end_of_records == plain.end_of_records);
  CHECK(all.codes().empty());
}

TEST_CASE("in reclaimed mode damage of the present life is still reported with its place") {
  JournalBuilder built(7);
  built.add(1, 45, Buffer(50, std::byte{1})).add(2).add(3).pad_to(400);
  built.flip(built.records()[1].offset + 17, 1);
  const Scan plain = scan(built);
  const Scan all = scan(built, {.reclaimed = true});
  CHECK(all.text() == plain.text());
  REQUIRE(all.findings.size() == 1);
  CHECK(all.findings[0].id == 2);
}

TEST_CASE("a batch may be handed back, moved away, or be a new one each time") {
  JournalBuilder built;
  for (int i = 0; i < 200; ++i) built.add(i, 45, Buffer(100, static_cast<std::byte>(i)));
  const auto file = memory_file(built.bytes());
  FileScanner scanner(*file, header_of(built.bytes()), {.window_bytes = 1000});
  Batch batch;
  std::vector<Batch> kept;
  std::vector<std::string> lines;
  for (int turn = 0;; ++turn) {
    const auto more = scanner.next(batch);
    REQUIRE(more);
    if (!*more) break;
    for (const Record& record : batch.records) lines.push_back(line_of(record));
    if (turn % 3 == 0) kept.push_back(std::move(batch));
    if (turn % 3 == 1) batch = {};
  }
  CHECK(lines == expected_records(built));
  CHECK(scanner.record_count() == 200);
  std::size_t still_there = 0;
  for (const Batch& old : kept) {
    for (const Record& record : old.records) {
      if (line_of(record) == lines[static_cast<std::size_t>(record.id)]) ++still_there;
    }
  }
  CHECK(still_there > 0);
  CHECK(still_there % kept.front().records.size() == 0);
}

TEST_CASE("once a file is read to its end there is nothing more") {
  JournalBuilder built;
  built.add(1);
  const auto file = memory_file(built.bytes());
  FileScanner scanner(*file, header_of(built.bytes()));
  Batch batch;
  CHECK(scanner.next(batch) == true);
  for (int i = 0; i < 3; ++i) {
    CHECK(scanner.next(batch) == false);
    CHECK(batch.records.empty());
  }
  CHECK(scanner.account().total_bytes() == built.bytes().size());
}

TEST_CASE("accounts add up class by class") {
  ByteAccount sum;
  for (const ByteClass kind : {ByteClass::kHeader, ByteClass::kRecord, ByteClass::kStale,
                               ByteClass::kPadding, ByteClass::kUnreadable}) {
    sum.add(kind, 1U << (2 * static_cast<unsigned>(kind)));
  }
  CHECK(line_of(sum) == "header 1 record 4 stale 16 padding 64 unreadable 256 stale_records 0");
  sum.stale_records = 3;
  ByteAccount twice = sum;
  twice.add(sum);
  CHECK(twice.total_bytes() == 2 * 341);
  CHECK(twice.stale_records == 6);
}

namespace {

/// A file that fails to be read at some place, or that is cut while it is read.
class FaultyFile final : public ReadableFile {
 public:
  FaultyFile(Buffer content, std::uint64_t fail_at, std::uint64_t claimed_size)
      : content_(std::move(content)), fail_at_(fail_at), claimed_size_(claimed_size) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return claimed_size_; }
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset,
                                            std::span<std::byte> to) const override {
    if (offset + to.size() > fail_at_) return fail(ErrorCode::kIo, "cannot read", "disk");
    if (offset >= content_.size()) return std::size_t{0};
    const std::size_t count = std::min<std::size_t>(to.size(), content_.size() - offset);
    std::copy_n(content_.begin() + static_cast<std::ptrdiff_t>(offset), count, to.begin());
    return count;
  }

 private:
  Buffer content_;
  std::uint64_t fail_at_;
  std::uint64_t claimed_size_;
};

}  // namespace

TEST_CASE("a failing disk is an error, after the records in front of it") {
  JournalBuilder built;
  for (int i = 0; i < 50; ++i) built.add(i, 45, Buffer(77));
  const FaultyFile file(built.bytes(), 3000, built.bytes().size());
  FileScanner scanner(file, {.id = 1}, {.window_bytes = 256});
  Batch batch;
  std::size_t count = 0;
  auto more = scanner.next(batch);
  for (; more && *more; more = scanner.next(batch)) count += batch.records.size();
  REQUIRE_FALSE(more);
  CHECK(more.error().code == ErrorCode::kIo);
  CHECK(count >= 25);
  CHECK(count <= 29);
}

TEST_CASE("a file that is cut while it is read ends where it ends by then") {
  JournalBuilder built;
  for (int i = 0; i < 50; ++i) built.add(i, 45, Buffer(77));
  for (std::size_t length = 16; length < built.bytes().size(); length += 37) {
    const Buffer& bytes = built.bytes();
    const FaultyFile file(Buffer(bytes.begin(), bytes.begin() + static_cast<long>(length)),
                          UINT64_MAX, bytes.size());
    const Scan result = scan(file, {.id = 1}, {.window_bytes = 256});
    CHECK(result.records.size() == (length - 16) / 100);
    CHECK(result.account.total_bytes() == length);
  }
}
