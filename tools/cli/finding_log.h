// Collects the findings of a command: tells them to the narration and knows the exit code.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "saranga/bytes/finding.h"
#include "tools/cli/context.h"

namespace saranga::cli {

/// "info", "warning" or "damage".
[[nodiscard]] std::string_view severity_name(Severity severity);

/// The sink that every reader of a command reports to. One thread uses it.
class FindingLog final : public FindingSink {
 public:
  struct Options {
    bool quiet = false;    ///< tell nothing
    bool verbose = false;  ///< tell mere information too, and without a limit
    bool strict = false;   ///< the first damage ends the command
  };

  FindingLog(const Context& context, Options options) : context_(context), options_(options) {}

  void finding(Finding finding) override;
  /// Called with every finding, e.g. to put it into JSON output.
  void on_finding(std::function<void(const Finding&)> listener) { listener_ = std::move(listener); }

  /// A broker is writing to the store: what is only half there at its tail is no fault.
  void broker_runs() { broker_runs_ = true; }
  /// Tells none of them from now on: they are the data of the command.
  void tell_none() { options_.quiet = true; }

  [[nodiscard]] bool must_stop() const { return options_.strict && damage_ != 0; }
  [[nodiscard]] std::size_t infos() const { return infos_; }
  [[nodiscard]] std::size_t warnings() const { return warnings_; }
  [[nodiscard]] std::size_t damage() const { return damage_; }
  [[nodiscard]] ExitCode exit_code() const;
  /// Tells how many findings were left out of the narration.
  void finish() const;

 private:
  const Context& context_;
  Options options_;
  std::function<void(const Finding&)> listener_;
  bool broker_runs_ = false;
  std::size_t infos_ = 0;
  std::size_t warnings_ = 0;
  std::size_t damage_ = 0;
  std::size_t told_ = 0;
  std::size_t untold_ = 0;
};

}  // namespace saranga::cli
