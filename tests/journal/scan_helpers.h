// Scanning built files and collecting everything that comes out.
#pragma once

#include <catch2/catch.hpp>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "saranga/bytes/base64.h"
#include "saranga/bytes/finding.h"
#include "saranga/journal/gap_findings.h"
#include "saranga/journal/scanner.h"
#include "tests/support/journal_builder.h"

namespace saranga::test {

/// A sink that keeps what it gets.
class Findings final : public FindingSink {
 public:
  void finding(Finding finding) override { all.push_back(std::move(finding)); }
  [[nodiscard]] std::vector<std::string> codes() const {
    std::vector<std::string> codes;
    for (const Finding& finding : all) codes.emplace_back(finding.code);
    return codes;
  }
  std::vector<Finding> all;
};

/// A record in one line, with its body, so that two are equal when their lines are.
inline std::string line_of(const journal::Record& record) {
  TextBuffer body;
  append_hex(body, record.body);
  return fmt::format("{}+{} {} tag {} tx {} id {} type {} compact {} number {} body {}",
                     record.offset, record.length_bytes, journal::traits(record.kind).name,
                     record.tag, record.tx_id, record.id, record.user_type, record.compact_count,
                     record.number, body.view());
}

/// The line that a built record should come out as.
inline std::string line_of(const PlacedSpec& placed, std::int32_t tag) {
  const RecordSpec& spec = placed.spec;
  TextBuffer body;
  append_hex(body, spec.body);
  return fmt::format("{}+{} {} tag {} tx {} id {} type {} compact {} number {} body {}",
                     placed.offset, placed.length, journal::traits(spec.kind).name,
                     spec.tag.value_or(tag), spec.tx_id, spec.id,
                     static_cast<std::int8_t>(spec.user_type),
                     static_cast<std::int8_t>(spec.compact_count), spec.number, body.view());
}

inline std::string line_of(const journal::Gap& gap) {
  std::string line =
      fmt::format("{}+{} class {} followed {} near {}", gap.offset, gap.length_bytes,
                  static_cast<int>(gap.kind), gap.followed_by_record, gap.near_count);
  if (gap.near) {
    line += fmt::format(" at {} {} id {} type {} early {}: {}", gap.near->offset,
                        journal::traits(gap.near->kind).name, gap.near->id, gap.near->user_type,
                        gap.near->early_bytes, gap.near->problem);
  }
  return line;
}

/// The account in the order of its classes: header, record, stale, padding, unreadable; records.
inline std::string line_of(const journal::ByteAccount& account) {
  return fmt::format("header {} record {} stale {} padding {} unreadable {} stale_records {}",
                     account.header_bytes, account.record_bytes, account.stale_bytes,
                     account.padding_bytes, account.unreadable_bytes, account.stale_records);
}

/// Everything that a scan of one file gives.
struct Scan {
  std::vector<std::string> records;
  std::vector<std::string> gaps;
  journal::ByteAccount account;
  std::uint64_t count = 0;
  std::uint64_t end_of_records = 0;
  bool marked = false;
  std::vector<Finding> findings;
  std::size_t largest_window_bytes = 0;

  [[nodiscard]] std::vector<std::string> codes() const {
    std::vector<std::string> codes;
    for (const Finding& finding : findings) codes.emplace_back(finding.code);
    return codes;
  }
  /// All in one text, for comparing two scans.
  [[nodiscard]] std::string text() const {
    std::string all =
        fmt::format("{}\nend {} marked {}\n", line_of(account), end_of_records, marked);
    for (const std::string& gap : gaps) all += "gap " + gap + "\n";
    for (const std::string& record : records) all += record + "\n";
    return all;
  }
};

/// The header that the bytes begin with; that of an empty file when they are too short.
inline journal::FileHeader header_of(Bytes content) {
  if (content.size() < journal::kHeaderBytes) return {.id = 1};
  return journal::parse_header(content);
}

/// Scans a file with windows of their own, so that none grows because an earlier one was large.
inline Scan scan(const ReadableFile& file, journal::FileHeader header,
                 journal::ScanOptions options = {}) {
  journal::FileScanner scanner(file, header, options);
  Scan result;
  for (;;) {
    journal::Batch batch;
    const auto more = scanner.next(batch);
    REQUIRE(more);
    result.largest_window_bytes = std::max(result.largest_window_bytes, batch.capacity_bytes);
    if (!*more) break;
    for (const journal::Record& record : batch.records) result.records.push_back(line_of(record));
  }
  for (const journal::Gap& gap : scanner.gaps()) result.gaps.push_back(line_of(gap));
  result.account = scanner.account();
  result.count = scanner.record_count();
  result.end_of_records = scanner.end_of_records();
  result.marked = scanner.marked();
  Findings findings;
  report_gaps(scanner, "journal/file.amq", 0, findings);
  result.findings = std::move(findings.all);
  return result;
}

inline Scan scan(const Buffer& content, journal::ScanOptions options = {}) {
  const auto file = memory_file(content);
  Scan result = scan(*file, header_of(content), options);
  if (result.account.total_bytes() != content.size() || result.count != result.records.size()) {
    FAIL("the account sums up to " << result.account.total_bytes() << " of " << content.size()
                                   << " bytes, records " << result.count);
  }
  return result;
}

inline Scan scan(const JournalBuilder& built, journal::ScanOptions options = {}) {
  return scan(built.bytes(), options);
}

/// The lines of the records that a builder has placed.
inline std::vector<std::string> expected_records(const JournalBuilder& built) {
  std::vector<std::string> lines;
  for (const PlacedSpec& placed : built.records()) lines.push_back(line_of(placed, built.tag()));
  return lines;
}

/// Checks that exactly the built records come out, and nothing is odd.
inline void check_clean(const JournalBuilder& built) {
  const Scan result = scan(built);
  CHECK(result.records == expected_records(built));
  CHECK(result.gaps == std::vector<std::string>{});
  CHECK(result.account.unreadable_bytes == 0);
  CHECK_FALSE(result.marked);
}

}  // namespace saranga::test
