#include "tools/cmd_data_stats.h"

#include <fmt/format.h>

#include "saranga/message/record_types.h"
#include "saranga/store/cross_findings.h"
#include "saranga/store/queue_summary.h"
#include "saranga/store/statistics.h"
#include "tools/cli/command_line.h"
#include "tools/cli/filter_options.h"
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
  FilterOptions filter;
};

/// Everything that is told.
struct Answer {
  const store::LoadedStore* store = nullptr;
  store::StoreSummary summary;
  store::RecordCounts records;
  store::MessageHistograms histograms;
  store::Filter* filter = nullptr;  ///< null when everything is counted

  [[nodiscard]] bool shows(const store::ScannedFile& file) const {
    return filter == nullptr || filter->wants_file(file.label);
  }
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "json", "jsonl"},
                   "text (tables), json or jsonl (JSON Lines)");
  add_now_option(line, options.verb);
  add_filter_options(line, options.filter, FilterScope::kMessages);
  line.footer(
      "With a selection, messages and records are counted that fit, and addresses that have such "
      "messages.\nCounts by address, record type and file; messages by size and age. What keeps a "
      "file is "
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
      if (!answer.shows(file)) continue;
      table.add(out,
                {file.label, human_count(file.records), human_bytes(file.account.record_bytes),
                 human_bytes(file.account.stale_bytes), human_bytes(file.account.padding_bytes),
                 human_bytes(file.account.unreadable_bytes)});
    }
  }
  table.finish(out);
  out.put('\n');
}

// `range` names the values from `from` up to `below`, which is 0 for the last bucket.
void print_histogram(TextBuffer& out, std::string_view title, const Histogram& histogram,
                     std::string (*range)(std::uint64_t from, std::uint64_t below)) {
  Table table({{.title = std::string(title)}, {.title = "MESSAGES", .kind = Column::Kind::kNumber}},
              std::nullopt);
  std::uint64_t from = 0;
  std::uint64_t below = 1;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i, from = below, below *= 10) {
    if (histogram.counts[i] == 0) continue;
    const bool rest = i + 1 == Histogram::kBuckets;
    table.add(out, {range(i == 0 ? 0 : from, rest ? 0 : below), human_count(histogram.counts[i])});
  }
  table.finish(out);
  out.put('\n');
}

std::string bytes_range(std::uint64_t from, std::uint64_t below) {
  if (below == 1) return "empty";
  if (below == 0) return fmt::format("from {} bytes", human_count(from));
  return fmt::format("{} to {} bytes", human_count(from), human_count(below - 1));
}

std::string age_range(std::uint64_t from, std::uint64_t below) {
  const auto age = [](std::uint64_t seconds) {
    return human_age(static_cast<std::int64_t>(seconds) * 1000);
  };
  if (below == 1) return "below 1s, or unknown";
  return below == 0 ? "from " + age(from) : age(from) + " to " + age(below);
}

void print_text(TextBuffer& out, const Answer& answer) {
  print_addresses(out, answer);
  print_records(out, answer);
  print_files(out, answer);
  print_histogram(out, "SIZE OF BODY", answer.histograms.body_bytes, bytes_range);
  print_histogram(out, "AGE", answer.histograms.age_seconds, age_range);
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
      if (!answer.shows(file)) continue;
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

Result<Answer> count_all(VerbRun& run) {
  const auto counter = std::make_unique<store::RecordCounter>();
  const auto loaded = run.load(counter.get());
  if (!loaded) return std::unexpected(loaded.error());
  store::report_lost_bodies(**loaded, run.findings());
  return Answer{.store = *loaded,
                .summary = store::summarise_queues(**loaded, run.jobs(), run.findings()),
                .records = counter->counts(),
                .histograms = store::measure_messages(**loaded)};
}

// Leaves the addresses with messages that fit, and what fits of each.
void select_addresses(store::StoreSummary& summary, const store::SelectedMessages& selected) {
  std::erase_if(summary.addresses, [&](AddressSummary& address) {
    const auto found = selected.addresses.find(address.name);
    if (found == selected.addresses.end()) return true;
    address.totals.messages = found->second.messages;
    address.totals.body_bytes = found->second.body_bytes;
    return false;
  });
}

Result<Answer> count_selected(VerbRun& run, const Options& options, store::Filter& filter) {
  const auto now = run.now_ms();
  if (!now) return std::unexpected(now.error());
  const auto counter = std::make_unique<store::RecordCounter>(filter, *now);
  const auto loaded = run.load(counter.get());
  if (!loaded) return std::unexpected(loaded.error());
  store::report_lost_bodies(**loaded, run.findings());
  filter.survey(**loaded);
  const auto selected = store::measure_selected(**loaded, filter, run.findings());
  Answer answer{.store = *loaded,
                .summary = store::summarise_queues(**loaded, run.jobs(), run.findings()),
                .records = counter->counts(),
                .histograms = selected.histograms,
                .filter = &filter};
  select_addresses(answer.summary, selected);
  if (tell_selected(run.context(), options.filter, filter,
                    {.shown = selected.messages,
                     .none_text = "no live message fits the selection",
                     .quiet = options.verb.quiet})) {
    run.warn();
  }
  return answer;
}

ExitCode run_stats(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto now = run.now_ms();
  if (!now) return run.fail(now.error());
  auto filter = compile_filter(options.filter, *now);
  if (!filter) return run.fail(filter.error());
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  std::optional<JsonReport> report;
  if (options.verb.format != "text") {
    report.emplace(
        run.output(),
        options.verb.format == "json" ? JsonReport::Form::kDocument : JsonReport::Form::kLines,
        JsonReport::Head{.schema = "saranga.stats/1", .store = options.verb.store.store});
    run.findings().on_finding([&](const Finding& finding) { report->finding(finding); });
  }
  auto answer = filter->selects_all() ? count_all(run) : count_selected(run, options, *filter);
  if (!answer) return run.fail(answer.error());
  if (!report) {
    print_text(run.output().buffer(), *answer);
    return run.finish([](ExitCode) {});
  }
  print_json(*report, *answer);
  return run.finish([&](ExitCode code) {
    (void)report->begin_summary();
    report->end_summary(code);
  });
}

}  // namespace

ExitCode cmd_data_stats(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Count what is in a store: by address, record type, file, size and age.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_stats(context, options);
}

}  // namespace saranga::cli
