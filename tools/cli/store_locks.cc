#include "tools/cli/store_locks.h"

#include <fmt/format.h>

#include <filesystem>

#include "tools/cli/running_broker.h"

namespace saranga::cli {

namespace {

// What BrokerLocks::take() waits for, if it is not free now.
void tell_waiting(const Context& context, const std::string& folder) {
  const std::string path = folder + "/server.lock";
  const auto holder = lock_holder(path, 1, 1);
  if (!holder || !*holder) return;
  context.say(fmt::format("notice: waiting a moment for the lock on {}, which {} holds", path,
                          holder_of({.path = path, .process = **holder})));
}

std::string_view who_is_busy(const std::string& folder) {
  const auto held = running_broker(folder);
  return held && *held && (*held)->process < 0
             ? "another command works on this store; wait for its end"
             : "a broker is running on this store; stop it first";
}

}  // namespace

Result<StoreLocks> StoreLocks::take(const Context& context, const store::Location& location,
                                    const Options& options) {
  StoreLocks locks;
  std::error_code problem;
  const bool instance = !location.instance.empty() &&
                        std::filesystem::is_directory(location.instance + "/lock", problem);
  if (instance && !options.ignore_commands) {
    auto taken = FileLock::take(location.instance + "/lock/cli.lock", {});
    if (!taken) return std::unexpected(taken.error());
    locks.commands_.push_back(std::move(*taken));
  }
  if (lock_folder(location).empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("without the journal folder nobody can tell whether a broker is "
                            "running; name it with --journal, or {}",
                            options.instead));
  }
  if (!options.quiet) tell_waiting(context, lock_folder(location));
  auto broker = BrokerLocks::take(lock_folder(location));
  if (!broker) {
    if (broker.error().code == ErrorCode::kBusy) {
      broker.error().text += fmt::format(": {}", who_is_busy(lock_folder(location)));
    }
    return std::unexpected(broker.error());
  }
  locks.broker_.push_back(std::move(*broker));
  return locks;
}

}  // namespace saranga::cli
