// What every verb that reads a store has in common: its options, how a store is opened and loaded,
// and how a run ends.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/store/loader.h"
#include "tools/cli/finding_log.h"
#include "tools/cli/ordered_jobs.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/store_options.h"

namespace saranga::cli {

/// Options that all of these verbs have.
struct VerbOptions {
  StoreOptions store;
  std::string format = "text";
  std::string output;
  bool quiet = false;
  bool verbose = false;
  bool strict = false;
  Progress::Mode progress = Progress::Mode::kAuto;
  std::string now;  ///< only of verbs that load a store
};

/// Declares them; `formats` are the values of --format, with `formats_text` to explain them.
void add_verb_options(CommandLine& line, VerbOptions& options,
                      const std::vector<std::string>& formats, const std::string& formats_text);
/// Declares those of them that say what is told on standard error, for verbs that write stores.
void add_narration_options(CommandLine& line, VerbOptions& options);
/// Declares --now, for verbs whose answer depends on the time.
void add_now_option(CommandLine& line, VerbOptions& options);

/// Reads the command line. An exit code when there is nothing left to do: help was asked for, or
/// the arguments make no sense.
[[nodiscard]] std::optional<ExitCode> parse_arguments(const Context& context, CommandLine& line,
                                                      const VerbOptions& options,
                                                      const std::vector<std::string>& arguments);

/// One run of such a verb. It owns what the verb works with; use it from one thread.
class VerbRun {
 public:
  /// Both must outlive the run. `verb` is the name in the help: "saranga data queues".
  VerbRun(const Context& context, const VerbOptions& options, std::string verb)
      : progress_(context.narration_descriptor,
                  options.quiet ? Progress::Mode::kNever : options.progress),
        context_(with_progress(context, progress_)),
        options_(options),
        verb_(std::move(verb)),
        findings_(context_,
                  {.quiet = options.quiet, .verbose = options.verbose, .strict = options.strict}) {}

  /// What counts as the present, ms since 1970: --now, or the clock.
  [[nodiscard]] Result<std::int64_t> now_ms() const;
  /// Finds the folders, and tells when a broker is running on them.
  [[nodiscard]] Result<store::Location> locate();
  /// The same, opened; STORE may be an archive as well.
  [[nodiscard]] Result<store::StoreParts> open_parts();
  /// Opens --output, or standard output. --output may be no part of STORE, nor of `inputs`: files
  /// and stores that the verb uses besides; "-" and nothing are none.
  [[nodiscard]] Result<void> open_output(const std::vector<std::string>& inputs = {});
  [[nodiscard]] bool writes_standard_output() const {
    return options_.output.empty() || options_.output == "-";
  }
  /// Finds, opens and loads the store, which lives as long as the run. Ends with an error when the
  /// run has to stop: see must_stop(). The observer sees every record of the journals.
  [[nodiscard]] Result<const store::LoadedStore*> load(store::RecordObserver* observer = nullptr);

  [[nodiscard]] const Context& context() const { return context_; }
  [[nodiscard]] Output& output() { return *output_; }
  [[nodiscard]] FindingLog& findings() { return findings_; }
  [[nodiscard]] OrderedJobs& jobs();
  [[nodiscard]] Progress& progress() { return progress_; }
  /// Interrupted, or the first damage is to be fatal, or nobody takes the output.
  [[nodiscard]] bool must_stop() const {
    return context_.stop() || findings_.must_stop() || (output_ && output_->failed());
  }
  /// Makes the exit code at least a warning.
  void warn() { warned_ = true; }
  /// What the run is for, "import", has been done for good: it ends as done, whatever comes now.
  void done(std::string what) { done_ = std::move(what); }

  /// Ends the run after an error, which is told.
  [[nodiscard]] ExitCode fail(const Error& error);
  /// Refuses a path in the store, in any of `inputs`, which are read as well, or among the files of
  /// any other store, with kInvalidArgument; `option` is what gave it.
  [[nodiscard]] Result<void> keep_out(const std::string& path, std::string_view option,
                                      const std::vector<std::string>& inputs = {}) const;
  /// Ends the run. `end` writes the end of the output and gets the code that it may mention.
  [[nodiscard]] ExitCode finish(const std::function<void(ExitCode)>& end);

 private:
  [[nodiscard]] static Context with_progress(Context context, Progress& progress) {
    context.progress = &progress;
    return context;
  }

  Progress progress_;
  const Context context_;  // the command's, with the progress
  const VerbOptions& options_;
  std::string verb_;
  FindingLog findings_;
  std::optional<Output> output_;
  std::unique_ptr<OrderedJobs> jobs_;
  std::unique_ptr<store::LoadedStore> store_;  // refers to findings and jobs
  bool warned_ = false;
  std::string done_;  // for messages; empty while there is nothing that lasts
};

}  // namespace saranga::cli
