#include "saranga/journal/gap_findings.h"

#include <fmt/format.h>

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
    finding.text = fmt::format("{} bytes of records with another tag than the file's stand between "
                               "its records",
                               gap.length_bytes);
    return finding;
  }
  if (gap.near && gap.near->early_bytes != 0) {
    finding.code = "record-written-short";
    finding.severity = Severity::kInfo;
    finding.text = describe_near(gap) +
                   fmt::format("; the right check size stands {} bytes early: an old release computed "
                               "the length wrongly, and no broker reads the record",
                               gap.near->early_bytes);
    return finding;
  }
  if (gap.followed_by_record) {
    finding.text = gap.near ? describe_near(gap)
                            : fmt::format("{} bytes between records are no record", gap.length_bytes);
    return finding;
  }
  finding.code = gap.near ? "torn-record" : "garbage-behind-records";
  finding.text = gap.near ? describe_near(gap) + "; nothing readable follows in the file"
                          : fmt::format("{} bytes behind the last record are no record",
                                        gap.length_bytes);
  return finding;
}

}  // namespace

void report_gaps(const FileScanner& scanner, std::string_view file, FindingSink& sink) {
  for (const Gap& gap : scanner.gaps()) {
    Finding finding = describe(gap);
    finding.file = std::string(file);
    sink.finding(std::move(finding));
  }
}

}  // namespace saranga::journal
