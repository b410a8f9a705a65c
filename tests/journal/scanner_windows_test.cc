// However a file is cut into windows, the same comes out; and what comes out is what a plain scan
// over the whole file finds. On built files, on random ones, and on those of real brokers.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "saranga/journal/folder.h"
#include "tests/journal/reference_scan.h"
#include "tests/journal/scan_helpers.h"

namespace fs = std::filesystem;
using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

constexpr std::uint64_t kSeed = 7'310'881;

/// Files of every sort: what the parts of a random file are made of.
class RandomFile {
 public:
  explicit RandomFile(std::uint64_t seed) : draw_(seed), built_(header_id(), version()) {
    const unsigned parts = below(25);
    for (unsigned i = 0; i < parts; ++i) add_part();
    bytes_ = built_.bytes();
    for (unsigned i = below(4); i > 0 && bytes_.size() > 16; --i) {
      bytes_[16 + below(static_cast<unsigned>(bytes_.size() - 16))] = byte();
    }
    if (below(3) == 0) bytes_.resize(16 + below(static_cast<unsigned>(bytes_.size() - 15)));
  }
  [[nodiscard]] const Buffer& bytes() const { return bytes_; }
  unsigned below(unsigned limit) { return static_cast<unsigned>(draw_() % limit); }

 private:
  std::int64_t header_id() { return below(2) == 0 ? 0x0B : 0x180000000 + below(20); }
  std::int32_t version() { return below(4) == 0 ? 1 : 2; }
  // Mostly bytes that mean something in a journal.
  std::byte byte() {
    static constexpr unsigned kBytes[] = {0, 0, 0, 0x0A, 0x0B, 0x0D, 0x11, 0x12, 0x4A, 0xFF, 0x17};
    return static_cast<std::byte>(below(3) == 0 ? below(256) : kBytes[below(std::size(kBytes))]);
  }
  Buffer bytes(unsigned limit) {
    Buffer bytes(below(limit));
    for (std::byte& b : bytes) b = byte();
    return bytes;
  }
  RecordSpec record() {
    const KindTraits& kind = kKinds[below(kKinds.size())];
    const bool body = kind.has_body || kind.kind == RecordKind::kPrepare;
    return {.kind = kind.kind,
            .tx_id = below(5),
            .id = below(300),
            .user_type = static_cast<std::int32_t>(below(60)),
            .body = body ? bytes(below(10) == 0 ? 400 : 40) : Buffer(),
            .number = static_cast<std::int32_t>(below(4))};
  }
  void add_part() {
    switch (below(9)) {
      case 0: built_.fill(below(90), 0); break;
      case 1: built_.fill(below(40), 'J'); break;
      case 2: built_.raw(bytes(50)); break;
      case 3: built_.block(64); break;
      case 4: add_wrong(); break;
      case 5: add_torn(); break;
      default: built_.record(record()); break;
    }
  }
  void add_wrong() {
    RecordSpec spec = record();
    switch (below(4)) {
      case 0: spec.tag = static_cast<std::int32_t>(below(8)); break;
      case 1: spec.check = static_cast<std::int32_t>(below(100)); break;
      case 2: spec.claimed_length = -static_cast<std::int32_t>(below(40)); break;
      default: spec.claimed_length = INT32_MAX - static_cast<std::int32_t>(below(60)); break;
    }
    built_.record(spec);
  }
  void add_torn() {
    Buffer whole = record_bytes(record(), built_.tag(), 2);
    whole.resize(below(static_cast<unsigned>(whole.size())));
    built_.raw(whole);
  }

  std::mt19937_64 draw_;
  JournalBuilder built_;
  Buffer bytes_;
};

/// What the plain scan finds, in the words of the other one.
std::string reference_text(const Buffer& bytes, bool reclaimed) {
  const ReferenceScan found = reference_scan(bytes, reclaimed);
  std::string text = fmt::format("marked {}\n", found.marked);
  for (const Record& record : found.records) text += line_of(record) + "\n";
  return text;
}

std::string scan_text(const Scan& result) {
  std::string text = fmt::format("marked {}\n", result.marked);
  for (const std::string& line : result.records) text += line + "\n";
  return text;
}

Buffer content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return text_bytes(std::string(std::istreambuf_iterator<char>(in), {}));
}

/// The journal files of all fixtures, without most of their empty tail.
std::vector<std::pair<std::string, Buffer>> fixture_files() {
  std::vector<std::pair<std::string, Buffer>> files;
  for (const auto& entry : fs::recursive_directory_iterator(SARANGA_FIXTURES)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !journal_kind_of(name)) continue;
    Buffer bytes = content_of(entry.path());
    std::size_t used = bytes.size();
    while (used > 0 && (bytes[used - 1] == std::byte{0} || bytes[used - 1] == std::byte{'J'}))
      --used;
    bytes.resize(std::min(bytes.size(), used + 300));
    files.emplace_back(entry.path().string(), std::move(bytes));
  }
  return files;
}

}  // namespace

