// Reading one record by its place: from bytes, from a file, and through the fetcher.
#include <catch2/catch.hpp>
#include <random>

#include "saranga/journal/record_fetcher.h"
#include "saranga/journal/scanner.h"
#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

RecordSpec big(std::int64_t id, std::size_t size) {
  Buffer body(size);
  for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<std::byte>(i * 7 + i / 256);
  return {.id = id, .user_type = 45, .body = std::move(body)};
}

/// A folder of two files, and the places of their records.
struct TwoFiles {
  TwoFiles() {
    JournalBuilder first(1);
    JournalBuilder second(2, 1);
    std::size_t sizes[] = {0, 10, 4000, 5000, 300'000, 70'000, 1, 2, 600'000, 20};
    std::int64_t id = 1;
    for (const std::size_t size : sizes) {
      first.fill(size % 1000).record(big(id++, size));
      second.record(big(id++, size / 2)).fill(3);
    }
    for (const auto* built : {&first, &second}) {
      const std::size_t file = files.size();
      const std::string name = "activemq-data-" + std::to_string(file + 1) + ".amq";
      directory.put(name, built->bytes());
      files.push_back({.name = name,
                       .size_bytes = built->bytes().size(),
                       .header = parse_header(built->bytes())});
      for (const PlacedSpec& placed : built->records()) {
        places.emplace_back(Place(file, placed.offset), line_of(placed, built->tag()));
      }
    }
  }
  MemoryDirectory directory;
  std::vector<JournalFile> files;
  std::vector<std::pair<Place, std::string>> places;
};

std::string fetched(RecordFetcher& fetcher, Place place) {
  const auto record = fetcher.fetch(place);
  return record ? line_of(*record) : record.error().message();
}

}  // namespace

TEST_CASE("a record is parsed from bytes that hold all of it, whatever its tag") {
  for (const std::int32_t version : {1, 2}) {
    for (const KindTraits& kind : kKinds) {
      const RecordSpec spec{.kind = kind.kind, .tx_id = 7, .id = 8, .user_type = 9, .number = 10};
      const Buffer bytes = record_bytes(spec, -77, version);
      INFO(kind.name << " version " << version);
      const auto whole = parse_record(bytes, version, 4711);
      REQUIRE(whole);
      CHECK(whole->kind == kind.kind);
      CHECK(whole->tag == -77);
      CHECK(whole->offset == 4711);
      CHECK(whole->length_bytes == bytes.size());
      CHECK(whole->tx_id == (kind.has_tx ? 7 : 0));
      CHECK(whole->id == (kind.has_id ? 8 : 0));
      CHECK(whole->user_type == (kind.has_user_type ? 9 : 0));
      CHECK(whole->number == (kind.has_number ? 10 : 0));
      for (std::size_t length = 0; length < bytes.size(); ++length) {
        CHECK_FALSE(parse_record(Bytes(bytes).first(length), version, 0));
      }
      CHECK_FALSE(parse_record(bytes, 3 - version, 0));
    }
  }
}

TEST_CASE("what is no whole valid record is not parsed") {
  const Buffer good = record_bytes({.id = 8, .body = hex_bytes("0102")}, 1);
  REQUIRE(parse_record(good, 2, 0));
  for (unsigned type = 0; type < 256; ++type) {
    Buffer bytes = good;
    bytes[0] = static_cast<std::byte>(type);
    CHECK(parse_record(bytes, 2, 0).has_value() == (type >= 10 && type <= 12));
  }
  for (const std::int32_t length : {-1, INT32_MIN, INT32_MAX, INT32_MAX - 23, 3, 1}) {
    CHECK_FALSE(parse_record(
        record_bytes({.id = 8, .body = hex_bytes("0102"), .claimed_length = length}, 1), 2, 0));
  }
  CHECK_FALSE(parse_record(record_bytes({.id = 8, .check = 24}, 1), 2, 0));
  CHECK_FALSE(parse_record(record_bytes({.id = 8, .check = -23}, 1), 2, 0));
}

TEST_CASE("a record is read from a file by its offset, however long it is") {
  const TwoFiles two;
  for (const auto& [place, line] : two.places) {
    const JournalFile& header = two.files[place.file()];
    const auto file = two.directory.open(header.name);
    REQUIRE(file);
    std::vector<std::byte> buffer;
    const auto record = read_record(**file, header.header.format_version, place.offset(), buffer);
    REQUIRE(record);
    CHECK((line_of(*record) == line));
    CHECK(buffer.size() <= std::max<std::size_t>(4096, record->length_bytes * 16UL));
  }
}

