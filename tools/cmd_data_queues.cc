#include "tools/cmd_data_queues.h"

#include <algorithm>

#include "saranga/store/cross_findings.h"
#include "saranga/store/queue_summary.h"
#include "tools/cli/command_line.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/table.h"
#include "tools/cli/verb_options.h"
#include "tools/list/queue_printer.h"

namespace saranga::cli {
namespace {

using store::AddressSummary;
using store::QueueSummary;

constexpr const char* kVerb = "saranga data queues";

struct Options {
  VerbOptions verb;
  FilterOptions filter;
  std::string sort = "name";
  bool addresses = false;
  bool non_empty = false;
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "json", "jsonl", "csv"},
                   "text (a table), json, jsonl (JSON Lines) or csv");
  add_now_option(line, options.verb);
  add_filter_options(line, options.filter, FilterScope::kQueues);
  line.flag("--addresses", options.addresses, "list the addresses instead of the queues");
  line.flag("--non-empty", options.non_empty, "leave out what has no messages and no pages");
  line.option("--sort", options.sort, "name, id, messages, bytes or oldest")
      .one_of({"name", "id", "messages", "bytes", "oldest"});
  line.footer(
      "STORE is a data folder, an instance folder or a broker.xml. Nothing is ever written to "
      "it.\nExit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

std::int64_t id_of(const QueueSummary& queue) { return queue.id; }
std::int64_t id_of(const AddressSummary& address) {
  return address.address == nullptr ? INT64_MAX : address.address->id;
}

// They come sorted by name; whatever is equal stays so.
template <class Summary>
void sort_by(std::vector<Summary>& rows, const std::string& key) {
  std::ranges::stable_sort(rows, [&](const Summary& a, const Summary& b) {
    if (key == "id") return id_of(a) < id_of(b);
    if (key == "messages") return a.totals.messages > b.totals.messages;
    if (key == "bytes") return a.totals.body_bytes > b.totals.body_bytes;
    if (key != "oldest" || a.totals.oldest_ms == b.totals.oldest_ms) return false;
    // Nothing is younger than nothing.
    if (a.totals.oldest_ms == 0 || b.totals.oldest_ms == 0) return b.totals.oldest_ms == 0;
    return a.totals.oldest_ms < b.totals.oldest_ms;
  });
}

bool is_empty(const QueueSummary& queue) { return list::total_count(queue.totals) == 0; }
bool is_empty(const AddressSummary& address) {
  return list::total_count(address.totals) == 0 && address.pages == 0;
}

bool wanted(store::Filter& filter, const QueueSummary& queue) {
  if (!filter.wants_queue(queue.id, queue.queue)) return false;
  return filter.wants_address(queue.address);
}

bool wanted(store::Filter& filter, const AddressSummary& address) {
  return filter.wants_address(address.name);
}

// Leaves what is to be shown, in the order asked for.
template <class Summary>
void select(std::vector<Summary>& rows, store::Filter& filter, const Options& options) {
  std::erase_if(rows, [&](const Summary& row) {
    return !wanted(filter, row) || (options.non_empty && is_empty(row));
  });
  sort_by(rows, options.sort);
  Window window(options.filter);
  std::erase_if(rows, [&](const Summary&) { return !window.takes(); });
}

ExitCode run_queues(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto now = run.now_ms();
  if (!now) return run.fail(now.error());
  auto filter = compile_filter(options.filter, *now);
  if (!filter) return run.fail(filter.error());
  if (options.addresses && !options.filter.spec.queues.empty()) {
    return run.fail({.code = ErrorCode::kInvalidArgument,
                     .text = "--addresses lists addresses: --queue makes no sense with it"});
  }
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const auto printer = list::make_queue_printer(
      options.verb.format, run.output(),
      {.store = options.verb.store.store, .width = terminal_width(context), .now_ms = *now});
  run.findings().on_finding([&](const Finding& finding) { printer->finding(finding); });
  const auto loaded = run.load();
  if (!loaded) return run.fail(loaded.error());
  store::report_lost_bodies(**loaded, run.findings());
  filter->survey(**loaded);
  auto summary = store::summarise_queues(**loaded, run.jobs(), run.findings());
  std::size_t shown = 0;
  if (options.addresses) {
    select(summary.addresses, *filter, options);
    printer->addresses(summary.addresses);
    shown = summary.addresses.size();
  } else {
    select(summary.queues, *filter, options);
    printer->queues(summary);
    shown = summary.queues.size();
  }
  const bool missed = tell_selected(
      context, options.filter, *filter,
      {.shown = shown,
       .none_text = options.addresses ? "there is no such address" : "there is no such queue",
       .quiet = options.verb.quiet});
  if (missed) run.warn();
  return run.finish([&](ExitCode code) { printer->end(code); });
}

}  // namespace

ExitCode cmd_data_queues(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Tell what is on the queues of a store.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_queues(context, options);
}

}  // namespace saranga::cli
