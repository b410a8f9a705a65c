#include "tools/cmd_data_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/feed.h"
#include "tools/import/import_report.h"
#include "tools/import/import_run.h"

namespace saranga::cli {
namespace {

using importing::ImportRunOptions;
using store::ImportIds;

constexpr const char* kVerb = "saranga data import";

struct Options {
  ImportRunOptions run;
  std::vector<std::string> places;  // INPUT and DIR, as far as they are given
  std::string input;
  std::vector<std::string> rules;
  std::string host;  // of Artemis' command, which needs a broker
  std::int64_t journal_file_bytes = 0;
  std::int64_t unused_number = 0;  // of options that mean nothing here
  bool unused = false;
};

// Those that tell how to reach a broker, and those about how messages are sent to it.
void add_artemis_options(CommandLine& line, Options& options) {
  for (const char* name : {"--host", "--port", "--url", "--user", "--password", "--clientID",
                           "--protocol", "--acceptor"}) {
    line.option(name, options.host).hidden();
  }
  line.option("--commit-interval", options.unused_number).hidden();
  line.flag("--transaction", options.unused).hidden();
  line.flag("--silent", options.run.verb.quiet).hidden();
  line.flag("--sort", options.unused,
            "no effect: messages keep the order of the export, which is that of their ids");
}

void add_options(CommandLine& line, Options& options) {
  ImportRunOptions& run = options.run;
  line.option("INPUT", options.places,
              "the export, - is standard input; and the new folder, unless --into names a store")
      .count(0, 2);
  line.option("--input", options.input, "the export, as `artemis data imp` has it");
  line.option("--into", run.into, "add to this store, whose broker is stopped, all or nothing");
  line.flag("--force", run.force, "replace a store that is there");
  line.option("--map-queue", options.rules, "A=B: what is for queue A, by name or id, goes to B")
      .many();
  line.flag("--create-queues", run.import.create_queues,
            "make queues that messages are for and nothing declares");
  line.option("--undefined-prefix", run.import.undefined_prefix,
              "what the names of queues made for an id begin with");
  line.flag("--skip-duplicates", run.import.skip_duplicates,
            "leave out what a queue has already, by duplicate id or the sender's id");
  line.flag("--keep-going", run.keep_going, "leave out what cannot be taken, and import the rest");
  line.flag("--legacy-prefixes", run.legacy_prefixes,
            "keep jms.queue. and jms.topic. in front of the names of a 1.x export");
  add_choice<ImportIds>(line, "--ids", run.import.ids,
                        {{"keep", ImportIds::kKeep}, {"new", ImportIds::kNew}},
                        "ids in a new store: as in the export, or new ones");
  line.option("--journal-file-size", options.journal_file_bytes,
              "bytes of a journal file of a new store; 10485760 by default")
      .range(4096, 1 << 30);
  line.option("--format", run.verb.format, "text, json or jsonl (JSON Lines): of the report")
      .one_of({"text", "json", "jsonl"});
  line.option("--output", run.verb.output, "write the report to this file; - is standard output");
  line.flag("--f", run.verb.store.ignored_f,
            "with --into: do not take the lock of Artemis' own commands");
  add_narration_options(line, run.verb);
  add_artemis_options(line, options);
  line.footer(
      "INPUT is XML of `data export` or `artemis data exp`, or an archive (--format jsonl), also "
      "packed\nby gzip. No broker is needed, and none may run on the store.\n"
      "Exit codes: 0 imported, 1 warnings, 2 the input makes no sense, or something was left out,\n"
      "3 could not finish, 4 in use, 64 usage.");
}

Result<void> usage(std::string text) { return fail(ErrorCode::kInvalidArgument, std::move(text)); }

// Which argument is what.
Result<void> place_arguments(Options& options) {
  auto places = options.places;
  if (options.input.empty() && !places.empty()) {
    options.input = places.front();
    places.erase(places.begin());
  }
  if (options.input.empty()) return usage("name the export: a file, or - for standard input");
  options.run.input = options.input;
  if (!options.host.empty()) {
    return usage(
        "an import goes into files, not to a running broker; leave out the options that "
        "tell how to connect, and name a new folder or --into a store");
  }
  if (places.size() > 1) return usage(fmt::format("{}: one argument too many", places.back()));
  if (places.empty() == options.run.into.empty()) {
    return usage("name a new folder, or --into a store that is there");
  }
  if (!places.empty()) options.run.folder = places.front();
  if (options.run.force && !options.run.into.empty())
    return usage("--force belongs to a new folder");
  options.run.verb.store.store = options.run.into;
  if (options.journal_file_bytes != 0) {
    options.run.journal_file_bytes = static_cast<std::uint64_t>(options.journal_file_bytes);
  }
  for (const std::string& rule : options.rules) {
    const std::size_t sign = rule.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == rule.size()) {
      return usage(fmt::format("--map-queue {}: should be A=B", rule));
    }
    const store::QueueRule made{rule.substr(0, sign), rule.substr(sign + 1)};
    const auto& rules = options.run.import.rules;
    const auto other = std::ranges::find(rules, made.from, &store::QueueRule::from);
    if (other != rules.end() && other->to != made.to) {
      return usage(
          fmt::format("--map-queue {}: queue {} goes to {} already", rule, made.from, other->to));
    }
    options.run.import.rules.push_back(made);
  }
  return {};
}

ExitCode run_import(Context& context, Options& options) {
  VerbRun run(context, options.run.verb, kVerb);
  if (auto placed = place_arguments(options); !placed) return run.fail(placed.error());
  if (auto opened = run.open_output({options.run.input, options.run.folder}); !opened)
    return run.fail(opened.error());
  importing::ImportRun import(run, options.run);
  const auto outcome = import.run();
  if (!outcome) return fail_input(run, outcome.error());
  return importing::report_import(run, options.run, *outcome);
}

}  // namespace

ExitCode cmd_data_import(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Make a store of an export, or add it to one that is there.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.run.verb, arguments)) return *code;
  return run_import(context, options);
}

}  // namespace saranga::cli
