#include "tools/cmd_data_compact.h"

#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/compact/compact_report.h"
#include "tools/compact/compact_run.h"

namespace saranga::cli {
namespace {

constexpr const char* kVerb = "saranga data compact";

void add_options(CommandLine& line, CompactOptions& options) {
  add_verb_options(line, options.verb, {"text", "json", "jsonl"},
                   "text (a table), json or jsonl (JSON Lines)");
  line.option("--to", options.to, "write a compacted copy of the whole store into this new folder");
  line.flag("--force", options.force, "replace the folder that --to names");
  line.flag("--dry-run", options.dry_run, "tell what would be done and gained, and do nothing");
  add_choice<CompactCheck>(
      line, "--check", options.check,
      {{"records", CompactCheck::kRecords}, {"state", CompactCheck::kState}},
      "what is compared before the old files go: the records, or the digest of all messages too");
  line.footer(
      "Without --to the journals are compacted where they are, as `artemis data compact` does it; "
      "the broker has\nto be stopped. It can be interrupted at any time, and what a power failure "
      "leaves is finished by the next\nstart or run. No question is asked.\n"
      "Exit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 4 store in use, 64 usage.");
}

ExitCode run_compact(Context& context, const CompactOptions& options) {
  VerbRun run(context, options.verb, kVerb);
  if (options.force && options.to.empty()) {
    return run.fail({.code = ErrorCode::kInvalidArgument, .text = "--force belongs to --to"});
  }
  if (auto opened = run.open_output({options.to}); !opened) return run.fail(opened.error());
  const auto report = make_compact_report(run, options);
  run.findings().on_finding([&](const Finding& finding) { report->finding(finding); });
  CompactRun compaction(run, options);
  const auto outcome = compaction.run();
  if (!outcome) {
    const ExitCode code = run.fail(outcome.error());
    const bool damaged = outcome.error().code == ErrorCode::kDamaged;
    return damaged && code == ExitCode::kFailed ? ExitCode::kDamage : code;
  }
  if (!options.dry_run) run.done("compaction");
  report->outcome(*outcome);
  return run.finish([&](ExitCode code) { report->end(*outcome, code); });
}

}  // namespace

ExitCode cmd_data_compact(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Write the journals of a store anew, with nothing but what is live.", kVerb);
  CompactOptions options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_compact(context, options);
}

}  // namespace saranga::cli
