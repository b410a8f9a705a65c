#include "tools/cmd_data_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "saranga/io/archive.h"
#include "tools/cli/command_line.h"
#include "tools/cli/table.h"
#include "tools/cli/verb_options.h"
#include "tools/explain/explain_printer.h"

namespace saranga::cli {
namespace {

using explain::ExplainPrinter;
using explain::IdFacts;
using explain::Target;

constexpr const char* kVerb = "saranga data explain";
constexpr std::size_t kTextRows = 20;

struct Options {
  VerbOptions verb;
  std::vector<std::string> targets;
  std::optional<std::size_t> limit;
  std::optional<std::int64_t> compact_min_files;
  std::optional<std::int64_t> compact_percentage;
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "json", "jsonl"},
                   "text (for people), json or jsonl (JSON Lines)");
  line.option("TARGET", options.targets,
              "journal file, page (file or ADDRESS:NUMBER), large message, or id of a message, "
              "record, transaction or queue");
  add_now_option(line, options.verb);
  line.option("--limit", options.limit, "rows of each list; 0 = all (text: 20)");
  line.option("--compact-min-files", options.compact_min_files,
              "journal-compact-min-files of the broker, when its configuration is not there");
  line.option("--compact-percentage", options.compact_percentage,
              "journal-compact-percentage, likewise");
  line.footer(
      "STORE is a data folder, an instance folder or a broker.xml. Nothing is ever written to "
      "it.\nExit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

// ---- targets
// --------------------------------------------------------------------------------------

// "x.amq", "journal/x.amq" and "/var/lib/broker/journal/x.amq" all mean the same file.
bool means(std::string_view given, std::string_view label) {
  return given == label || given.ends_with("/" + std::string(label)) ||
         label.ends_with("/" + std::string(given));
}

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || rest != end) return std::nullopt;
  return value;
}

bool means_page(std::string_view given, const store::PageReport& page) {
  if (means(given, page.file)) return true;
  const std::size_t colon = given.rfind(':');
  return colon != std::string_view::npos && given.substr(0, colon) == page.address &&
         whole_number<std::int64_t>(given.substr(colon + 1)) == page.number && page.number != 0;
}

Result<Target> find_target(const store::Explanation& explanation, const std::string& given) {
  if (const auto id = whole_number<std::int64_t>(given)) return Target{.given = given, .id = *id};
  std::vector<Target> found;
  const auto look = [&](Target::Kind kind, journal::JournalKind journal, const auto& list,
                        const auto& is_meant) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!is_meant(list[i])) continue;
      found.push_back({.given = given, .kind = kind, .journal = journal, .index = i});
    }
  };
  const auto by_file = [&](const auto& report) { return means(given, report.file); };
  using journal::JournalKind;
  look(Target::Kind::kJournalFile, JournalKind::kMessages, explanation.journal, by_file);
  look(Target::Kind::kJournalFile, JournalKind::kBindings, explanation.bindings, by_file);
  look(Target::Kind::kPage, JournalKind::kMessages, explanation.pages,
       [&](const store::PageReport& page) { return means_page(given, page); });
  look(Target::Kind::kLargeFile, JournalKind::kMessages, explanation.large_files, by_file);
  if (found.empty()) {
    return fail(ErrorCode::kNotFound, "no such journal file, page or large message, and no id",
                given);
  }
  if (found.size() > 1) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("is the name of {} files: put the folder in front", found.size()),
                given);
  }
  return found.front();
}

/// Hands on as many pins as are wanted and counts the others.
class PinPrinter final : public store::PinVisitor {
 public:
  PinPrinter(ExplainPrinter& printer, const Target& target, std::size_t most, const VerbRun& run)
      : printer_(printer), target_(target), most_(most), run_(run) {}

  bool pin(const store::Pin& pin) override {
    if (only_tx_ && std::ranges::find(pin.transactions, *only_tx_) == pin.transactions.end()) {
      return true;
    }
    if (most_ != 0 && shown_ == most_) {
      ++left_out_;
    } else {
      printer_.pin(target_, pin);
      ++shown_;
    }
    return !run_.must_stop();
  }
  void only_transaction(std::int64_t tx_id) { only_tx_ = tx_id; }
  [[nodiscard]] bool saw_any() const { return shown_ + left_out_ != 0; }
  void end() { printer_.end_target(target_, shown_, left_out_); }

 private:
  ExplainPrinter& printer_;
  const Target& target_;
  std::size_t most_;
  const VerbRun& run_;
  std::optional<std::int64_t> only_tx_;
  std::uint64_t shown_ = 0;
  std::uint64_t left_out_ = 0;
};

/// Answers the targets of one run.
class TargetAnswers {
 public:
  TargetAnswers(const store::LoadedStore& store, const store::StoreAccounting& accounting,
                const store::Explanation& explanation, ExplainPrinter& printer, VerbRun& run)
      : store_(store),
        accounting_(accounting),
        explanation_(explanation),
        printer_(printer),
        run_(run) {}

  [[nodiscard]] Result<void> answer(const Target& target, std::size_t most);

 private:
  [[nodiscard]] Result<void> pins_of_file(const Target& target, PinPrinter& pins);
  [[nodiscard]] Result<void> pins_of_id(std::int64_t id, const IdFacts& facts, PinPrinter& pins);
  [[nodiscard]] IdFacts facts_of(std::int64_t id) const;

  const store::LoadedStore& store_;
  const store::StoreAccounting& accounting_;
  const store::Explanation& explanation_;
  ExplainPrinter& printer_;
  VerbRun& run_;
};

