#include "tools/import/import_report.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "tools/cli/humanise.h"
#include "tools/cli/json_report.h"
#include "tools/cli/json_writer.h"

namespace saranga::importing {
namespace {

using store::ImportReport;

/// A number of the report: its name in JSON, and what people are told of it.
struct Figure {
  std::string_view name;
  std::string_view text;
  std::uint64_t ImportReport::* member;
};

constexpr std::array kFigures = {
    Figure{"message_count", "messages", &ImportReport::messages},
    Figure{"reference_count", "of them on queues", &ImportReport::references},
    Figure{"large_message_count", "with a body in a file", &ImportReport::large_messages},
    Figure{"paged_count", "in pages", &ImportReport::paged_messages},
    Figure{"unpaged_count", "that were in pages, and are in the journal now",
           &ImportReport::unpaged_messages},
    Figure{"before_pages_count",
           "of them on queues whose address has older ones in pages, behind these",
           &ImportReport::before_pages},
    Figure{"duplicate_count", "left out: their queue has them", &ImportReport::duplicates},
    Figure{"without_id_count",
           "without a duplicate id or one of their sender: imported, though their queue may have "
           "them",
           &ImportReport::without_key},
    Figure{"lost_body_count", "large messages without their whole body",
           &ImportReport::lost_bodies},
    Figure{"lost_reference_count",
           "of them on queues without a binding: a broker drops them; see --create-queues, "
           "--map-queue",
           &ImportReport::lost_references},
    Figure{"address_count", "addresses made", &ImportReport::addresses},
    Figure{"queue_count", "queues made", &ImportReport::queues},
    Figure{"setting_count", "settings and other bindings", &ImportReport::settings},
    Figure{"setting_left_out_count", "settings left out: those of the store stay",
           &ImportReport::settings_left_out},
    Figure{"record_count", "duplicate ids and other records", &ImportReport::records},
    Figure{"record_left_out_count", "other records left out", &ImportReport::records_left_out},
    Figure{"transaction_count", "transactions in doubt", &ImportReport::transactions},
};

void tell(cli::VerbRun& run, const ImportRunOptions& options, const ImportOutcome& outcome) {
  if (options.verb.quiet) return;
  const std::string& target = options.into.empty() ? options.folder : options.into;
  std::string text = fmt::format("{}:\n", target);
  for (const Figure& figure : kFigures) {
    const std::uint64_t count = outcome.report.*figure.member;
    if (count != 0 || figure.member == &ImportReport::messages) {
      text += fmt::format("{:>12}  {}\n", cli::human_count(count), figure.text);
    }
  }
  if (outcome.read.left_out != 0) {
    text += fmt::format("{:>12}  left out: they cannot be taken\n",
                        cli::human_count(outcome.read.left_out));
  }
  for (const std::string& from : outcome.report.unused_rules) {
    text += fmt::format("{:>12}  for queue {}: a rule of --map-queue that did nothing\n", "nothing",
                        from);
  }
  run.output().put(text);
}

}  // namespace

cli::ExitCode report_import(cli::VerbRun& run, const ImportRunOptions& options,
                            const ImportOutcome& outcome) {
  const ImportReport& done = outcome.report;
  if (done.lost_bodies != 0 || done.lost_references != 0 || !done.unused_rules.empty()) run.warn();
  if (options.verb.format == "text") {
    tell(run, options, outcome);
    return run.finish([](cli::ExitCode) {});
  }
  using Form = cli::JsonReport::Form;
  const std::string& target = options.into.empty() ? options.folder : options.into;
  cli::JsonReport report(run.output(),
                         options.verb.format == "json" ? Form::kDocument : Form::kLines,
                         {.schema = "saranga.import/1", .store = target});
  return run.finish([&](cli::ExitCode code) {
    cli::JsonWriter& summary = report.begin_summary();
    summary.field("form", outcome.read.form);
    for (const Figure& figure : kFigures) {
      summary.field(figure.name, outcome.report.*figure.member);
    }
    summary.field("left_out_count", outcome.read.left_out);
    summary.key("unused_rules");
    summary.begin_array();
    for (const std::string& from : done.unused_rules) summary.value(from);
    summary.end_array();
    summary.field("complete", outcome.read.complete);
    report.end_summary(code);
  });
}

}  // namespace saranga::importing
