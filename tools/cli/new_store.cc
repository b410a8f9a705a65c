#include "tools/cli/new_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

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
         name.starts_with("server");
}

Result<void> check_unused(const std::string& folder) {
  const auto broker = running_broker(folder);
  if (!broker) return std::unexpected(broker.error());
  if (!*broker) return {};
  return fail(ErrorCode::kBusy, "a broker runs on it: " + **broker, folder);
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
  for (const std::string& folder : {path, path + "/journal"}) {
    if (auto unused = check_unused(folder); !unused) return unused;
  }
  return {};
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

Result<std::unique_ptr<NewFolder>> begin_new_folder(const std::string& path, bool force) {
  if (auto free = check_new_folder(path, force); !free) return std::unexpected(free.error());
  return NewFolder::create(path, force);
}

}  // namespace saranga::cli
