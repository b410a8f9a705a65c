#include "tools/cmd_data_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "saranga/store/cross_findings.h"
#include "tools/cli/command_line.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/humanise.h"
#include "tools/cli/verb_options.h"
#include "tools/export/archive_export.h"
#include "tools/export/csv_export.h"
#include "tools/export/sqlite_export.h"
#include "tools/export/xml_export.h"

namespace saranga::cli {
namespace {

using store::LiveMessage;
using store::MessageOnQueue;
using store::MessageState;

constexpr const char* kVerb = "saranga data export";

struct Options {
  VerbOptions verb;
  FilterOptions filter;
  std::int64_t log_interval = 0;
  std::string undefined_prefix = "UndefinedQueue_";
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(
      line, options.verb, {"xml", "jsonl", "sqlite", "csv"},
      "xml (what `artemis data imp` reads), jsonl (an archive without loss), sqlite (a "
      "database) or csv (a line a message)");
  add_now_option(line, options.verb);
  add_filter_options(line, options.filter, FilterScope::kMessages);
  line.option("--log-interval", options.log_interval,
              "tell on standard error after every so many messages; 0 does not");
  line.option("--undefined-prefix", options.undefined_prefix,
              "what the names of queues without a binding begin with, in front of their id");
  line.footer(
      "Nothing is ever written to the store. What the format cannot carry is counted at the end;\n"
      "with --strict that makes exit code 2.\n"
      "Exit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

/// Hands on the messages that fit the filter, each with those of its queues that fit.
class Exporter final : public store::WholeMessageVisitor {
 public:
  Exporter(VerbRun& run, const store::LoadedStore& store, const Options& options,
           store::Filter& filter, exporting::ExportTarget& target, exporting::Losses& losses)
      : run_(run),
        store_(store),
        options_(options),
        filter_(filter),
        window_(options.filter),
        target_(target),
        losses_(losses) {}

  bool wants_message(const store::Message& message) override { return filter_.may_match(message); }
  bool message(const LiveMessage& message, std::span<const MessageOnQueue> queues,
               bool more) override;
  bool later(const LiveMessage& message, const MessageOnQueue& place) override;

  [[nodiscard]] const exporting::ExportCounts& counts() const { return counts_; }
  [[nodiscard]] bool saw_all() const { return saw_all_; }

 private:
  [[nodiscard]] bool goes_on();
  void choose(const LiveMessage& message, std::span<const MessageOnQueue> queues);
  void tell_progress() const;

  VerbRun& run_;
  const store::LoadedStore& store_;
  const Options& options_;
  store::Filter& filter_;
  Window window_;
  exporting::ExportTarget& target_;
  exporting::Losses& losses_;
  std::vector<MessageOnQueue> chosen_;
  journal::IdSet split_;  // exported messages of which more is to come
  exporting::ExportCounts counts_;
  bool saw_all_ = true;
};

void Exporter::choose(const LiveMessage& message, std::span<const MessageOnQueue> queues) {
  chosen_.clear();
  for (const MessageOnQueue& on : queues) {
    if (!filter_.wants_queue(on.queue_id, on.queue)) continue;
    if (!filter_.selects_all() && !filter_.matches(store::on_queue(message, on))) continue;
    if (on.state == MessageState::kInDoubtSend && !target_.takes_prepared()) {
      losses_.add("messages that prepared transactions have sent: left out");
    } else {
      chosen_.push_back(on);
    }
  }
}

bool Exporter::goes_on() {
  if (!run_.must_stop() && !window_.full()) return true;
  saw_all_ = false;
  return false;
}

bool Exporter::message(const LiveMessage& message, std::span<const MessageOnQueue> queues,
                       bool more) {
  if (!goes_on()) return false;
  choose(message, queues);
  if (chosen_.empty() || !window_.takes()) return true;
  if (message.facts.damaged) {
    run_.findings().finding(store::undecodable_message(message, "exported"));
  }
  store::report_cut_body(store_, message, store::BodyDepth::kWhole, run_.findings());
  target_.message(message, chosen_, more);
  if (more) split_.insert(message.id);
  ++counts_.messages;
  counts_.references += chosen_.size();
  tell_progress();
  return true;
}

bool Exporter::later(const LiveMessage& message, const MessageOnQueue& place) {
  if (!split_.contains(message.id)) return this->message(message, {&place, 1}, true);
  choose(message, {&place, 1});
  if (chosen_.empty()) return true;
  target_.later(message, place);
  ++counts_.references;
  return true;
}

void Exporter::tell_progress() const {
  const auto interval = static_cast<std::uint64_t>(options_.log_interval);
  if (options_.log_interval <= 0 || counts_.messages % interval != 0) return;
  run_.context().say(fmt::format("exported {} messages", counts_.messages));
}

exporting::ExportScope scope_of(const bindings::Catalog& catalog, store::Filter& filter,
                                const Options& options) {
  exporting::ExportScope scope{.whole = !filter.says_queue() && !filter.says_address(),
                               .every_message = filter.selects_all() &&
                                                options.filter.limit.value_or(0) == 0 &&
                                                options.filter.offset == 0};
  std::set<std::string, std::less<>> hosts;
  for (const auto& [id, queue] : catalog.queues()) {
    if (!scope.whole &&
        !(filter.wants_queue(queue.id, &queue) && filter.wants_address(queue.address))) {
      continue;
    }
    scope.queues.push_back(&queue);
    hosts.insert(queue.address);
  }
  for (const auto& [id, address] : catalog.addresses()) {
    if (scope.whole || hosts.contains(address.name)) scope.addresses.push_back(&address);
  }
  return scope;
}

std::unique_ptr<exporting::ExportTarget> make_target(VerbRun& run, const Options& options,
                                                     const store::LoadedStore& store,
                                                     exporting::Losses& losses) {
  if (options.verb.format == "jsonl") {
    return std::make_unique<exporting::ArchiveExport>(store, options.verb.store.store, run.output(),
                                                      run.findings());
  }
  if (options.verb.format == "csv") {
    return std::make_unique<exporting::CsvExport>(store, run.output(), losses, run.findings());
  }
  if (options.verb.format == "sqlite") {
    return std::make_unique<exporting::SqliteExport>(store, options.verb.store.store,
                                                     run.output().beside(), losses, run.findings());
  }
  return std::make_unique<exporting::XmlExport>(
      store, run.output(),
      exporting::XmlExport::Options{.undefined_prefix = options.undefined_prefix}, losses,
      run.findings());
}

void tell_losses(const Context& context, const Options& options, const exporting::Losses& losses) {
  if (options.verb.quiet || losses.counts().empty()) return;
  context.say("not in the export, or not as it was:");
  for (const auto& [kind, count] : losses.counts()) {
    context.say(fmt::format("{:>10}  {}", human_count(count), kind));
  }
}

ExitCode run_export(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto now = run.now_ms();
  if (!now) return run.fail(now.error());
  auto filter = compile_filter(options.filter, *now);
  if (!filter) return run.fail(filter.error());
  const bool packed = options.verb.output.ends_with(".gz");
  if (options.verb.format == "sqlite" && (run.writes_standard_output() || packed)) {
    return run.fail({.code = ErrorCode::kInvalidArgument,
                     .text = "a database is a file that is not packed: name it with --output"});
  }
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const auto loaded = run.load();
  if (!loaded) return run.fail(loaded.error());
  const store::LoadedStore& store = **loaded;
  filter->survey(store);
  exporting::Losses losses;
  const auto target = make_target(run, options, store, losses);
  auto ended = target->begin(scope_of(store.catalog(), *filter, options));
  if (!ended) return run.fail(ended.error());
  Exporter exporter(run, store, options, *filter, *target, losses);
  store::visit_whole_messages(store, exporter, run.findings(), target->order());
  exporting::ExportCounts counts = exporter.counts();
  counts.damage = run.findings().damage();
  ended = target->end(counts);
  if (!ended) return run.fail(ended.error());
  const bool missed =
      tell_selected(context, options.filter, *filter,
                    {.shown = exporter.counts().messages,
                     .saw_all = exporter.saw_all(),
                     .none_text = filter->selects_all() ? "there are no messages in this store"
                                                        : "no message fits the selection",
                     .quiet = options.verb.quiet});
  if (missed) run.warn();
  tell_losses(context, options, losses);
  const ExitCode code = run.finish([](ExitCode) {});
  const bool lossless = losses.counts().empty() || !options.verb.strict;
  return lossless || code > ExitCode::kDamage ? code : ExitCode::kDamage;
}

}  // namespace

ExitCode cmd_data_export(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Export the live messages of a store.", kVerb);
  Options options;
  options.verb.format = "xml";
  add_options(line, options);
  // Artemis' own spelling of these two has no dashes.
  std::vector<std::string> spelled = arguments;
  for (std::string& argument : spelled) {
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    if (name == "log-interval" || name == "undefined-prefix") argument = "--" + argument;
  }
  if (const auto code = parse_arguments(context, line, options.verb, spelled)) return *code;
  return run_export(context, options);
}

}  // namespace saranga::cli
