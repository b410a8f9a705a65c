#include "saranga/journal/gap_findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace saranga::journal {
namespace {

constexpr std::uint64_t kSmallestBlock = 512;

std::string describe_near(const Gap& gap) {
  const NearRecord& near = *gap.near;
  const KindTraits& kind = traits(near.kind);
  std::string text = fmt::format("looks like a record of kind {}, {} {}", kind.name,
                                 kind.has_id ? "id" : "transaction", near.id);
  if (kind.has_user_type) text += fmt::format(", record type {}", near.user_type);
  text += ": " + near.problem;
  if (gap.near_count > 1) text += fmt::format(" ({} such places)", gap.near_count);
  return text;
}

// How often the three bytes of the replacement character U+FFFD stand in the file; 0 when there is
// any other byte from 80 up. No real journal is without such bytes: -1 alone has them.
std::uint64_t replaced_bytes(const ReadableFile& file) {
  static constexpr std::byte kReplacement[] = {std::byte{0xEF}, std::byte{0xBF}, std::byte{0xBD}};
  std::vector<std::byte> window(std::size_t{1} << 16);
  std::uint64_t count = 0;
  std::size_t matched = 0;
  for (std::uint64_t offset = 0; offset < file.size_bytes();) {
    const auto got = file.read_at(offset, window);
    if (!got || *got == 0) return 0;
    for (const std::byte byte : Bytes(window).first(*got)) {
      if (matched == 0 && byte < std::byte{0x80}) continue;
      if (byte != kReplacement[matched]) return 0;
      if (++matched == std::size(kReplacement)) {
        matched = 0;
        ++count;
      }
    }
    offset += *got;
  }
  return count;
}

// Recognises a file that some program took for text. Sizes are wrong everywhere in it, so that one
// finding says more than one for each record.
std::optional<Finding> text_filtered(const FileScanner& scanner) {
  static constexpr std::uint64_t kMany = 8;
  const auto unreadable = [](const Gap& gap) { return gap.kind == ByteClass::kUnreadable; };
  if (std::ranges::none_of(scanner.gaps(), unreadable)) return std::nullopt;
  const std::uint64_t replaced = replaced_bytes(scanner.file());
  if (replaced < kMany) return std::nullopt;
  std::uint64_t near = 0;
  for (const Gap& gap : scanner.gaps()) near += gap.near_count;
  return Finding{
      .code = "text-filtered",
      .severity = Severity::kDamage,
      .offset = 0,
      .length_bytes = scanner.account().total_bytes(),
      .text = fmt::format("every byte from 80 up has become EF BF BD, {} times: a program"
                          " took the file for text; {} places in it look like records,"
                          " {} whole ones are left, and what they say may be changed",
                          replaced, near, scanner.record_count())};
}

// A block that an ASYNCIO journal had not written when it crashed still holds a previous life.
bool is_hole(const Gap& gap) { return (gap.offset + gap.length_bytes) % kSmallestBlock == 0; }

Finding describe(const Gap& gap) {
  Finding finding{.code = "record-damaged",
                  .severity = gap.followed_by_record ? Severity::kDamage : Severity::kWarning,
                  .offset = gap.near ? gap.near->offset : gap.offset,
                  .length_bytes = gap.length_bytes,
                  .text = {}};
  if (gap.near) finding.id = gap.near->id;
  if (gap.kind == ByteClass::kStale) {
    const bool hole = is_hole(gap);
    finding.code = hole ? "hole-between-records" : "record-tag-damaged";
    finding.severity = hole ? Severity::kWarning : Severity::kDamage;
    finding.text = fmt::format(
        "{} bytes of records with another tag than the file's stand between "
        "its records",
        gap.length_bytes);
    return finding;
  }
  if (gap.near && gap.near->early_bytes != 0) {
    finding.code = "record-written-short";
    finding.severity = Severity::kInfo;
    finding.text = describe_near(gap) +
                   fmt::format(
                       "; the right check size stands {} bytes early: an old release computed "
                       "the length wrongly, and no broker reads the record",
                       gap.near->early_bytes);
    return finding;
  }
  if (gap.followed_by_record) {
    finding.text = gap.near
                       ? describe_near(gap)
                       : fmt::format("{} bytes between records are no record", gap.length_bytes);
    return finding;
  }
  finding.code = gap.near ? "torn-record" : "garbage-behind-records";
  finding.at_tail = true;
  finding.text =
      gap.near ? describe_near(gap) + "; nothing readable follows in the file"
               : fmt::format("{} bytes behind the last record are no record", gap.length_bytes);
  return finding;
}

// Brokers make every file in its full size before they write to it, so a shorter one that ends
// within a record was cut afterwards.
void say_cut(std::uint64_t missing_bytes, Finding& finding) {
  finding.code = "file-cut";
  finding.severity = Severity::kDamage;
  finding.at_tail = false;
  finding.text = fmt::format(
      "the file ends within a record, and {} bytes short of the usual size: it was cut, and what "
      "stood in them is lost",
      missing_bytes);
}

}  // namespace

void report_gaps(const FileScanner& scanner, std::string_view file, std::uint64_t missing_bytes,
                 FindingSink& sink) {
  if (auto filtered = text_filtered(scanner)) {
    filtered->file = std::string(file);
    return sink.finding(std::move(*filtered));
  }
  for (const Gap& gap : scanner.gaps()) {
    Finding finding = describe(gap);
    if (finding.code == "torn-record" && missing_bytes != 0) say_cut(missing_bytes, finding);
    finding.file = std::string(file);
    sink.finding(std::move(finding));
  }
}

}  // namespace saranga::journal
