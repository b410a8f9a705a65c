#include "tools/cmd_data_diff.h"

#include <fmt/format.h>

#include "saranga/store/diff.h"
#include "saranga/store/cross_findings.h"
#include "tools/cli/command_line.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/humanise.h"
#include "tools/cli/json_report.h"
#include "tools/cli/table.h"
#include "tools/cli/text_width.h"
#include "tools/cli/verb_options.h"

namespace saranga::cli {
namespace {

using store::CatalogDifference;
using store::Difference;
using store::MessageDifference;

constexpr const char* kVerb = "saranga data diff";

struct Options {
  VerbOptions verb;
  std::string other;
  store::DigestOptions digest;
  FilterOptions filter;
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "json", "jsonl"},
                   "text, json or jsonl (JSON Lines)");
  add_now_option(line, options.verb);
  line.option("OTHER", options.other, "the store to compare with").required();
  line.flag("--ids", options.digest.ids,
            "a message with another id is another message, whatever it holds");
  line.flag("--delivery", options.digest.delivery, "delivery counts and schedules count");
  add_filter_options(line, options.filter, FilterScope::kMessages);
  line.footer(
      "Compares what is live: addresses, queues, messages. `missing` is only in STORE, `extra` "
      "only "
      "in OTHER;\nplaces are in the store that has the message, of the others in STORE. With a "
      "selection only what fits\nis compared. Nothing is ever written to either store.\nExit "
      "codes: 0 no difference, 1 differences or warnings, 2 damage, 3 could not "
      "finish, 64 usage.");
}

std::string other_place(const MessageDifference& message) {
  if (message.difference == Difference::kMoved) return "now on " + message.other_queue;
  return {};
}

// STORE and OTHER are called A and B.
std::string place_of(const MessageDifference& message) {
  return (message.difference == Difference::kExtra ? "B:" : "A:") + message.place;
}

void print_text(VerbRun& run, const Options& options, const store::StoreDifference& difference) {
  TextBuffer& out = run.output().buffer();
  for (const CatalogDifference& entry : difference.catalog) {
    out.put(fmt::format("{} {} {}{}{}\n", difference_name(entry.difference),
                        entry.is_address ? "address" : "queue", entry.name,
                        entry.detail.empty() ? "" : ": ", entry.detail));
  }
  Table table({{.title = "DIFFERENCE"},
               {.title = "QUEUE"},
               {.title = "ID", .kind = Column::Kind::kNumber},
               {.title = "PLACE"},
               {.title = ""}},
              std::nullopt);
  Window window(options.filter);
  for (const MessageDifference& message : difference.messages) {
    if (!window.takes()) continue;
    table.add(out, {std::string(difference_name(message.difference)), message.queue,
                    std::to_string(message.id), place_of(message), other_place(message)});
  }
  table.finish(out);
  if (!difference.empty()) {
    out.put(fmt::format("A is {}, B is {}; missing: only in A, extra: only in B\n",
                        printable(options.verb.store.store), printable(options.other)));
  }
  out.put(fmt::format("{} the same, {} differ\n", human_plural(difference.equal, "message"),
                      human_count(difference.messages.size())));
}

void print_json(JsonReport& report, const Options& options,
                const store::StoreDifference& difference) {
  report.begin_list("catalog");
  for (const CatalogDifference& entry : difference.catalog) {
    JsonWriter& json = report.begin_object(entry.is_address ? "address" : "queue");
    json.field("difference", difference_name(entry.difference));
    json.field("name", Text(entry.name));
    json.field("detail", Text(entry.detail));
    report.end_object();
  }
  report.begin_list("messages");
  Window window(options.filter);
  for (const MessageDifference& message : difference.messages) {
    if (!window.takes()) continue;
    JsonWriter& json = report.begin_object("message");
    json.field("difference", difference_name(message.difference));
    json.field("queue", Text(message.queue));
    json.field("id", message.id);
    json.field("place", Text(message.place));
    if (message.difference == Difference::kMoved) {
      json.field("other_queue", Text(message.other_queue));
      json.field("other_id", message.other_id);
    }
    report.end_object();
  }
}

// The second store is opened like the first, but only STORE says where it is.
Result<std::unique_ptr<store::LoadedStore>> load_other(VerbRun& run, const Options& options) {
  const auto now = run.now_ms();
  if (!now) return std::unexpected(now.error());
  StoreOptions other;
  other.store = options.other;
  auto parts = open_store_parts(run.context(), other, !options.verb.quiet);
  if (!parts) return std::unexpected(parts.error());
  return store::load_store(std::move(*parts), {.now_ms = *now}, run.findings(), run.jobs());
}

ExitCode run_diff(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto now = run.now_ms();
  if (!now) return run.fail(now.error());
  auto first_filter = compile_filter(options.filter, *now);
  if (!first_filter) return run.fail(first_filter.error());
  auto second_filter = compile_filter(options.filter, *now);
  if (auto opened = run.open_output({options.other}); !opened) return run.fail(opened.error());
  std::optional<JsonReport> report;
  if (options.verb.format != "text") {
    report.emplace(
        run.output(),
        options.verb.format == "json" ? JsonReport::Form::kDocument : JsonReport::Form::kLines,
        JsonReport::Head{.schema = "saranga.diff/1", .store = options.verb.store.store});
    run.findings().on_finding([&](const Finding& finding) { report->finding(finding); });
  }
  const auto first = run.load();
  if (!first) return run.fail(first.error());
  const auto second = load_other(run, options);
  if (!second) return run.fail(second.error());
  store::report_lost_bodies(**first, run.findings());
  store::report_lost_bodies(**second, run.findings());
  first_filter->survey(**first);
  second_filter->survey(**second);
  store::DiffOptions how{.digest = options.digest};
  how.digest.interrupted = context.interrupted;
  if (!first_filter->selects_all()) {
    how.first_filter = &*first_filter;
    how.second_filter = &*second_filter;
  }
  const store::StoreDifference difference =
      store::diff_stores(**first, **second, how, run.findings());
  if (!difference.empty()) run.warn();
  if (!report) {
    print_text(run, options, difference);
    return run.finish([](ExitCode) {});
  }
  print_json(*report, options, difference);
  return run.finish([&](ExitCode code) {
    JsonWriter& json = report->begin_summary();
    json.field("equal", difference.equal);
    json.field("different", static_cast<std::uint64_t>(difference.messages.size()));
    report->end_summary(code);
  });
}

}  // namespace

ExitCode cmd_data_diff(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Tell what one store holds and another does not.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_diff(context, options);
}

}  // namespace saranga::cli
