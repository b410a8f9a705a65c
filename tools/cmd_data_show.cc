#include "tools/cmd_data_show.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "saranga/store/live_messages.h"
#include "saranga/store/story.h"
#include "tools/cli/verb_options.h"
#include "tools/print/text_printer.h"
#include "tools/show/story_printer.h"
#include "tools/show/subject.h"

namespace saranga::cli {
namespace {

constexpr const char* kVerb = "saranga data show";

struct Options {
  VerbOptions verb;
  std::vector<std::string> subjects;
  print::BodyDetail body = print::BodyDetail::kText;
};

void add_options(CLI::App& app, Options& options) {
  add_verb_options(app, options.verb, {"text", "jsonl"}, "text or jsonl (JSON Lines)");
  add_now_option(app, options.verb);
  print::add_body_option(app, options.body, "how much of a message's body is shown");
  app.add_option(
         "ID", options.subjects,
         "the id of a message, queue, transaction or record; the name of a queue; FILE:OFFSET")
      ->required();
  app.footer(
      "FILE is as findings name it: journal/activemq-data-1.amq. OFFSET may be hexadecimal "
      "(0x1f40).\nExit codes: 0 clean, 1 not found or warnings, 2 damage, 3 could not finish, "
      "64 usage.");
}

// The ids to collect records about. A queue that is given by name is shown without its records.
std::set<std::int64_t> wanted_ids(const std::vector<show::Subject>& subjects) {
  std::set<std::int64_t> ids;
  for (const show::Subject& subject : subjects) {
    if (subject.id) ids.insert(*subject.id);
  }
  return ids;
}

ExitCode run_show(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  std::vector<show::Subject> subjects;
  for (const std::string& text : options.subjects) subjects.push_back(show::parse_subject(text));
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  store::StoryCollector stories(wanted_ids(subjects));
  const auto loaded = run.load(&stories);
  if (!loaded) return run.fail(loaded.error());
  const auto printer = show::make_story_printer(options.verb.format, run.output().buffer(),
                                                **loaded, stories, options.body);
  printer->begin(options.verb.store.store);
  for (const show::Subject& subject : subjects) {
    const Result<bool> shown = subject.offset ? printer->place(subject) : printer->subject(subject);
    if (!shown) return run.fail(shown.error());
    if (!*shown) {
      context.say(fmt::format("nothing in the store is called {}", subject.text));
      run.warn();
    }
  }
  return run.finish([&](ExitCode code) { printer->end(code); });
}

}  // namespace

ExitCode cmd_data_show(Context& context, const std::vector<std::string>& arguments) {
  CLI::App app("Show everything known about messages, queues, transactions or places in files.",
               kVerb);
  Options options;
  add_options(app, options);
  if (const auto code = parse_arguments(context, app, options.verb, arguments)) return *code;
  return run_show(context, options);
}

}  // namespace saranga::cli