TEST_CASE("where no record stands, or behind the end, reading fails with the place") {
  JournalBuilder built;
  built.add(1, 45, hex_bytes("0102")).pad_to(5000);
  const auto file = memory_file(built.bytes());
  std::vector<std::byte> buffer;
  for (const std::uint64_t offset : {0UL, 15UL, 17UL, 4999UL, 5000UL, 1UL << 40}) {
    const auto record = read_record(*file, 2, offset, buffer);
    REQUIRE_FALSE(record);
    CHECK(record.error().code == ErrorCode::kDamaged);
    CHECK(record.error().offset == offset);
    CHECK(record.error().text == "there is no valid record here");
  }
}

TEST_CASE("a place that holds no record makes nobody read the rest of a long file") {
  JournalBuilder built;
  built.add(1, 45, hex_bytes("0102")).pad_to(4 << 20, 0x0C);
  const auto file = memory_file(built.bytes());
  std::vector<std::byte> buffer;
  for (const std::uint64_t offset : {17UL, 1000UL}) {
    CHECK_FALSE(read_record(*file, 2, offset, buffer));
    CHECK(buffer.size() <= 4096);
  }
}

TEST_CASE("the fetcher gives every record by its place, in order, backwards and at random") {
  const TwoFiles two;
  RecordFetcher fetcher(two.directory, two.files);
  for (const auto& [place, line] : two.places) CHECK((fetched(fetcher, place) == line));
  for (auto at = two.places.rbegin(); at != two.places.rend(); ++at) {
    CHECK((fetched(fetcher, at->first) == at->second));
  }
  std::mt19937_64 draw(3);
  for (int i = 0; i < 300; ++i) {
    const auto& [place, line] = two.places[draw() % two.places.size()];
    if (fetched(fetcher, place) != line) FAIL("place " << place.offset());
  }
}

TEST_CASE("the fetcher never takes the record of one file for that of another") {
  MemoryDirectory directory;
  std::vector<JournalFile> files;
  for (std::int64_t id = 1; id <= 3; ++id) {
    const Buffer bytes = JournalBuilder(id).add(100 + id).add(200 + id).bytes();
    files.push_back({.name = std::to_string(id) + ".amq", .header = parse_header(bytes)});
    directory.put(files.back().name, bytes);
  }
  RecordFetcher fetcher(directory, files);
  for (const std::size_t file : {0UL, 1UL, 2UL, 0UL}) {
    for (const std::uint64_t offset : {16UL, 39UL}) {
      const auto record = fetcher.fetch(Place(file, offset));
      REQUIRE(record);
      CHECK(record->tag == static_cast<std::int32_t>(file) + 1);
    }
  }
}

TEST_CASE("the fetcher reports what is no record any more, and goes on") {
  const TwoFiles two;
  RecordFetcher fetcher(two.directory, two.files);
  const auto& [place, line] = two.places[3];
  CHECK(fetched(fetcher, Place(place.file(), place.offset() + 1)) ==
        fmt::format("offset {:#x}: there is no valid record here", place.offset() + 1));
  CHECK_FALSE(fetcher.fetch(Place(0, std::uint64_t{1} << 39)));
  CHECK((fetched(fetcher, place) == line));
}

TEST_CASE("the fetcher fails when a file has gone") {
  TwoFiles two;
  two.files[1].name = "activemq-data-9.amq";
  RecordFetcher fetcher(two.directory, two.files);
  const auto gone = fetcher.fetch(Place(1, 16));
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == ErrorCode::kNotFound);
  CHECK((fetched(fetcher, two.places[0].first) == two.places[0].second));
}

TEST_CASE("a place packs a file and an offset") {
  for (const std::size_t file : {0UL, 1UL, 77'777UL, (1UL << 24) - 1}) {
    for (const std::uint64_t offset : {0UL, 16UL, 1UL << 31, (1UL << 40) - 1}) {
      const Place place(file, offset);
      CHECK(place.file() == file);
      CHECK(place.offset() == offset);
      CHECK(place == Place(file, offset));
      CHECK_FALSE(place == Place(file + 1, offset));
    }
  }
}
