#include "tools/cli/running_broker.h"

#include <fmt/format.h>

namespace saranga::cli {

const std::string& lock_folder(const store::Location& location) {
  return location.node_manager_lock ? location.node_manager_lock->path : location.journal.path;
}

std::string holder_of(const HeldBrokerLock& held) {
  if (held.process > 0) return fmt::format("process {}", held.process);
  return held.process < 0 ? "another command" : "another process";
}

Result<std::optional<HeldBrokerLock>> running_broker(const std::string& lock_folder) {
  if (lock_folder.empty()) return std::nullopt;
  return held_broker_lock(lock_folder);
}

}  // namespace saranga::cli
