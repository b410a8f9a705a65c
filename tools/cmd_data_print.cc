#include "tools/cmd_data_print.h"

#include <sys/stat.h>

#include "saranga/io/archive.h"
#include "saranga/store/location.h"
#include "tools/cli/command_line.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/verb_options.h"
#include "tools/print/json_printer.h"
#include "tools/print/print_recipe.h"
#include "tools/print/print_store.h"
#include "tools/print/text_printer.h"

namespace saranga::cli {
namespace {

using print::BodyDetail;

constexpr const char* kVerb = "saranga data print";

struct Options {
  VerbOptions verb;
  BodyDetail body = BodyDetail::kNone;
  bool safe = false;
  bool reclaimed = false;
  std::int64_t max_pages = -1;
  bool skip_bindings = false;
  bool skip_journal = false;
  FilterOptions filter;
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "jsonl", "recipe"},
                   "text (that of Artemis), jsonl (JSON Lines) or recipe (for data build)");
  print::add_body_option(line, options.body, "bodies in JSON: none, summary, text, hex or full");
  line.flag("--safe", options.safe, "hide what is in messages and bindings");
  line.flag("--reclaimed", options.reclaimed,
            "show also what is left of earlier uses of recycled journal files");
  line.option("--max-pages", options.max_pages, "show this many pages an address; -1 = all");
  line.flag("--skip-bindings", options.skip_bindings, "do not read the bindings journal");
  line.flag("--skip-journal", options.skip_journal, "read the message journal, show none of it");
  add_filter_options(line, options.filter, FilterScope::kRecords);
  add_now_option(line, options.verb);
  line.footer(
      "STORE is a data folder, an instance folder, a broker.xml, an archive (.tar, .tar.gz, .zip), "
      "or one file:\n*.amq, *.bindings, *.page, *.msg. Nothing is ever written to it.\n"
      "Exit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

std::unique_ptr<print::StorePrinter> make_printer(const Options& options,
                                                  const std::optional<std::string>& server_id) {
  if (options.verb.format == "jsonl") {
    return std::make_unique<print::JsonPrinter>(
        print::JsonOptions{.body = options.body,
                           .safe = options.safe,
                           .store = options.verb.store.store,
                           .server_id = server_id});
  }
  return std::make_unique<print::TextPrinter>(
      print::TextOptions{.safe = options.safe, .server_id = server_id});
}

bool is_single_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return !path.ends_with(".xml") && !is_archive_name(path);
}

/// What is to be printed: a store, or a single file.
struct Subject {
  std::optional<store::StoreParts> parts;
  std::optional<std::string> server_id;
};

Result<Subject> open_subject(VerbRun& run, const Options& options) {
  Subject subject;
  const std::string& path = options.verb.store.store;
  if (is_single_file(path)) return subject;
  std::unique_ptr<ReadableDirectory> lock_folder;
  if (is_archive_name(path)) {
    auto parts = run.open_parts();
    if (!parts) return std::unexpected(parts.error());
    subject.parts = std::move(*parts);
  } else {
    auto location = run.locate();
    if (!location) return std::unexpected(location.error());
    auto parts = store::open_parts(*location);
    if (!parts) return std::unexpected(parts.error());
    subject.parts = std::move(*parts);
    if (const auto& lock = location->node_manager_lock) {
      auto opened = open_disk_directory(lock->path);
      if (opened) lock_folder = std::move(*opened);
    }
  }
  subject.server_id = print::read_server_id(lock_folder ? *lock_folder : *subject.parts->journal);
  return subject;
}

Result<print::Selection> make_selection(VerbRun& run, const Options& options,
                                        const Subject& subject) {
  const auto now = run.now_ms();
  if (!now) return std::unexpected(now.error());
  auto filter = compile_filter(options.filter, *now);
  if (!filter) return std::unexpected(filter.error());
  bindings::Catalog catalog;
  if (subject.parts && !filter->selects_all()) {
    auto loaded = store::load_catalog(*subject.parts->bindings);
    if (!loaded) return std::unexpected(loaded.error());
    catalog = std::move(*loaded);
  }
  return print::Selection({std::move(*filter), std::move(catalog), *now}, options.filter);
}

Result<void> print_it(print::PrintSession& session, const Options& options, Subject subject) {
  if (!subject.parts) {
    return print::print_single_file(session, options.verb.store.store, options.reclaimed);
  }
  return print::print_store(session, std::move(*subject.parts),
                            {.reclaimed = options.reclaimed,
                             .max_pages = options.max_pages,
                             .skip_bindings = options.skip_bindings,
                             .skip_journal = options.skip_journal});
}

// A recipe says every byte of what it is about, whatever that is.
ExitCode print_recipe(VerbRun& run, const Options& options, const Subject& subject,
                      const print::Selection& selection) {
  if (!selection.all() || options.safe || options.max_pages >= 0) {
    return run.fail({.code = ErrorCode::kInvalidArgument,
                     .text = "a recipe leaves nothing out: of the options that choose, only "
                             "--skip-bindings and --skip-journal go with --format recipe"});
  }
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const auto printed = subject.parts
                           ? print::print_store_recipe(run, *subject.parts, options.skip_bindings,
                                                       options.skip_journal)
                           : print::print_file_recipe(run, options.verb.store.store);
  if (!printed) return run.fail(printed.error());
  return run.finish([](ExitCode) {});
}

ExitCode run_print(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  auto subject = open_subject(run, options);
  if (!subject) return run.fail(subject.error());
  auto selection = make_selection(run, options, *subject);
  if (!selection) return run.fail(selection.error());
  if (options.verb.format == "recipe") return print_recipe(run, options, *subject, *selection);
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const auto printer = make_printer(options, subject->server_id);
  print::PrintSession session(context, run.output(), *printer, run.findings(), *selection,
                              run.progress());
  if (const auto printed = print_it(session, options, std::move(*subject)); !printed) {
    return run.fail(printed.error());
  }
  run.progress().clear();
  if (!selection->all() && tell_selected(context, options.filter, selection->filter(),
                                         {.shown = selection->taken(),
                                          .saw_all = !selection->full(),
                                          .none_text = "no record fits",
                                          .quiet = options.verb.quiet})) {
    run.warn();
  }
  return run.finish(
      [&](ExitCode code) { printer->end(run.output().buffer(), static_cast<int>(code)); });
}

}  // namespace

ExitCode cmd_data_print(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Print every record of the journals and every page of a store.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_print(context, options);
}

}  // namespace saranga::cli
