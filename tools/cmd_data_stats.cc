#include "tools/cmd_data_stats.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "saranga/message/record_types.h"
#include "saranga/store/queue_summary.h"
#include "saranga/store/statistics.h"
#include "tools/cli/humanise.h"
#include "tools/cli/json_report.h"
#include "tools/cli/table.h"
#include "tools/cli/verb_options.h"

namespace saranga::cli {
namespace {

using store::AddressSummary;
using store::Histogram;

constexpr const char* kVerb = "saranga data stats";

struct Options {
  VerbOptions verb;
};

/// Everything that is told.
struct Answer {
  const store::LoadedStore* store = nullptr;
  store::StoreSummary summary;
  store::RecordCounts records;
  store::MessageHistograms histograms;
};

void add_options(CLI::App& app, Options& options) {
  add_verb_options(app, options.verb, {"text", "json", "jsonl"},
                   "text (tables), json or jsonl (JSON Lines)");
  add_now_option(app, options.verb);
  app.footer(
      "Counts by address, record type and file; messages by size and age. What keeps a file is "
      "told by `saranga data explain`.\nExit codes: 0 clean, 1 warnings, 2 damage, 3 could not "
      "finish, 64 usage.");
}

std::string_view type_name(std::int8_t type) {
  const RecordType* known = message::find_record_type(type);
  return known == nullptr ? std::string_view("unknown") : known->name;
}

// ---- text ---------------------------------------------------------------------------------------

void print_addresses(TextBuffer& out, const Answer& answer) {
  Table table({{.title = "ADDRESS"},
               {.title = "QUEUES", .kind = Column::Kind::kNumber},
               {.title = "MESSAGES", .kind = Column::Kind::kNumber},
               {.title = "BODIES", .kind = Column::Kind::kNumber},
               {.title = "PAGES", .kind = Column::Kind::kNumber},
               {.title = "PAGE FILES", .kind = Column::Kind::kNumber}},
              std::nullopt);
  for (const AddressSummary& address : answer.summary.addresses) {
    table.add(out, {address.name, human_count(address.queues), human_count(address.totals.messages),
                    human_bytes(address.totals.body_bytes), human_count(address.pages),
                    human_bytes(address.page_bytes)});
  }
  table.finish(out);
  out.put('\n');
}

void print_records(TextBuffer& out, const Answer& answer) {
  Table table({{.title = "RECORDS"},
               {.title = "TYPE"},
               {.title = "COUNT", .kind = Column::Kind::kNumber},
               {.title = "BYTES", .kind = Column::Kind::kNumber}},
              std::nullopt);
  for (const auto& [key, count] : answer.records) {
    const journal::KindTraits& kind = journal::traits(key.first);
    const std::string type =
        kind.has_user_type ? fmt::format("{} {}", key.second, type_name(key.second)) : "";
    table.add(out,
              {std::string(kind.name), type, human_count(count.records), human_bytes(count.bytes)});
  }
  table.finish(out);
  out.put('\n');
}

void print_files(TextBuffer& out, const Answer& answer) {
  Table table({{.title = "FILE"},
               {.title = "RECORDS", .kind = Column::Kind::kNumber},
               {.title = "IN RECORDS", .kind = Column::Kind::kNumber},
               {.title = "STALE", .kind = Column::Kind::kNumber},
               {.title = "FILL", .kind = Column::Kind::kNumber},
               {.title = "UNREADABLE", .kind = Column::Kind::kNumber}},
              std::nullopt);
  for (const auto* journal : {&answer.store->bindings(), &answer.store->journal()}) {
    for (const store::ScannedFile& file : journal->scanned) {
      table.add(out,
                {file.label, human_count(file.records), human_bytes(file.account.record_bytes),
                 human_bytes(file.account.stale_bytes), human_bytes(file.account.padding_bytes),
                 human_bytes(file.account.unreadable_bytes)});
    }
  }
  table.finish(out);
  out.put('\n');
}

void print_histogram(TextBuffer& out, std::string_view title, const Histogram& histogram,
                     std::string_view unit) {
  out.put(title);
  out.put('\n');
  std::uint64_t limit = 1;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i, limit *= 10) {
    if (histogram.counts[i] == 0) continue;
    const bool rest = i + 1 == Histogram::kBuckets;
    out.put(fmt::format("  {} {} {}: {}\n", rest ? "from" : "below",
                        human_count(rest ? limit / 10 : limit), unit,
                        human_count(histogram.counts[i])));
  }
}

void print_text(TextBuffer& out, const Answer& answer) {
  print_addresses(out, answer);
  print_records(out, answer);
  print_files(out, answer);
  print_histogram(out, "Live messages of the journal by size of body", answer.histograms.body_bytes,
                  "bytes");
  print_histogram(out, "Live messages of the journal by age", answer.histograms.age_seconds,
                  "seconds");
}

// ---- JSON ---------------------------------------------------------------------------------------

void write_histogram(JsonWriter& json, std::string_view name, const Histogram& histogram) {
  json.key(name);
  json.begin_array();
  for (const std::uint64_t count : histogram.counts) json.value(count);
  json.end_array();
}

void write_files(JsonReport& report, const Answer& answer) {
  report.begin_list("files");
  for (const auto* journal : {&answer.store->bindings(), &answer.store->journal()}) {
    for (const store::ScannedFile& file : journal->scanned) {
      JsonWriter& json = report.begin_object("file");
      json.field("file", Text(file.label));
      json.field("records", file.records);
      json.field("header_bytes", file.account.header_bytes);
      json.field("record_bytes", file.account.record_bytes);
      json.field("stale_bytes", file.account.stale_bytes);
      json.field("padding_bytes", file.account.padding_bytes);
      json.field("unreadable_bytes", file.account.unreadable_bytes);
      report.end_object();
    }
  }
}

void print_json(JsonReport& report, const Answer& answer) {
  report.begin_list("addresses");
  for (const AddressSummary& address : answer.summary.addresses) {
    JsonWriter& json = report.begin_object("address");
    json.field("name", Text(address.name));
    json.field("queues", address.queues);
    json.field("message_count", address.totals.messages);
    json.field("body_bytes", address.totals.body_bytes);
    json.field("pages", address.pages);
    json.field("page_bytes", address.page_bytes);
    report.end_object();
  }
  report.begin_list("record_types");
  for (const auto& [key, count] : answer.records) {
    const journal::KindTraits& kind = journal::traits(key.first);
    JsonWriter& json = report.begin_object("record_type");
    json.field("kind", kind.name);
    if (kind.has_user_type) {
      json.field("record_type", static_cast<std::int64_t>(key.second));
      json.field("record_name", type_name(key.second));
    }
    json.field("records", count.records);
    json.field("record_bytes", count.bytes);
    report.end_object();
  }
  write_files(report, answer);
  report.begin_list("histograms");
  JsonWriter& json = report.begin_object("histogram");
  write_histogram(json, "body_bytes_below_powers_of_ten", answer.histograms.body_bytes);
  write_histogram(json, "age_seconds_below_powers_of_ten", answer.histograms.age_seconds);
  report.end_object();
}

ExitCode run_stats(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  std::optional<JsonReport> report;
  if (options.verb.format != "text") {
    report.emplace(
        run.output(),
        options.verb.format == "json" ? JsonReport::Form::kDocument : JsonReport::Form::kLines,
        JsonReport::Head{.schema = "saranga.stats/1", .store = options.verb.store.store});
    run.findings().on_finding([&](const Finding& finding) { report->finding(finding); });
  }
  const auto counter = std::make_unique<store::RecordCounter>();
  const auto loaded = run.load(counter.get());
  if (!loaded) return run.fail(loaded.error());
  const Answer answer{.store = *loaded,
                      .summary = store::summarise_queues(**loaded, run.jobs(), run.findings()),
                      .records = counter->counts(),
                      .histograms = store::measure_messages(**loaded)};
  if (!report) {
    print_text(run.output().buffer(), answer);
    return run.finish([](ExitCode) {});
  }
  print_json(*report, answer);
  return run.finish([&](ExitCode code) {
    (void)report->begin_summary();
    report->end_summary(code);
  });
}

}  // namespace

ExitCode cmd_data_stats(Context& context, const std::vector<std::string>& arguments) {
  CLI::App app("Count what is in a store: by address, record type, file, size and age.", kVerb);
  Options options;
  add_options(app, options);
  if (const auto code = parse_arguments(context, app, options.verb, arguments)) return *code;
  return run_stats(context, options);
}

}  // namespace saranga::cli
