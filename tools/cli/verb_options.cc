#include "tools/cli/verb_options.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "saranga/io/archive.h"
#include "saranga/store/times.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/running_broker.h"

namespace saranga::cli {
namespace {

std::int64_t clock_ms() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
}

ExitCode code_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument: return ExitCode::kUsage;
    case ErrorCode::kBusy: return ExitCode::kInUse;
    default: return ExitCode::kFailed;
  }
}

// Files and folders that belong to a store, as far as anything tells; none of them is empty.
std::vector<std::string> guarded_paths(const Context& context, const StoreOptions& options) {
  std::vector<std::string> paths{options.store};
  for (const auto& named : {options.bindings, options.journal, options.paging,
                            options.large_messages, options.broker}) {
    paths.push_back(named.value_or(""));
  }
  if (const auto location = locate_store(context, options, false)) {
    for (const store::Place* place :
         {&location->bindings, &location->journal, &location->paging, &location->large_messages}) {
      paths.push_back(place->path);
    }
    for (const auto& place : {location->retention, location->node_manager_lock}) {
      if (place) paths.push_back(place->path);
    }
    const std::filesystem::path configuration(location->configuration);
    if (!configuration.empty()) {
      paths.push_back(configuration.string());
      // What is read with it, when it is there.
      for (const char* name : {"bootstrap.xml", "artemis.profile", "broker.properties"}) {
        paths.push_back((configuration.parent_path() / name).string());
      }
    }
  }
  std::erase_if(paths, [](const std::string& path) { return path.empty() || path == "-"; });
  return paths;
}

}  // namespace

void add_verb_options(CommandLine& line, VerbOptions& options,
                      const std::vector<std::string>& formats, const std::string& formats_text) {
  add_store_options(line, options.store);
  line.option("--format", options.format, formats_text).one_of(formats);
  line.option("--output", options.output,
              "write to this file, whole or not at all; - is standard output");
  add_narration_options(line, options);
  line.flag("--strict", options.strict, "stop at the first damage");
}

void add_narration_options(CommandLine& line, VerbOptions& options) {
  line.flag("--quiet", options.quiet, "tell nothing on standard error but errors");
  line.flag("--verbose", options.verbose, "tell everything on standard error");
  add_choice<Progress::Mode>(line, "--progress", options.progress,
                             {{"auto", Progress::Mode::kAuto},
                              {"always", Progress::Mode::kAlways},
                              {"never", Progress::Mode::kNever}},
                             "show on standard error how far the work is; auto: on a terminal");
}

void add_now_option(CommandLine& line, VerbOptions& options) {
  line.option("--now", options.now, "take this for the present: schedules, expiry and ages");
}

std::optional<ExitCode> parse_arguments(const Context& context, CommandLine& line,
                                        const VerbOptions& options,
                                        const std::vector<std::string>& arguments) {
  const auto outcome = line.parse(arguments);
  if (!outcome) {
    context.say(outcome.error().text);
    context.say(fmt::format("see `{} --help`", line.name()));
    return ExitCode::kUsage;
  }
  if (*outcome == CommandLine::Outcome::kHelp) {
    Output output(context.data_descriptor);
    output.put(line.help());
    return output.finish() ? ExitCode::kClean : ExitCode::kFailed;
  }
  // Usually a variable of a script that is not set.
  if (const auto empty = line.empty_option()) {
    context.say(fmt::format("{}: the value is empty", *empty));
    return ExitCode::kUsage;
  }
  if (options.store.asks_for_jdbc()) {
    context.say("JDBC stores are not supported: saranga reads the files of a store");
    return ExitCode::kFailed;
  }
  return std::nullopt;
}

Result<std::int64_t> VerbRun::now_ms() const {
  if (options_.now.empty()) return clock_ms();
  auto time = store::parse_time(options_.now, clock_ms());
  if (!time) time.error().text = "--now: " + time.error().text;
  return time;
}

Result<store::Location> VerbRun::locate() {
  auto location = locate_store(context_, options_.store, !options_.quiet);
  if (!location) return location;
  if (const auto broker = running_broker(lock_folder(*location)); broker && *broker) {
    findings_.broker_runs();
    if (!options_.quiet) {
      context_.say(fmt::format(
          "notice: {} ({} holds {}): what it is writing just now may be incomplete here, "
          "and what is said of records, pages and bodies together may be of different "
          "moments",
          (*broker)->process < 0 ? "another command is writing to this store"
                                 : "a broker is running on this store",
          holder_of(**broker), (*broker)->path));
    }
  }
  return location;
}

