#include "tools/cli/new_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "saranga/io/broker_locks.h"
#include "saranga/journal/folder.h"
#include "saranga/store/location.h"
#include "tools/cli/running_broker.h"

namespace saranga::cli {
namespace {

constexpr std::array kFoldersOfStore = {"bindings",       "journal",       "paging",
                                        "large-messages", "largemessages", "attic"};

// What a broker puts into a data folder or a journal folder.
bool belongs_to_store(const DirectoryEntry& entry) {
  const std::string& name = entry.name;
  if (entry.is_directory) {
    return std::ranges::find(kFoldersOfStore, name) != kFoldersOfStore.end();
  }
  return journal::journal_kind_of(name) || name == journal::kControlFileName ||
         name == "server.lock" || name.starts_with("serverlock.") ||
         name == "server.activation.sequence";
}

// Where the locks may be of a broker that runs on a folder: in that, when it is a journal; in the
// journal below it, when it is a data folder; in the one beside it, when it is another part.
std::vector<std::string> lock_folders(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path + "/").lexically_normal();
  const std::string itself = folder.parent_path();
  const std::string beside = folder.parent_path().parent_path() / "journal";
  std::vector<std::string> folders = {itself, itself + "/journal"};
  if (beside != itself) folders.push_back(beside);
  return folders;
}

Result<void> check_unused(const std::string& path) {
  for (const std::string& folder : lock_folders(path)) {
    const auto broker = running_broker(folder);
    if (!broker) return std::unexpected(broker.error());
    if (!*broker) continue;
    return fail(ErrorCode::kBusy,
                fmt::format("{}: {} holds {}",
                            (*broker)->process < 0 ? "another command works on it"
                                                   : "a broker runs on it; stop it first",
                            holder_of(**broker), (*broker)->path),
                path);
  }
  return {};
}

Result<void> check_replaceable(const std::string& path) {
  const auto directory = open_disk_directory(path);
  if (!directory) {
    if (directory.error().code == ErrorCode::kNotFound) return {};
    return std::unexpected(directory.error());
  }
  const auto entries = (*directory)->list();
  if (!entries) return std::unexpected(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (belongs_to_store(entry)) continue;
    return fail(ErrorCode::kExists,
                fmt::format("holds {}, which is no part of a store; --force replaces none but "
                            "stores and journals",
                            entry.name),
                path);
  }
  return check_unused(path);
}

// No broker starts on what is about to go. Where there is no file to lock none has ever started.
Result<std::vector<BrokerLocks>> lock_replaced(const std::string& path) {
  std::vector<BrokerLocks> taken;
  for (const std::string& folder : lock_folders(path)) {
    std::error_code problem;
    if (!std::filesystem::exists(folder + "/server.lock", problem) &&
        !std::filesystem::exists(folder + "/serverlock.1", problem)) {
      continue;
    }
    auto locks = BrokerLocks::take(folder);
    if (!locks) return std::unexpected(locks.error());
    taken.push_back(std::move(*locks));
  }
  return taken;
}

}  // namespace

Result<void> check_new_folder(const std::string& path, bool force) {
  std::error_code problem;
  const auto real = std::filesystem::weakly_canonical(path, problem);
  if (store::lies_in_store(real.string())) {
    return fail(ErrorCode::kInvalidArgument,
                "lies among the files of a store; nothing is written there", path);
  }
  if (force) {
    if (auto replaceable = check_replaceable(path); !replaceable) return replaceable;
  }
  auto free = NewFolder::check(path, force);
  if (!free && free.error().code == ErrorCode::kExists && !force) {
    free.error().text += "; --force replaces it";
  }
  return free;
}

Result<std::unique_ptr<NewFolder>> begin_new_folder(const std::string& path, bool force,
                                                    const std::string& input) {
  std::error_code problem;
  const auto real = std::filesystem::weakly_canonical(input, problem);
  const auto inside = real.lexically_relative(std::filesystem::weakly_canonical(path, problem));
  if (force && !input.empty() && !inside.empty() && *inside.begin() != "..") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--force would remove what is read ({})", input), path);
  }
  if (auto free = check_new_folder(path, force); !free) return std::unexpected(free.error());
  return NewFolder::create(path, force);
}

Result<void> commit_new_folder(NewFolder& folder, const std::string& path, bool force) {
  if (!force) return folder.commit();
  if (auto replaceable = check_replaceable(path); !replaceable) return replaceable;
  const auto locks = lock_replaced(path);
  if (!locks) return std::unexpected(locks.error());
  return folder.commit();
}

}  // namespace saranga::cli
