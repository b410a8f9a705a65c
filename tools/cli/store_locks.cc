#include "tools/cli/store_locks.h"

#include <fmt/format.h>

#include <filesystem>

#include "tools/cli/running_broker.h"

namespace saranga::cli {

Result<StoreLocks> StoreLocks::take(const store::Location& location, bool ignore_commands,
                                    std::string_view instead) {
  StoreLocks locks;
  std::error_code problem;
  const bool instance = !location.instance.empty() &&
                        std::filesystem::is_directory(location.instance + "/lock", problem);
  if (instance && !ignore_commands) {
    auto taken = FileLock::take(location.instance + "/lock/cli.lock", {});
    if (!taken) return std::unexpected(taken.error());
    locks.commands_.push_back(std::move(*taken));
  }
  if (lock_folder(location).empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("without the journal folder nobody can tell whether a broker is "
                            "running; name it with --journal, or {}",
                            instead));
  }
  auto broker = BrokerLocks::take(lock_folder(location));
  if (!broker) {
    if (broker.error().code == ErrorCode::kBusy) {
      broker.error().text += ": a broker is running on this store; stop it first";
    }
    return std::unexpected(broker.error());
  }
  locks.broker_.push_back(std::move(*broker));
  return locks;
}

}  // namespace saranga::cli