Result<store::StoreParts> VerbRun::open_parts() {
  if (is_archive_name(options_.store.store)) return store::open_archive_parts(options_.store.store);
  auto location = locate();
  if (!location) return std::unexpected(location.error());
  return store::open_parts(*location);
}

// Nothing is ever written to what a verb reads, not by mistake either.
Result<void> VerbRun::keep_out(const std::string& path, std::string_view option,
                               const std::vector<std::string>& inputs) const {
  std::error_code problem;
  const auto real = [&](const std::filesystem::path& any) {
    return std::filesystem::weakly_canonical(any, problem);
  };
  const std::filesystem::path wanted = real(path);
  if (store::lies_in_store(wanted.string())) {
    return saranga::fail(ErrorCode::kInvalidArgument,
                         fmt::format("{} lies in a store; nothing is written there", option), path);
  }
  std::vector<std::string> guarded = guarded_paths(context_, options_.store);
  for (const std::string& input : inputs) {
    StoreOptions other;
    other.store = input;
    const auto paths = guarded_paths(context_, other);
    guarded.insert(guarded.end(), paths.begin(), paths.end());
  }
  for (const std::string& guarded_path : guarded) {
    const std::filesystem::path inside = wanted.lexically_relative(real(guarded_path));
    if (inside.empty() || *inside.begin() == "..") continue;
    return saranga::fail(
        ErrorCode::kInvalidArgument,
        inside == "."
            ? fmt::format("{} is what is read ({}); nothing is written there", option, guarded_path)
            : fmt::format("{} lies in the store ({}); nothing is written there", option,
                          guarded_path),
        path);
  }
  return {};
}

Result<void> VerbRun::open_output(const std::vector<std::string>& inputs) {
  if (writes_standard_output()) {
    output_.emplace(context_.data_descriptor);
    return {};
  }
  if (auto outside = keep_out(options_.output, "--output", inputs); !outside) return outside;
  auto opened = Output::to_file(options_.output);
  if (!opened) return std::unexpected(opened.error());
  output_.emplace(std::move(*opened));
  return {};
}

OrderedJobs& VerbRun::jobs() {
  if (jobs_ == nullptr) jobs_ = std::make_unique<OrderedJobs>(context_.helper_threads);
  return *jobs_;
}

Result<const store::LoadedStore*> VerbRun::load(store::RecordObserver* observer) {
  const auto now = now_ms();
  if (!now) return std::unexpected(now.error());
  auto parts = open_parts();
  if (!parts) return std::unexpected(parts.error());
  store::Loader loader(std::move(*parts), {.now_ms = *now, .observer = observer}, findings_,
                       jobs());
  while (true) {
    const auto more = loader.step();
    if (!more) return std::unexpected(more.error());
    progress_.tell(loader.read_bytes(), loader.total_bytes());
    if (context_.stop() || findings_.must_stop()) {
      return saranga::fail(ErrorCode::kDamaged,
                           "stopped at the first damage, as --strict asks for");
    }
    if (*more) continue;
    progress_.clear();
    store_ = loader.take();
    return store_.get();
  }
}

ExitCode VerbRun::fail(const Error& error) {
  progress_.clear();
  findings_.finish();
  if (context_.stop() && done_.empty()) return ExitCode::kInterrupted;
  if (output_) output_->flush();
  context_.say(error.message());
  if (findings_.must_stop()) return ExitCode::kDamage;
  if (error.code == ErrorCode::kInvalidArgument)
    context_.say(fmt::format("see `{} --help`", verb_));
  return code_of(error);
}

ExitCode VerbRun::finish(const std::function<void(ExitCode)>& end) {
  progress_.clear();
  findings_.finish();
  if (context_.stop() && done_.empty()) return ExitCode::kInterrupted;
  ExitCode code = findings_.exit_code();
  if (warned_ && code == ExitCode::kClean) code = ExitCode::kWarnings;
  end(code);
  if (auto finished = output_->finish(); !finished) {
    context_.say(finished.error().message());
    if (!done_.empty()) {
      context_.say(fmt::format(
          "only the report is lost: the {} itself is done and complete; do not repeat it", done_));
    }
    return ExitCode::kFailed;
  }
  return code;
}

}  // namespace saranga::cli