IdFacts TargetAnswers::facts_of(std::int64_t id) const {
  IdFacts facts{.queue = store_.catalog().queue(id)};
  const auto usage = std::ranges::find(explanation_.queues, id, &store::QueueUsage::queue_id);
  if (usage != explanation_.queues.end()) facts.usage = &*usage;
  const auto& open = accounting_.messages().open();
  const auto tx = std::ranges::find(open, id, &journal::OpenTouch::tx_id);
  if (tx != open.end()) facts.transaction = &*tx;
  const auto large = std::ranges::find(explanation_.large_files, id, &store::LargeFileReport::id);
  if (large != explanation_.large_files.end()) facts.large = &*large;
  return facts;
}

// The file itself, then those that have to go before it.
Result<void> TargetAnswers::pins_of_file(const Target& target, PinPrinter& pins) {
  const auto& files = target.journal == journal::JournalKind::kMessages ? explanation_.journal
                                                                        : explanation_.bindings;
  const store::JournalFileReport& file = files[target.index];
  auto visited =
      store::visit_pins(store_, accounting_, explanation_, target.journal, target.index, pins);
  for (const std::uint32_t other : file.held_by) {
    if (!visited || run_.must_stop()) return visited;
    if (other == target.index) continue;
    visited = store::visit_pins(store_, accounting_, explanation_, target.journal, other, pins);
  }
  return visited;
}

Result<void> TargetAnswers::pins_of_id(std::int64_t id, const IdFacts& facts, PinPrinter& pins) {
  if (facts.transaction == nullptr) {
    return store::visit_records_of(store_, accounting_, id, pins, run_.findings());
  }
  pins.only_transaction(id);
  for (const auto& in_file : facts.transaction->files) {
    auto visited = store::visit_pins(store_, accounting_, explanation_,
                                     journal::JournalKind::kMessages, in_file.file, pins);
    if (!visited) return visited;
  }
  return {};
}

Result<void> TargetAnswers::answer(const Target& target, std::size_t most) {
  PinPrinter pins(printer_, target, most, run_);
  Result<void> visited;
  switch (target.kind) {
    case Target::Kind::kJournalFile:
      printer_.begin_target(explanation_, target, nullptr);
      visited = pins_of_file(target, pins);
      break;
    case Target::Kind::kPage:
      printer_.begin_target(explanation_, target, nullptr);
      store::visit_pins(store_, explanation_.pages[target.index], pins, run_.findings());
      break;
    case Target::Kind::kLargeFile:
      printer_.begin_target(explanation_, target, nullptr);
      visited = store::visit_records_of(
          store_, accounting_, explanation_.large_files[target.index].id, pins, run_.findings());
      break;
    case Target::Kind::kId: {
      const IdFacts facts = facts_of(target.id);
      printer_.begin_target(explanation_, target, &facts);
      visited = pins_of_id(target.id, facts, pins);
      const bool known = facts.queue != nullptr || facts.usage != nullptr ||
                         facts.transaction != nullptr || facts.large != nullptr || pins.saw_any();
      if (visited && !known) run_.warn();
    }
  }
  if (visited) pins.end();
  return visited;
}

// ---- the run
// --------------------------------------------------------------------------------------

/// What the configuration says, unless an option says it.
store::JournalSettings settings_of(const Context& context, const Options& options) {
  store::JournalSettings settings;
  if (!is_archive_name(options.verb.store.store)) {
    if (auto location = locate_store(context, options.verb.store, false)) {
      settings = std::move(location->settings);
    }
  }
  if (options.compact_min_files) settings.compact_min_files = options.compact_min_files;
  if (options.compact_percentage) settings.compact_percentage = options.compact_percentage;
  return settings;
}

store::ExplainOptions explain_options(const store::JournalSettings& settings,
                                      const store::LoadedStore& loaded) {
  store::ExplainOptions options;
  options.rules.file_size_bytes =
      settings.file_size_bytes ? *settings.file_size_bytes : store::usual_file_size(loaded);
  if (settings.compact_min_files) options.rules.min_files = *settings.compact_min_files;
  if (settings.compact_percentage) options.rules.percentage = *settings.compact_percentage;
  return options;
}

ExitCode run_explain(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  const auto now = run.now_ms();
  if (!now) return run.fail(now.error());
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  const store::JournalSettings settings = settings_of(context, options);
  const std::size_t rows = options.limit.value_or(options.verb.format == "text" ? kTextRows : 0);
  const auto printer = explain::make_explain_printer(options.verb.format, run.output(),
                                                     {.store = options.verb.store.store,
                                                      .width = terminal_width(context),
                                                      .rows = rows,
                                                      .now_ms = *now,
                                                      .pool_files = settings.pool_files});
  run.findings().on_finding([&](const Finding& finding) { printer->finding(finding); });
  store::StoreAccounting accounting;
  const auto loaded = run.load(&accounting);
  if (!loaded) return run.fail(loaded.error());
  accounting.finish();
  const store::ExplainOptions explaining = explain_options(settings, **loaded);
  const store::Explanation explanation =
      store::explain(**loaded, accounting, explaining, run.jobs(), run.findings());
  std::vector<Target> targets;
  for (const std::string& given : options.targets) {
    auto target = find_target(explanation, given);
    if (!target) return run.fail(target.error());
    targets.push_back(std::move(*target));
  }
  printer->begin((*loaded)->catalog(), explaining.rules);
  if (targets.empty()) printer->overview(explanation);
  TargetAnswers answers(**loaded, accounting, explanation, *printer, run);
  for (const Target& target : targets) {
    if (auto answered = answers.answer(target, rows); !answered) {
      return run.fail(answered.error());
    }
  }
  return run.finish([&](ExitCode code) { printer->end(code); });
}

}  // namespace

ExitCode cmd_data_explain(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Tell why the files of a store are still there.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_explain(context, options);
}

}  // namespace saranga::cli
