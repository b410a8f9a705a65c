#include "tools/verify/verify_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cli/humanise.h"
#include "tools/cli/table.h"
#include "tools/cli/text_width.h"

namespace saranga::verify {
namespace {

using cli::human_count;
using store::PartAccount;

std::string place_of(const Finding& finding) {
  std::string place = cli::printable(finding.file);
  if (finding.offset) place += fmt::format(":{:#x}", *finding.offset);
  if (place.empty() && finding.id) return fmt::format("id {}", *finding.id);
  return place.empty() ? std::string("the store") : place;
}

/// One row of the account: what bytes are called, and how many there are.
struct AccountRow {
  const char* title;
  std::optional<std::uint64_t> (*bytes)(const PartAccount&);
  bool always;
};
constexpr AccountRow kRows[] = {
    {"headers", [](const PartAccount& a) { return std::optional(a.header_bytes); }, false},
    {"live records", [](const PartAccount& a) { return a.live_bytes; }, true},
    {"dead records", [](const PartAccount& a) { return a.dead_bytes(); }, true},
    {"former lives", [](const PartAccount& a) { return std::optional(a.stale_bytes); }, false},
    {"fill", [](const PartAccount& a) { return std::optional(a.padding_bytes); }, false},
    {"unreadable", [](const PartAccount& a) { return std::optional(a.unreadable_bytes); }, true},
    {"ignored files", [](const PartAccount& a) { return std::optional(a.ignored_bytes); }, false},
    {"not read", [](const PartAccount& a) { return std::optional(a.unread_bytes); }, false},
    {"all", [](const PartAccount& a) { return std::optional(a.total_bytes); }, true},
};
// Below the level that tells live records from dead ones.
constexpr AccountRow kRecordsRow = {
    "records", [](const PartAccount& a) { return std::optional(a.record_bytes); }, true};

std::string title_of(std::string_view part) {
  std::string title(part);
  std::ranges::transform(title, title.begin(), [](char c) {
    if (c == '_') return ' ';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return title;
}

void add_row(cli::Table& table, TextBuffer& out, const AccountRow& row,
             const std::vector<PartAccount>& parts) {
  std::vector<std::string> cells = {row.title};
  bool any = row.always;
  for (const PartAccount& part : parts) {
    const auto bytes = row.bytes(part);
    any = any || bytes.value_or(0) != 0;
    cells.push_back(bytes ? human_count(*bytes) : std::string("-"));
  }
  if (any) table.add(out, std::move(cells));
}

}  // namespace

void VerifyText::finding(const Finding& finding) {
  if (!counts_.takes(finding)) return;
  std::vector<Group>& groups = groups_[static_cast<std::size_t>(finding.severity)];
  auto group = std::ranges::find(groups, finding.code, &Group::code);
  if (group == groups.end()) group = groups.insert(groups.end(), {finding.code, {}});
  group->findings.push_back(finding);
}

void VerifyText::end(const store::VerifyReport& report, cli::ExitCode /*code*/) {
  print_severity(Severity::kDamage);
  print_severity(Severity::kWarning);
  print_severity(Severity::kInfo);
  print_account(report);
  print_closing(report);
}

void VerifyText::print_severity(Severity severity) {
  const std::vector<Group>& groups = groups_[static_cast<std::size_t>(severity)];
  if (groups.empty()) return;
  TextBuffer& out = output_.buffer();
  out.put(severity == Severity::kDamage    ? "DAMAGE\n"
          : severity == Severity::kWarning ? "WARNINGS\n"
                                           : "GOOD TO KNOW\n");
  for (const Group& group : groups) print_group(group);
  out.put('\n');
}

void VerifyText::print_group(const Group& group) {
  for (const Finding& finding : group.findings) print_finding(finding);
  const std::uint64_t left_out = counts_.left_out(group.code);
  if (left_out == 0) return;
  output_.buffer().put(fmt::format("  … and {} more of {}; --limit 0 shows all\n",
                                   human_count(left_out), group.code));
  output_.flush();
}

void VerifyText::print_finding(const Finding& finding) {
  TextBuffer& out = output_.buffer();
  out.put(fmt::format("  {}: {} [{}]\n", place_of(finding), cli::printable(finding.text),
                      finding.code));
  if (!finding.next.empty()) out.put(fmt::format("      {}\n", cli::printable(finding.next)));
  constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
  if (out.size() >= kFlushBytes) output_.flush();
}

void VerifyText::print_account(const store::VerifyReport& report) {
  std::vector<PartAccount> parts = report.parts;
  parts.push_back(report.total());
  std::vector<cli::Column> columns = {{.title = "BYTES"}};
  for (const PartAccount& part : parts) {
    columns.push_back({.title = title_of(part.part), .kind = cli::Column::Kind::kNumber});
  }
  cli::Table table(std::move(columns), std::nullopt);
  TextBuffer& out = output_.buffer();
  const bool split = report.level >= store::CheckLevel::kTransactions;
  for (const AccountRow& row : kRows) {
    const bool of_records = row.bytes == kRows[1].bytes || row.bytes == kRows[2].bytes;
    if (!split && of_records) {
      if (row.bytes == kRows[1].bytes) add_row(table, out, kRecordsRow, parts);
      continue;
    }
    add_row(table, out, row, parts);
  }
  table.finish(out);
  out.put('\n');
}

void VerifyText::print_closing(const store::VerifyReport& report) {
  const std::uint64_t damage = counts_.of(Severity::kDamage);
  const std::uint64_t warnings = counts_.of(Severity::kWarning);
  const PartAccount total = report.total();
  std::string verdict = "nothing is wrong";
  if (damage != 0) {
    verdict = cli::human_plural(damage, "place") + (damage == 1 ? " is" : " are") +
              " damaged, lost or unreadable";
    if (warnings != 0) verdict += ", " + cli::human_plural(warnings, "warning");
  } else if (warnings != 0) {
    verdict = "nothing is damaged, " + cli::human_plural(warnings, "warning");
  }
  std::string what = fmt::format("{} in {}", cli::human_bytes(total.total_bytes),
                                 cli::human_plural(total.file_count, "file"));
  if (report.level > store::CheckLevel::kHeader) {
    // Which messages of pages are live is only known where the parts are compared.
    const auto& paged = report.live_paged_message_count;
    what += fmt::format(
        ", {}, {} in the journal, {} in pages{}", cli::human_plural(report.record_count, "record"),
        cli::human_plural(report.message_count, "live message"),
        human_count(paged.value_or(report.paged_message_count)), paged ? "" : " (live or not)");
  }
  output_.buffer().put(fmt::format("Checked to level {}: {}: {}.\n",
                                   store::level_name(report.level), what, verdict));
}

}  // namespace saranga::verify
