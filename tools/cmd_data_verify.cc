#include "tools/cmd_data_verify.h"

#include "saranga/store/filter.h"
#include "saranga/store/verify.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/verb_options.h"
#include "tools/verify/verify_printer.h"

namespace saranga::cli {
namespace {

constexpr const char* kVerb = "saranga data verify";
constexpr std::uint64_t kTextLimit = 20;

struct Options {
  VerbOptions verb;
  store::CheckLevel level = store::CheckLevel::kCross;
  std::string target;
  std::uint64_t id_cache_size = 20000;
  std::optional<std::uint64_t> limit{};
  store::FilterSpec selection;
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "json", "jsonl"},
                   "text, json or jsonl (JSON Lines)");
  add_now_option(line, options.verb);
  std::vector<std::pair<std::string, store::CheckLevel>> levels;
  for (const auto level :
       {store::CheckLevel::kHeader, store::CheckLevel::kFraming, store::CheckLevel::kTransactions,
        store::CheckLevel::kBodies, store::CheckLevel::kCross}) {
    levels.emplace_back(store::level_name(level), level);
  }
  add_choice(line, "--level", options.level, levels, "how deep, each with those before it");
  line.option("--limit", options.limit, "findings of each code; 0 = all (text: 20)");
  line.option("--file", options.selection.files,
              "only findings about these files: glob of journal/x.amq or x.amq; may be repeated")
      .many();
  line.option("--id", options.selection.ids,
              "only findings about these ids: 7 or 7,9 or 10-20; may be repeated")
      .many();
  line.option("--target", options.target,
              "tell what this release could not read or would drop: 2.19.0");
  line.option("--id-cache-size", options.id_cache_size,
              "duplicate ids an address may have, as the broker is configured");
  line.footer(
      "Findings go to standard output; docs/findings.md says what each code means. Nothing is "
      "ever written to\nthe store. The last table accounts for every byte.\n"
      "Exit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

// The options that name the store, as a shell takes them again.
std::string store_arguments(const StoreOptions& options) {
  std::string text;
  const auto add = [&](const std::string& word) {
    text += (text.empty() ? "" : " ") + store::shell_quoted(word);
  };
  if (!options.store.empty()) add(options.store);
  const std::pair<const char*, const std::optional<std::string>*> named[] = {
      {"--bindings", &options.bindings},
      {"--journal", &options.journal},
      {"--paging", &options.paging},
      {"--large-messages", &options.large_messages},
      {"--broker", &options.broker}};
  for (const auto& [name, value] : named) {
    if (!*value) continue;
    add(name);
    add(**value);
  }
  return text.empty() ? std::string("STORE") : text;
}

/// Lets findings through that are about the files and ids that were asked for.
class SelectedFindings final : public FindingSink {
 public:
  SelectedFindings(store::Filter filter, FindingSink& sink)
      : filter_(std::move(filter)), sink_(sink) {}
  void finding(Finding finding) override {
    if (!filter_.wants_file(finding.file)) return;
    if (filter_.says_id() && (!finding.id || !filter_.wants_id(*finding.id))) return;
    sink_.finding(std::move(finding));
  }

 private:
  store::Filter filter_;
  FindingSink& sink_;
};

Result<store::VerifyOptions> verify_options(const Options& options, const VerbRun& run) {
  const auto now = run.now_ms();
  if (!now) return std::unexpected(now.error());
  store::VerifyOptions wanted{.level = options.level,
                              .now_ms = *now,
                              .id_cache_size = options.id_cache_size,
                              .store = store_arguments(options.verb.store)};
  if (options.target.empty()) return wanted;
  const auto target = store::parse_release(options.target);
  if (!target) {
    return fail(target.error().code, "--target: " + target.error().text);
  }
  wanted.target = *target;
  return wanted;
}

std::optional<std::uint64_t> limit_of(const Options& options) {
  const std::uint64_t standard = options.verb.format == "text" ? kTextLimit : 0;
  const std::uint64_t limit = options.limit.value_or(standard);
  return limit == 0 ? std::nullopt : std::optional(limit);
}

ExitCode run_verify(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto wanted = verify_options(options, run);
  if (!wanted) return run.fail(wanted.error());
  auto selection = store::Filter::compile(options.selection, wanted->now_ms);
  if (!selection) {
    selection.error().text = "--" + selection.error().text;
    return run.fail(selection.error());
  }
  auto parts = run.open_parts();
  if (!parts) return run.fail(parts.error());
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const auto printer =
      verify::make_verify_printer(options.verb.format, run.output(),
                                  {.store = options.verb.store.store, .limit = limit_of(options)});
  run.findings().tell_none();
  run.findings().on_finding([&](const Finding& finding) { printer->finding(finding); });
  SelectedFindings selected(std::move(*selection), run.findings());
  store::Verifier verifier(std::move(*parts), *wanted, selected, run.jobs());
  while (true) {
    const auto more = verifier.step();
    if (!more) return run.fail(more.error());
    run.progress().tell(verifier.read_bytes(), verifier.total_bytes());
    // What was found so far is told, then.
    if (!*more || run.must_stop()) break;
  }
  return run.finish([&](ExitCode code) { printer->end(verifier.report(), code); });
}

}  // namespace

ExitCode cmd_data_verify(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Check every byte of a store, and what its parts say of each other.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_verify(context, options);
}

}  // namespace saranga::cli
