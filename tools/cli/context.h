// What a command gets from its surroundings, so that it can run inside any program.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/exit_code.h"

namespace saranga::cli {

class Progress;

/// The surroundings of one command. The members outlive it.
struct Context {
  int data_descriptor = 1;       ///< standard output: data
  int narration_descriptor = 2;  ///< standard error: everything else
  std::map<std::string, std::string> environment;
  std::string current_folder;
  unsigned helper_threads = 1;  ///< threads besides the calling one
  const std::atomic<bool>* interrupted = nullptr;
  Progress* progress = nullptr;  ///< the line on the terminal, while there is one

  [[nodiscard]] bool stop() const {
    return interrupted != nullptr && interrupted->load(std::memory_order_relaxed);
  }
  /// Writes "saranga: text" and a line end to the narration.
  void say(std::string_view text) const;
};

/// A command of the program.
struct Command {
  std::string_view name;     ///< "data print"
  std::string_view summary;  ///< one line for the overview
  ExitCode (*run)(Context& context, const std::vector<std::string>& arguments);
};

/// "saranga 0.1.0"
[[nodiscard]] std::string_view program_version();

}  // namespace saranga::cli
