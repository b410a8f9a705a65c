#include "tools/cmd_data_show.h"

#include <fmt/format.h>

#include "saranga/store/finding_codes.h"
#include "saranga/store/story.h"
#include "tools/cli/command_line.h"
#include "tools/cli/verb_options.h"
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

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "jsonl"}, "text or jsonl (JSON Lines)");
  add_now_option(line, options.verb);
  print::add_body_option(line, options.body, "how much of a message's body is shown");
  line.option("ID", options.subjects,
              "the id of a message, queue, address, transaction or record; the name of a queue or "
              "address; the user id of a message; ADDRESS:PAGE or a page file; FILE:OFFSET")
      .required();
  line.footer(
      "FILE is as findings name it: journal/activemq-data-1.amq. OFFSET may be hexadecimal "
      "(0x1f40).\nExit codes: 0 clean, 1 not found or warnings, 2 damage, 3 could not finish, "
      "64 usage.");
}

/// One subject and what it turned out to be.
struct Question {
  show::Subject subject;
  show::Meaning meaning;
};

// Numbers say themselves which records to collect while the store is loaded; names only say so when
// it is loaded, and its journals are then read once more.
std::set<std::int64_t> wanted_ids(const std::vector<show::Subject>& subjects) {
  std::set<std::int64_t> ids;
  for (const show::Subject& subject : subjects) {
    if (subject.id) ids.insert(*subject.id);
  }
  return ids;
}

Result<std::vector<Question>> understand(const store::LoadedStore& store,
                                         const std::vector<show::Subject>& subjects) {
  std::vector<Question> questions;
  for (const show::Subject& subject : subjects) {
    auto meaning = show::find_meaning(store, subject);
    if (!meaning) return std::unexpected(meaning.error());
    questions.push_back({.subject = subject, .meaning = std::move(*meaning)});
  }
  return questions;
}

/// The collector that has seen all records about what was asked: the one that saw the loading, or a
/// new one when names stand for more ids.
store::StoryCollector collect(const store::LoadedStore& store,
                              const std::vector<Question>& questions,
                              store::StoryCollector loaded) {
  std::set<std::int64_t> ids = loaded.ids();
  for (const Question& question : questions) {
    ids.insert(question.meaning.ids.begin(), question.meaning.ids.end());
  }
  if (ids == loaded.ids()) return loaded;
  store::StoryCollector stories(std::move(ids));
  store::read_again(store, stories);
  return stories;
}

ExitCode run_show(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto now = run.now_ms();
  if (!now) return run.fail(now.error());
  std::vector<show::Subject> subjects;
  for (const std::string& text : options.subjects) subjects.push_back(show::parse_subject(text));
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const show::StoryPrinterOptions printing{
      .store = options.verb.store.store, .body = options.body, .now_ms = *now};
  const auto printer = options.verb.format == "text"
                           ? show::make_text_story(run.output(), printing)
                           : show::make_json_story(run.output(), printing);
  run.findings().on_finding([&](const Finding& finding) { printer->finding(finding); });
  printer->begin();
  store::StoryCollector seen(wanted_ids(subjects));
  const auto loaded = run.load(&seen);
  if (!loaded) return run.fail(loaded.error());
  const auto questions = understand(**loaded, subjects);
  if (!questions) return run.fail(questions.error());
  const store::StoryCollector stories = collect(**loaded, *questions, std::move(seen));
  show::Answers answers(**loaded, stories, run.findings(), run.jobs());
  for (const auto& [subject, meaning] : *questions) {
    if (run.must_stop()) break;
    const Result<bool> shown = printer->show(answers, subject, meaning);
    if (!shown) return run.fail(shown.error());
    if (*shown) continue;
    context.say(
        show::not_found_text(**loaded, subject, store::shell_quoted(options.verb.store.store)));
    run.warn();
  }
  return run.finish([&](ExitCode code) { printer->end(code); });
}

}  // namespace

ExitCode cmd_data_show(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Show everything known about messages, queues, transactions or places in files.",
                   kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_show(context, options);
}

}  // namespace saranga::cli