TEST_CASE("random files: the records are those of a plain scan, in windows of any size") {
  std::size_t records = 0;
  std::size_t gaps = 0;
  for (std::uint64_t round = 0; round < 20'000; ++round) {
    RandomFile file(kSeed + round);
    for (const bool reclaimed : {false, true}) {
      const Scan whole = scan(file.bytes(), {.reclaimed = reclaimed});
      const std::string expected = reference_text(file.bytes(), reclaimed);
      const std::size_t window = 1 + file.below(200);
      const Scan small = scan(file.bytes(), {.reclaimed = reclaimed, .window_bytes = window});
      records += whole.records.size();
      gaps += whole.gaps.size();
      if (scan_text(whole) == expected && small.text() == whole.text()) continue;
      INFO("seed " << kSeed + round << ", reclaimed " << reclaimed << ", window " << window);
      CHECK(scan_text(whole) == expected);
      REQUIRE(small.text() == whole.text());
    }
  }
  CHECK(records > 100'000);  // the files are worth the name
  CHECK(gaps > 50'000);
}

TEST_CASE("random files: damage is told exactly when there are unreadable bytes or odd holes") {
  for (std::uint64_t round = 0; round < 2000; ++round) {
    RandomFile file(kSeed * 3 + round);
    const Scan result = scan(file.bytes());
    std::uint64_t unreadable = 0;
    for (const Finding& finding : result.findings) {
      const bool stale =
          finding.code == "hole-between-records" || finding.code == "record-tag-damaged";
      if (!stale) unreadable += *finding.length_bytes;
    }
    if (unreadable != result.account.unreadable_bytes) {
      INFO("seed " << kSeed * 3 + round << "\n" << result.text());
      REQUIRE(unreadable == result.account.unreadable_bytes);
    }
  }
}

TEST_CASE("a built file with everything in it is the same in windows of 32 bytes up to its size") {
  JournalBuilder built(4);
  for (int i = 0; i < 10; ++i) built.add(i, 45, Buffer(static_cast<std::size_t>(60 * i)));
  built.pad_to(3900).reuse(9).add(20).event(21, 45).prepare(3, 0, Buffer(30));
  built.record({.id = 22, .body = Buffer(40), .check = 1}).remove(20).skip_to(3900);
  built.fill(10, 0x99).block(512).add(23, 45, Buffer(900, std::byte{0x0B})).fill(60, 'J');
  const Scan whole = scan(built);
  CHECK(whole.records.size() == 5);
  CHECK(whole.gaps.size() >= 3);
  for (std::size_t window = 32; window <= built.bytes().size() + 1; ++window) {
    const Scan small = scan(built, {.window_bytes = window});
    if (small.text() != whole.text()) {
      INFO("windows of " << window << " bytes");
      REQUIRE(small.text() == whole.text());
    }
  }
}

TEST_CASE("the files of real brokers: every window size gives the same") {
  const auto files = fixture_files();
  CHECK(files.size() > 60);
  for (const auto& [name, bytes] : files) {
    const Scan whole = scan(bytes);
    for (const std::size_t window : {33UL, 64UL, 509UL, 4096UL, 65'536UL}) {
      if (window < 500 && bytes.size() > 200'000) continue;
      INFO(name << " in windows of " << window << " bytes");
      const Scan small = scan(bytes, {.window_bytes = window});
      if (small.text() != whole.text()) REQUIRE(small.text() == whole.text());
    }
  }
}

TEST_CASE("the files of real brokers: a plain scan finds the same records") {
  for (const auto& [name, bytes] : fixture_files()) {
    for (const bool reclaimed : {false, true}) {
      const Scan result = scan(bytes, {.reclaimed = reclaimed});
      INFO(name << ", reclaimed " << reclaimed);
      if (scan_text(result) != reference_text(bytes, reclaimed)) {
        REQUIRE(scan_text(result) == reference_text(bytes, reclaimed));
      }
    }
  }
}

TEST_CASE("a real file cut anywhere yields the records that fit, and every byte is accounted for") {
  Buffer bytes = content_of(SARANGA_FIXTURES "/badchars/store/journal/activemq-data-1.amq");
  REQUIRE(bytes.size() > 1000);
  const auto file = memory_file(bytes);
  std::vector<std::uint64_t> ends;
  std::vector<std::string> lines;
  FileScanner scanner(*file, header_of(bytes));
  Batch batch;
  while (*scanner.next(batch)) {
    for (const Record& record : batch.records) {
      ends.push_back(record.offset + record.length_bytes);
      lines.push_back(line_of(record));
    }
  }
  REQUIRE(lines.size() > 10);
  for (std::size_t size = 0; size <= scanner.end_of_records() + 40; ++size) {
    const Buffer cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const Scan result = scan(cut);
    const auto fits = static_cast<std::size_t>(
        std::ranges::count_if(ends, [&](std::uint64_t end) { return end <= size; }));
    const bool right = result.records.size() == fits &&
                       std::ranges::equal(result.records, std::span(lines).first(fits));
    if (!right) FAIL("cut to " << size << ": " << result.records.size() << " of " << fits);
    // Nothing is ever worse than a torn end.
    for (const Finding& finding : result.findings) CHECK(finding.severity == Severity::kWarning);
  }
}
