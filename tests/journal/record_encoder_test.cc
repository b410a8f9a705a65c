// The bytes of records: against the builder of the tests, which shares no code with the encoder,
// against our own reader, and against every record that real brokers have written.
#include "saranga/journal/record_encoder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "saranga/journal/folder.h"
#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

Buffer encoded(const RecordFields& fields, Bytes body) {
  const Bytes pieces[] = {body.first(body.size() / 3), body.subspan(body.size() / 3)};
  Buffer bytes(static_cast<std::size_t>(encoded_bytes(fields.kind, body.size())));
  encode_record(fields, pieces, bytes);
  return bytes;
}

RecordFields fields_of(const Record& record) {
  return {.kind = record.kind,
          .user_type = record.user_type,
          .compact_count = record.compact_count,
          .tag = record.tag,
          .number = record.number,
          .tx_id = record.tx_id,
          .id = record.id};
}

/// The files of a fixture that belong to journals, by path.
std::vector<std::filesystem::path> journal_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SARANGA_FIXTURES)) {
    if (entry.is_regular_file() && journal_kind_of(entry.path().filename().string())) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// Encodes every record of a file again; how many there were.
std::size_t encode_again(const std::filesystem::path& path) {
  const auto folder = open_disk_directory(path.parent_path().string());
  REQUIRE(folder);
  const auto bytes = read_whole(**folder, path.filename().string(), std::uint64_t{1} << 30);
  REQUIRE(bytes);
  if (bytes->size() < kHeaderBytes) return 0;
  const FileHeader header = parse_header(*bytes);
  if (header.format_version != kFormatVersion) return 0;
  const auto file = memory_file(*bytes);
  FileScanner scanner(*file, header);
  Batch batch;
  std::size_t count = 0;
  while (*scanner.next(batch)) {
    for (const Record& record : batch.records) {
      const Bytes original =
          Bytes(*bytes).subspan(static_cast<std::size_t>(record.offset), record.length_bytes);
      if (!std::ranges::equal(encoded(fields_of(record), record.body), original)) {
        FAIL(path << ": the record at " << record.offset << " is encoded differently");
      }
      ++count;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("records of every kind have the bytes that the format asks for") {
  std::mt19937_64 random(11);
  for (const KindTraits& kind : kKinds) {
    for (int round = 0; round < 200; ++round) {
      Buffer body(random() % 300);
      for (std::byte& b : body) b = static_cast<std::byte>(random());
      const RecordFields fields{.kind = kind.kind,
                                .user_type = static_cast<std::int8_t>(random()),
                                .compact_count = static_cast<std::int8_t>(random() % 128),
                                .tag = static_cast<std::int32_t>(random() & 0x7FFFFFFF),
                                .number = static_cast<std::int32_t>(random() % 1000),
                                .tx_id = static_cast<std::int64_t>(random()),
                                .id = static_cast<std::int64_t>(random())};
      const RecordSpec spec{.kind = kind.kind,
                            .tx_id = fields.tx_id,
                            .id = fields.id,
                            .user_type = static_cast<std::uint8_t>(fields.user_type),
                            .body = body,
                            .number = fields.number,
                            .compact_count = fields.compact_count};
      const Buffer bytes = encoded(fields, body);
      INFO(kind.name);
      REQUIRE(bytes == record_bytes(spec, fields.tag));
      const auto parsed = parse_record(bytes, kFormatVersion, 0);
      REQUIRE(parsed);
      CHECK(parsed->length_bytes == bytes.size());
      CHECK(encoded(fields_of(*parsed), parsed->body) == bytes);
    }
  }
}

TEST_CASE("a body may come in any number of pieces, empty ones too") {
  const Buffer body = hex_bytes("01 02 03 04 05");
  const RecordFields fields{.kind = RecordKind::kAdd, .user_type = 5, .tag = 1, .id = 1};
  const Bytes all(body);
  const Bytes pieces[] = {{}, all.first(2), {}, all.subspan(2, 1), all.subspan(3), {}};
  Buffer bytes(28);
  encode_record(fields, pieces, bytes);
  CHECK(bytes == encoded(fields, body));
  CHECK(slices_bytes(pieces) == 5);
  CHECK(slices_bytes({}) == 0);
}

TEST_CASE("every record that a real broker wrote is encoded to its own bytes") {
  std::size_t records = 0;
  std::size_t files = 0;
  for (const std::filesystem::path& path : journal_files()) {
    const std::size_t count = encode_again(path);
    records += count;
    files += count != 0 ? 1 : 0;
  }
  fmt::print("{} records of {} files encoded again\n", records, files);
  CHECK(files > 50);
  CHECK(records > 10'000);
}
