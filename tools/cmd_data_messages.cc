#include "tools/cmd_data_messages.h"

#include <set>
#include <utility>

#include "saranga/store/live_messages.h"
#include "saranga/store/cross_findings.h"
#include "tools/cli/command_line.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/table.h"
#include "tools/cli/verb_options.h"
#include "tools/list/message_printer.h"

namespace saranga::cli {
namespace {

using list::BodyDetail;
using store::LiveMessage;
using store::MessageState;

constexpr const char* kVerb = "saranga data messages";

struct Options {
  VerbOptions verb;
  FilterOptions filter;
  BodyDetail body = BodyDetail::kNone;
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "json", "jsonl", "csv"},
                   "text (a listing), json, jsonl (JSON Lines) or csv");
  add_now_option(line, options.verb);
  print::add_body_option(line, options.body,
                         "how much of bodies to show: none, summary, text, hex or full");
  add_filter_options(line, options.filter, FilterScope::kMessages);
  line.footer(
      "STORE is a data folder, an instance folder or a broker.xml. Nothing is ever written to "
      "it.\nExit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

/// Shows what fits the filter, as far as the window allows.
class Lister final : public store::MessageVisitor {
 public:
  Lister(VerbRun& run, const store::LoadedStore& store, store::Filter& filter,
         const FilterOptions& options, list::MessagePrinter& printer, list::BodyReader& bodies)
      : run_(run),
        store_(store),
        filter_(filter),
        window_(options),
        printer_(printer),
        bodies_(bodies) {
    shown_.complete = !window_.full();
  }

  bool wants_queue(std::int64_t id, const bindings::Queue* queue) override {
    return filter_.wants_queue(id, queue);
  }
  bool wants_unbound_pages() override { return filter_.may_want_orphans(); }
  bool wants_message(const store::Message& message) override { return filter_.may_match(message); }
  bool message(const LiveMessage& message) override;

  [[nodiscard]] const list::MessagesShown& shown() const { return shown_; }

 private:
  void show(const LiveMessage& message);

  VerbRun& run_;
  const store::LoadedStore& store_;
  store::Filter& filter_;
  Window window_;
  list::MessagePrinter& printer_;
  list::BodyReader& bodies_;
  journal::IdSet told_;  // large messages of which was told what is wrong with their body
  list::MessagesShown shown_;
  // What was paged for an id without a binding comes apart from its messages in the journal.
  std::set<std::pair<std::int64_t, bool>> queues_;  // by id, and whether it has its binding
};

bool Lister::message(const LiveMessage& message) {
  if (run_.must_stop()) {
    shown_.complete = false;
    return false;
  }
  if (!filter_.matches(message) || !window_.takes()) return true;
  show(message);
  shown_.limited = window_.full();
  if (shown_.limited) shown_.complete = false;
  return shown_.complete;
}

void Lister::show(const LiveMessage& message) {
  const bool prepared =
      message.state == MessageState::kInDoubtAck || message.state == MessageState::kInDoubtSend;
  ++(prepared ? shown_.prepared : shown_.messages);
  queues_.emplace(message.queue_id, message.queue != nullptr);
  shown_.queues = queues_.size();
  if (message.facts.damaged) {
    run_.findings().finding(store::undecodable_message(message, "shown"));
  }
  // A message may be on many queues, and its body is one.
  if (message.facts.large && !told_.contains(message.id)) {
    told_.insert(message.id);
    store::report_cut_body(store_, message, store::BodyDepth::kLength, run_.findings());
  }
  printer_.message(message, bodies_);
}

ExitCode run_messages(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto now = run.now_ms();
  if (!now) return run.fail(now.error());
  auto filter = compile_filter(options.filter, *now);
  if (!filter) return run.fail(filter.error());
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const auto printer = list::make_message_printer(options.verb.format, run.output(),
                                                  {.store = options.verb.store.store,
                                                   .width = terminal_width(context),
                                                   .detail = options.body,
                                                   .now_ms = *now});
  run.findings().on_finding([&](const Finding& finding) { printer->finding(finding); });
  const auto loaded = run.load();
  if (!loaded) return run.fail(loaded.error());
  filter->survey(**loaded);
  list::BodyReader bodies(**loaded, options.body, run.findings());
  Lister lister(run, **loaded, *filter, options.filter, *printer, bodies);
  if (lister.shown().complete) store::visit_messages(**loaded, lister, run.findings());
  const list::MessagesShown& shown = lister.shown();
  const bool all = filter->selects_all() && options.filter.offset == 0;
  const bool missed = tell_selected(
      context, options.filter, *filter,
      {.shown = shown.messages + shown.prepared,
       .saw_all = shown.complete,
       .none_text = all ? "there are no messages in this store" : "no message fits the selection",
       .quiet = options.verb.quiet});
  if (missed) run.warn();
  return run.finish([&](ExitCode code) { printer->end(shown, code); });
}

}  // namespace

ExitCode cmd_data_messages(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("List the live messages of a store.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_messages(context, options);
}

}  // namespace saranga::cli
