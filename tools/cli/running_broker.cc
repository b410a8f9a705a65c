#include "tools/cli/running_broker.h"

#include <fmt/format.h>

#include "saranga/io/locks.h"

namespace saranga::cli {

const std::string& lock_folder(const store::Location& location) {
  return location.node_manager_lock ? location.node_manager_lock->path : location.journal.path;
}

std::string broker_lock(const std::string& lock_folder) { return lock_folder + "/serverlock.1"; }

Result<std::optional<std::string>> running_broker(const std::string& lock_folder) {
  if (lock_folder.empty()) return std::nullopt;
  const std::string path = broker_lock(lock_folder);
  const auto holder = lock_holder(path);
  if (!holder) return std::unexpected(holder.error());
  if (!*holder) return std::nullopt;
  return fmt::format("{} holds {}",
                     **holder > 0 ? fmt::format("process {}", **holder) : "another process", path);
}

}  // namespace saranga::cli
