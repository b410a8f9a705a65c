#include "tools/cmd_data_decode.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "saranga/io/locks.h"
#include "saranga/journal/text_decoder.h"
#include "tools/cli/command_line.h"
#include "tools/cli/feed.h"
#include "tools/cli/new_store.h"
#include "tools/cli/unpacked_input.h"
#include "tools/encode/journal_choice.h"

namespace saranga::cli {
namespace {

using journal::JournalKind;

constexpr const char* kVerb = "saranga data decode";

struct Options {
  VerbOptions verb;
  encode::JournalOptions journal;
  std::string input = "-";
  bool force = false;
};

void add_options(CommandLine& line, Options& options) {
  add_store_options(line, options.verb.store);
  encode::add_journal_options(
      line, options.journal, "the new folder; it must not be there, or be empty",
      "beginning of the names of files; as in the text", "bytes of each new file");
  line.option("--input", options.input,
              "the text, also packed by gzip; - or nothing: standard input");
  line.flag("--force", options.force, "replace a journal folder that is there");
  add_narration_options(line, options.verb);
  line.footer(
      "Reads the text of `saranga data encode` or `artemis data encode`. The folder appears whole "
      "or not\nat all. STORE is an instance or a broker.xml that names the folder when --directory "
      "does not.\n"
      "Exit codes: 0 clean, 1 warnings, 2 the text is damaged, 3 could not finish, 4 in use, 64 "
      "usage.");
}

// Without --directory: the folder that a broker would use.
Result<std::string> find_target(VerbRun& run, const Options& options, JournalKind kind) {
  if (options.journal.directory) return *options.journal.directory;
  const StoreOptions& store = options.verb.store;
  const bool messages = kind == JournalKind::kMessages;
  if (const auto& named = messages ? store.journal : store.bindings) return *named;
  if (store.store.empty() && !store.broker) {
    return fail(ErrorCode::kInvalidArgument, "--directory has to name the new folder");
  }
  const auto location = run.locate();
  if (!location) return std::unexpected(location.error());
  const store::Place& place = messages ? location->journal : location->bindings;
  if (!place.path.empty()) return place.path;
  return fail(ErrorCode::kInvalidArgument, "STORE does not name the folder; --directory does");
}

ExitCode run_decode(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto kind = encode::journal_kind(options.journal);
  if (!kind) return run.fail(kind.error());
  const auto target = find_target(run, options, *kind);
  if (!target) return run.fail(target.error());
  auto input = Input::open(options.input, context.interrupted);
  if (!input) return run.fail(input.error());
  UnpackedInput text(std::move(*input));
  auto folder = begin_new_folder(*target, options.force, options.input);
  if (!folder) return run.fail(folder.error());
  journal::TextDecoder decoder((*folder)->directory(),
                               {.prefix = options.journal.prefix,
                                .extension = options.journal.suffix,
                                .file_size_bytes = options.journal.file_size_bytes,
                                .label = text.label()},
                               run.findings());
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const auto decoded = feed_all(run, text, decoder);
  if (!decoded) return fail_input(run, decoded.error());
  if (auto placed = commit_new_folder(**folder, *target, options.force); !placed)
    return run.fail(placed.error());
  run.done("decoding");
  if (!options.verb.quiet) {
    context.say(
        fmt::format("{}: {} records in {} files", *target, decoded->records, decoded->files));
  }
  return run.finish([](ExitCode) {});
}

}  // namespace

ExitCode cmd_data_decode(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Make a journal folder from lines of text.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_decode(context, options);
}

}  // namespace saranga::cli
