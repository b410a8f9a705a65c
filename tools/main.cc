// The program: a table of commands and nothing else.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/cli/context.h"
#include "tools/cli/output.h"
#include "tools/cli/suggestion.h"
#include "tools/cmd_data_build.h"
#include "tools/cmd_data_compact.h"
#include "tools/cmd_data_decode.h"
#include "tools/cmd_data_diff.h"
#include "tools/cmd_data_encode.h"
#include "tools/cmd_data_explain.h"
#include "tools/cmd_data_export.h"
#include "tools/cmd_data_hash.h"
#include "tools/cmd_data_import.h"
#include "tools/cmd_data_messages.h"
#include "tools/cmd_data_print.h"
#include "tools/cmd_data_queues.h"
#include "tools/cmd_data_show.h"
#include "tools/cmd_data_stats.h"
#include "tools/cmd_data_verify.h"
#include "tools/cmd_perf_journal.h"

extern char** environ;

namespace {

using saranga::cli::Command;
using saranga::cli::Context;
using saranga::cli::ExitCode;

constexpr Command kCommands[] = {
    {"data print", "every record of the journals and every page of a store",
     saranga::cli::cmd_data_print},
    {"data messages", "live messages, in the order of their queues",
     saranga::cli::cmd_data_messages},
    {"data queues", "addresses and queues, with what is on them", saranga::cli::cmd_data_queues},
    {"data show", "everything known about a message, a queue, a transaction or a place in a file",
     saranga::cli::cmd_data_show},
    {"data stats", "counts and sizes by address, record type, file, size and age",
     saranga::cli::cmd_data_stats},
    {"data verify", "every byte checked, and what the parts of a store say of each other",
     saranga::cli::cmd_data_verify},
    {"data explain", "why each file is still there, and what would free it",
     saranga::cli::cmd_data_explain},
    {"data hash", "a digest of what a store holds, whatever its files look like",
     saranga::cli::cmd_data_hash},
    {"data export", "live messages as a document that another broker imports",
     saranga::cli::cmd_data_export},
    {"data exp", "the same, by Artemis' name", saranga::cli::cmd_data_export},
    {"data import", "an export becomes a store, or part of one", saranga::cli::cmd_data_import},
    {"data imp", "the same, by Artemis' name", saranga::cli::cmd_data_import},
    {"data diff", "what one store holds and another does not", saranga::cli::cmd_data_diff},
    {"data compact", "the journals written anew, with nothing but what is live",
     saranga::cli::cmd_data_compact},
    {"data encode", "a journal as lines of text, in the form of Artemis",
     saranga::cli::cmd_data_encode},
    {"data decode", "a new journal folder from lines of text", saranga::cli::cmd_data_decode},
    {"data build", "a store, sound or damaged on purpose, from a recipe",
     saranga::cli::cmd_data_build},
    {"perf-journal", "how fast the disk of a journal makes blocks durable",
     saranga::cli::cmd_perf_journal},
};

std::atomic<bool> interrupted{false};

// A standard stream that is closed must not become a file that is opened later: what is told would
// be written into that. Standard output stays unwritable, because losing data is an error.
void occupy_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    (void)open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void on_interrupt(int signal) {
  // A second Ctrl-C ends the program at once. Of the other signals two may come at a time, as when
  // a terminal is closed.
  if (interrupted.exchange(true) && signal == SIGINT) {
    std::_Exit(static_cast<int>(ExitCode::kInterrupted));
  }
}

void handle_signals() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  struct sigaction inherited{};
  const bool stays =
      sigaction(SIGHUP, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN;  // by nohup
  if (!stays) std::signal(SIGHUP, on_interrupt);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
}

std::string overview() {
  std::string text = std::string(saranga::cli::program_version()) +
                     "\nWorks on the data folder of an Apache Artemis broker, without a JVM.\n\n"
                     "Usage: saranga COMMAND [STORE] [options]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    std::string name(command.name);
    name.resize(std::max<std::size_t>(name.size(), 16), ' ');
    text += "  " + name + "  " + std::string(command.summary) + "\n";
  }
  return text + "\n`saranga COMMAND --help` tells the options of a command.\n";
}

ExitCode tell(const Context& context, std::string_view text) {
  saranga::cli::Output output(context.data_descriptor);
  output.put(text);
  return output.finish() ? ExitCode::kClean : ExitCode::kFailed;
}

Context make_context() {
  Context context;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    context.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  const unsigned processors = std::thread::hardware_concurrency();
  context.helper_threads = std::clamp(processors, 1U, 4U) - 1;
  context.interrupted = &interrupted;
  return context;
}

// The number of arguments that spell the command's name, 0 when they do not.
std::size_t matches(const Command& command, const std::vector<std::string>& arguments) {
  std::string spelled;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    spelled += (i == 0 ? "" : " ") + arguments[i];
    if (spelled == command.name) return i + 1;
  }
  return 0;
}

ExitCode refuse(const Context& context, const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "data") {
    context.say("`data` needs a verb: what to do with the store");
    context.say("see `saranga --help`");
    return ExitCode::kUsage;
  }
  // `saranga verify` means `saranga data verify`.
  const bool data = arguments[0] == "data";
  const std::string verb = data && arguments.size() > 1 ? arguments[1] : arguments[0];
  std::vector<std::string> verbs;
  for (const Command& command : kCommands) {
    verbs.emplace_back(command.name.substr(command.name.find(' ') + 1));
  }
  const auto meant = saranga::cli::suggest(verb, verbs);
  std::string hint;
  for (const Command& command : kCommands) {
    if (!meant || command.name.substr(command.name.find(' ') + 1) != *meant) continue;
    hint = "; did you mean `saranga " + std::string(command.name) + "`?";
  }
  context.say("no such command: " + (data ? "data " + verb : verb) + hint);
  context.say("see `saranga --help`");
  return ExitCode::kUsage;
}

ExitCode run(Context& context, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return tell(context, overview());
  if (arguments[0] == "--version") {
    return tell(context, std::string(saranga::cli::program_version()) + "\n");
  }
  const std::string& last = arguments.back();
  const bool asks = last == "--help" || last == "-h";
  if (arguments[0] == "help" || (asks && arguments.size() == 1) ||
      (asks && arguments.size() == 2 && arguments[0] == "data")) {
    return tell(context, overview());
  }
  for (const Command& command : kCommands) {
    const std::size_t words = matches(command, arguments);
    if (words == 0) continue;
    return command.run(context,
                       {arguments.begin() + static_cast<std::ptrdiff_t>(words), arguments.end()});
  }
  return refuse(context, arguments);
}

}  // namespace

int main(int count, char** values) {
  occupy_standard_streams();
  handle_signals();
  Context context = make_context();
  return static_cast<int>(run(context, std::vector<std::string>(values + 1, values + count)));
}
