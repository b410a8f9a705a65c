// Running a command of the program in this process, and taking its JSON Lines apart.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tools/cli/context.h"
#include "tools/cmd_data_messages.h"
#include "tools/cmd_data_print.h"

namespace saranga::test {

/// What a command wrote, and how it ended.
struct CommandRun {
  int exit_code = -1;
  std::vector<nlohmann::json> lines;
  std::string narration;

  /// The lines of one type.
  [[nodiscard]] std::vector<nlohmann::json> of(std::string_view type) const {
    std::vector<nlohmann::json> found;
    for (const nlohmann::json& line : lines) {
      if (line.value("type", "") == type) found.push_back(line);
    }
    return found;
  }
  /// The codes of all findings.
  [[nodiscard]] std::vector<std::string> findings() const {
    std::vector<std::string> codes;
    for (const nlohmann::json& line : of("finding")) codes.push_back(line["code"]);
    return codes;
  }
  /// The records of a type that survive the load.
  [[nodiscard]] std::vector<std::int64_t> survivors(int record_type) const {
    std::vector<std::int64_t> ids;
    for (const nlohmann::json& line : of("survivor")) {
      if (line["record_type"] == record_type) ids.push_back(line["id"]);
    }
    return ids;
  }
};

/// A file in memory that a command writes into.
class Captured {
 public:
  Captured() : descriptor_(::memfd_create("captured", MFD_CLOEXEC)) { REQUIRE(descriptor_ >= 0); }
  ~Captured() { ::close(descriptor_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string text() const {
    std::string text(static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)), '\0');
    REQUIRE(::pread(descriptor_, text.data(), text.size(), 0) == static_cast<long>(text.size()));
    return text;
  }

 private:
  int descriptor_;
};

using RunCommand = cli::ExitCode (*)(cli::Context&, const std::vector<std::string>&);

/// Runs a command with --format jsonl on a store.
inline CommandRun run_command(RunCommand command, const std::string& store) {
  const Captured data;
  const Captured narration;
  cli::Context context;
  context.data_descriptor = data.descriptor();
  context.narration_descriptor = narration.descriptor();
  context.current_folder = store;
  CommandRun run;
  run.exit_code = static_cast<int>(command(context, {store, "--format", "jsonl"}));
  run.narration = narration.text();
  std::istringstream lines(data.text());
  for (std::string line; std::getline(lines, line);) {
    run.lines.push_back(nlohmann::json::parse(line));
  }
  return run;
}

inline CommandRun print(const std::string& store) {
  return run_command(cli::cmd_data_print, store);
}

inline CommandRun list_messages(const std::string& store) {
  return run_command(cli::cmd_data_messages, store);
}

}  // namespace saranga::test
