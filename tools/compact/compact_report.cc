#include "tools/compact/compact_report.h"

#include <fmt/format.h>

#include <string>

#include "tools/cli/humanise.h"
#include "tools/cli/json_report.h"
#include "tools/cli/table.h"

namespace saranga::cli {
namespace {

constexpr std::size_t kNamedAtMost = 10;

std::uint64_t freed_bytes(const CompactedJournal& journal) {
  const journal::CompactionFigures& figures = journal.figures;
  if (journal.unchanged || figures.bytes_after > figures.bytes_before) return 0;
  return figures.bytes_before - figures.bytes_after;
}

std::string_view state_of(const CompactedJournal& journal, bool dry_run) {
  if (journal.unchanged) return "unchanged";
  return dry_run ? "planned" : "compacted";
}

/// What it is now, or would be.
struct After {
  std::uint64_t files;
  std::uint64_t bytes;
  std::uint64_t records;
};

After after(const CompactedJournal& journal) {
  const journal::CompactionFigures& figures = journal.figures;
  if (journal.unchanged) {
    return {figures.files_before, figures.bytes_before, figures.records_before};
  }
  return {figures.files_after, figures.bytes_after, figures.records_after};
}

class TextReport final : public CompactReport {
 public:
  TextReport(VerbRun& run, const CompactOptions& options) : run_(run), options_(options) {}
  void finding(const Finding& /*finding*/) override {}
  void outcome(const CompactOutcome& outcome) override {
    TextBuffer& out = run_.output().buffer();
    using Kind = Column::Kind;
    Table table({{.title = "PART"},
                 {.title = "FILES", .kind = Kind::kNumber},
                 {.title = "AFTER", .kind = Kind::kNumber},
                 {.title = "BYTES", .kind = Kind::kNumber},
                 {.title = "AFTER", .kind = Kind::kNumber},
                 {.title = "FREED", .kind = Kind::kNumber},
                 {.title = "RECORDS", .kind = Kind::kNumber},
                 {.title = "AFTER", .kind = Kind::kNumber},
                 {.title = "STATE"}},
                std::nullopt);
    for (const CompactedJournal& journal : outcome.journals) {
      const auto [files, bytes, records] = after(journal);
      table.add(out,
                {std::string(journal.part.name), human_count(journal.figures.files_before),
                 human_count(files), human_bytes(journal.figures.bytes_before), human_bytes(bytes),
                 human_bytes(freed_bytes(journal)), human_count(journal.figures.records_before),
                 human_count(records), std::string(state_of(journal, options_.dry_run))});
    }
    for (const CopiedFolder& folder : outcome.copied) {
      table.add(out, {folder.part, "", "", human_bytes(folder.bytes), human_bytes(folder.bytes), "",
                      "", "", options_.dry_run ? "to be copied" : "copied"});
    }
    table.finish(out);
    for (const CompactedJournal& journal : outcome.journals) notes(out, journal);
    if (!outcome.digest.empty()) out.put("live state unchanged, digest " + outcome.digest + "\n");
  }
  void end(const CompactOutcome& /*outcome*/, ExitCode /*code*/) override {}

 private:
  static void notes(TextBuffer& out, const CompactedJournal& journal) {
    const journal::CompactionFigures& figures = journal.figures;
    if (journal.unchanged) return;
    if (figures.kept_transactions != 0) {
      out.put(fmt::format("{}: {} in doubt, kept as it is\n", journal.part.name,
                          human_plural(figures.kept_transactions, "transaction")));
    }
    if (figures.replaced_updates != 0) {
      out.put(fmt::format("{}: {} left out that a later one replaces\n", journal.part.name,
                          human_plural(figures.replaced_updates, "update")));
    }
    if (!figures.rolled_back.empty()) {
      std::string ids;
      for (std::size_t i = 0; i < figures.rolled_back.size() && i < kNamedAtMost; ++i) {
        ids += fmt::format("{}{}", i == 0 ? "" : ", ", figures.rolled_back[i]);
      }
      if (figures.rolled_back.size() > kNamedAtMost) ids += ", …";
      out.put(fmt::format("{}: {} without an end, rolled back as the next start would: {}\n",
                          journal.part.name,
                          human_plural(figures.rolled_back.size(), "transaction"), ids));
    }
    if (figures.unreadable_bytes != 0) {
      out.put(fmt::format("{}: {} that cannot be read, left behind\n", journal.part.name,
                          human_bytes(figures.unreadable_bytes)));
    }
  }

  VerbRun& run_;
  const CompactOptions& options_;
};

class JsonCompactReport final : public CompactReport {
 public:
  JsonCompactReport(VerbRun& run, const CompactOptions& options)
      : options_(options),
        report_(
            run.output(),
            options.verb.format == "json" ? JsonReport::Form::kDocument : JsonReport::Form::kLines,
            {.schema = "saranga.compact/1", .store = options.verb.store.store}) {}

  void finding(const Finding& finding) override { report_.finding(finding); }
  void outcome(const CompactOutcome& outcome) override {
    report_.begin_list("journals");
    for (const CompactedJournal& journal : outcome.journals) write(journal);
    report_.begin_list("folders");
    for (const CopiedFolder& folder : outcome.copied) {
      JsonWriter& json = report_.begin_object("folder");
      json.field("part", std::string_view(folder.part));
      json.field("total_bytes", folder.bytes);
      report_.end_object();
    }
  }
  void end(const CompactOutcome& outcome, ExitCode code) override {
    JsonWriter& json = report_.begin_summary();
    std::uint64_t freed = 0;
    for (const CompactedJournal& journal : outcome.journals) freed += freed_bytes(journal);
    json.field("dry_run", options_.dry_run);
    json.field("freed_bytes", freed);
    json.key("sha256");
    if (outcome.digest.empty()) {
      json.null();
    } else {
      json.value(std::string_view(outcome.digest));
    }
    report_.end_summary(code);
  }

 private:
  void write(const CompactedJournal& journal) {
    const journal::CompactionFigures& figures = journal.figures;
    const auto [files, bytes, records] = after(journal);
    JsonWriter& json = report_.begin_object("journal");
    json.field("part", journal.part.name);
    json.field("state", state_of(journal, options_.dry_run));
    json.field("files_before", figures.files_before);
    json.field("files_after", files);
    json.field("before_bytes", figures.bytes_before);
    json.field("after_bytes", bytes);
    json.field("freed_bytes", freed_bytes(journal));
    json.field("file_size_bytes", figures.file_size_bytes);
    json.field("alignment_bytes", figures.alignment_bytes);
    json.field("records_before", figures.records_before);
    json.field("records_after", records);
    json.field("record_bytes", figures.record_bytes_before);
    json.field("live_records", figures.live_records);
    json.field("live_bytes", figures.record_bytes_after);
    json.field("replaced_updates", figures.replaced_updates);
    json.field("transactions_kept", figures.kept_transactions);
    json.key("transactions_rolled_back");
    json.begin_array();
    for (const std::int64_t id : figures.rolled_back) json.value(id);
    json.end_array();
    json.field("unreadable_bytes", figures.unreadable_bytes);
    report_.end_object();
  }

  const CompactOptions& options_;
  JsonReport report_;
};

}  // namespace

std::unique_ptr<CompactReport> make_compact_report(VerbRun& run, const CompactOptions& options) {
  if (options.verb.format == "text") return std::make_unique<TextReport>(run, options);
  return std::make_unique<JsonCompactReport>(run, options);
}

}  // namespace saranga::cli
