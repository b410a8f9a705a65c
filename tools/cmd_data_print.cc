#include "tools/cmd_data_print.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "saranga/io/locks.h"
#include "saranga/store/location.h"
#include "tools/cli/finding_log.h"
#include "tools/cli/output.h"
#include "tools/cli/store_options.h"
#include "tools/print/json_printer.h"
#include "tools/print/print_store.h"
#include "tools/print/text_printer.h"

namespace saranga::cli {
namespace {

using print::BodyDetail;

struct Options {
  StoreOptions store;
  std::string format = "text";
  BodyDetail body = BodyDetail::kNone;
  std::string output;
  bool safe = false;
  bool reclaimed = false;
  std::int64_t max_pages = -1;
  bool skip_bindings = false;
  bool skip_journal = false;
  bool quiet = false;
  bool verbose = false;
  bool strict = false;
};

void add_options(CLI::App& app, Options& options) {
  static const std::map<std::string, BodyDetail> kDetails = {{"none", BodyDetail::kNone},
                                                             {"summary", BodyDetail::kSummary},
                                                             {"text", BodyDetail::kText},
                                                             {"hex", BodyDetail::kHex},
                                                             {"full", BodyDetail::kFull}};
  add_store_options(app, options.store);
  app.add_option("--format", options.format, "text (that of Artemis) or jsonl (JSON Lines)")
      ->check(CLI::IsMember({"text", "jsonl"}));
  app.add_option("--body", options.body, "bodies in JSON: none, summary, text, hex or full")
      ->transform(CLI::CheckedTransformer(kDetails));
  app.add_option("--output", options.output, "write to this file, whole or not at all");
  app.add_flag("--safe", options.safe, "hide what is in messages and bindings");
  app.add_flag("--reclaimed", options.reclaimed,
               "show also what is left of earlier uses of recycled journal files");
  app.add_option("--max-pages", options.max_pages, "show this many pages an address; -1 = all");
  app.add_flag("--skip-bindings", options.skip_bindings, "do not read the bindings journal");
  app.add_flag("--skip-journal", options.skip_journal, "read the message journal, show none of it");
  app.add_flag("--quiet", options.quiet, "tell nothing on standard error but errors");
  app.add_flag("--verbose", options.verbose, "tell everything on standard error");
  app.add_flag("--strict", options.strict, "stop at the first damage");
  app.footer("STORE is a data folder, an instance folder, a broker.xml, or one file: *.amq, "
             "*.bindings, *.page, *.msg.\nNothing is ever written to it.\n"
             "Exit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

ExitCode usage_error(const Context& context, std::string_view text) {
  context.say(text);
  context.say("see `saranga data print --help`");
  return ExitCode::kUsage;
}

// A running broker is told, reading goes on: what it writes meanwhile may look torn.
void notice_broker(const Context& context, const store::Location& location) {
  const std::string& folder =
      location.node_manager_lock ? location.node_manager_lock->path : location.journal.path;
  if (folder.empty()) return;
  const auto holder = lock_holder(folder + "/serverlock.1");
  if (!holder || !*holder) return;
  context.say(fmt::format("notice: a broker is running on this store (process {} holds {}): its last "
                          "records may be incomplete here",
                          **holder, folder + "/serverlock.1"));
}

std::unique_ptr<print::StorePrinter> make_printer(const Options& options,
                                                  const std::optional<std::string>& server_id) {
  if (options.format == "jsonl") {
    return std::make_unique<print::JsonPrinter>(
        print::JsonOptions{.body = options.body,
                           .safe = options.safe,
                           .store = options.store.store,
                           .server_id = server_id});
  }
  return std::make_unique<print::TextPrinter>(
      print::TextOptions{.safe = options.safe, .server_id = server_id});
}

bool is_single_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return !path.ends_with(".xml");
}

Result<void> print_it(print::PrintSession& session, const Options& options,
                      const std::optional<store::Location>& location) {
  if (!location) return print::print_single_file(session, options.store.store, options.reclaimed);
  auto parts = print::open_parts(*location);
  if (!parts) return std::unexpected(parts.error());
  return print::print_store(session, std::move(*parts),
                            {.reclaimed = options.reclaimed,
                             .max_pages = options.max_pages,
                             .skip_bindings = options.skip_bindings,
                             .skip_journal = options.skip_journal});
}

ExitCode finish(const Context& context, print::StorePrinter& printer, Output& output,
                const FindingLog& findings, const Result<void>& printed) {
  findings.finish();
  if (context.stop()) return ExitCode::kInterrupted;
  if (!printed) {
    output.flush();
    context.say(printed.error().message());
    return printed.error().code == ErrorCode::kInvalidArgument ? ExitCode::kUsage
                                                               : ExitCode::kFailed;
  }
  const ExitCode code = findings.exit_code();
  printer.end(output.buffer(), static_cast<int>(code));
  if (auto finished = output.finish(); !finished) {
    context.say(finished.error().message());
    return ExitCode::kFailed;
  }
  return code;
}

ExitCode run(Context& context, const Options& options) {
  std::optional<store::Location> location;
  std::optional<std::string> server_id;
  if (!is_single_file(options.store.store)) {
    auto found = locate_store(context, options.store, !options.quiet);
    if (!found) {
      context.say(found.error().message());
      return ExitCode::kFailed;
    }
    location = std::move(*found);
    if (!options.quiet) notice_broker(context, *location);
    server_id = print::read_server_id(*location);
  }
  auto output = options.output.empty() ? Result<Output>(Output(context.data_descriptor))
                                       : Output::to_file(options.output);
  if (!output) {
    context.say(output.error().message());
    return ExitCode::kFailed;
  }
  const auto printer = make_printer(options, server_id);
  FindingLog findings(
      context, {.quiet = options.quiet, .verbose = options.verbose, .strict = options.strict});
  print::PrintSession session(context, *output, *printer, findings);
  const Result<void> printed = print_it(session, options, location);
  return finish(context, *printer, *output, findings, printed);
}

}  // namespace

ExitCode cmd_data_print(Context& context, const std::vector<std::string>& arguments) {
  CLI::App app("Print every record of the journals and every page of a store.", "saranga data print");
  Options options;
  add_options(app, options);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    Output output(context.data_descriptor);
    output.put(app.help());
    return output.finish() ? ExitCode::kClean : ExitCode::kFailed;
  } catch (const CLI::ParseError& error) {
    return usage_error(context, error.what());
  }
  if (options.store.asks_for_jdbc()) {
    context.say("JDBC stores are not supported: saranga reads the files of a store");
    return ExitCode::kFailed;
  }
  return run(context, options);
}

}  // namespace saranga::cli
