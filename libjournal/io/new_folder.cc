#include "saranga/io/new_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "libjournal/io/descriptor.h"

namespace saranga {
namespace {

// The path without slashes at its end, which would lead into the folder.
std::string trimmed(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// A name beside `path` that nothing has; made by `make`, which says whether it succeeded.
template <class Make>
std::optional<std::string> name_beside(const std::string& path, Make make) {
  static constexpr unsigned kAttempts = 1000;
  const std::string stem = path + "." + std::to_string(::getpid());
  for (unsigned attempt = 1; attempt <= kAttempts; ++attempt) {
    std::string name = stem + "-" + std::to_string(attempt) + ".tmp";
    if (make(name)) return name;
    if (errno != EEXIST && errno != ENOTEMPTY) break;
  }
  return std::nullopt;
}

// What stands at the target: nothing, a folder that may be replaced, or an error.
Result<void> check_target(const std::string& path, bool overwrite) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return system_error(errno, "cannot look at the target", path);
  }
  if (!S_ISDIR(status.st_mode)) return fail(ErrorCode::kExists, "the target is no folder", path);
  std::error_code problem;
  if (overwrite || (std::filesystem::is_empty(path, problem) && !problem)) return {};
  return fail(ErrorCode::kExists, "the target is already there, and not empty", path);
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Result<void> sync_folder(const std::string& path) {
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) return system_error(errno, "cannot open folder", path);
  while (::fsync(opened.get()) != 0) {
    if (errno == EINVAL) return {};
    if (errno != EINTR) return system_error(errno, "cannot sync folder", path);
  }
  return {};
}

Result<void> sync_folders_below(const std::string& path) {
  std::error_code problem;
  auto entry = std::filesystem::recursive_directory_iterator(path, problem);
  for (; !problem && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(problem)) {
    if (!entry->is_directory(problem)) continue;
    if (auto synced = sync_folder(entry->path().string()); !synced) return synced;
  }
  if (problem) return fail(ErrorCode::kIo, "cannot list: " + problem.message(), path);
  return sync_folder(path);
}

}  // namespace

Result<void> NewFolder::check(const std::string& path, bool overwrite) {
  return check_target(trimmed(path), overwrite);
}

Result<std::unique_ptr<NewFolder>> NewFolder::create(const std::string& path, bool overwrite) {
  const std::string target = trimmed(path);
  if (auto free = check_target(target, overwrite); !free) return std::unexpected(free.error());
  auto temporary =
      name_beside(target, [](const std::string& name) { return ::mkdir(name.c_str(), 0777) == 0; });
  if (!temporary) return system_error(errno, "cannot create a folder beside it", target);
  std::unique_ptr<NewFolder> made(new NewFolder(target, std::move(*temporary), overwrite));
  auto opened = open_writable_directory(made->temporary_);
  if (!opened) return std::unexpected(opened.error());
  made->directory_ = std::move(*opened);
  return made;
}

NewFolder::~NewFolder() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);
}

Result<std::unique_ptr<WritableDirectory>> NewFolder::add_folder(const std::string& name) {
  const std::string path = temporary_ + "/" + name;
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    return system_error(errno, "cannot create folder", path);
  }
  return open_writable_directory(path);
}

Result<void> NewFolder::commit() {
  if (auto synced = sync_folders_below(temporary_); !synced) return synced;
  if (auto placed = put_in_place(); !placed) return placed;
  auto synced = sync_folder(parent_of(path_));
  if (!synced) synced.error().text += "; the new folder is in place and complete all the same";
  return synced;
}

// A rename replaces an empty folder by itself. One with content is exchanged, so that a power
// failure leaves the old or the new one; whichever has the temporary name is removed at the end.
Result<void> NewFolder::put_in_place() {
  if (::rename(temporary_.c_str(), path_.c_str()) == 0) {
    temporary_.clear();
    return {};
  }
  if (errno != ENOTEMPTY && errno != EEXIST) return system_error(errno, "cannot rename", path_);
  if (!overwrite_) {
    return fail(ErrorCode::kExists, "the target has been filled by somebody else meanwhile", path_);
  }
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0) {
    return {};
  }
  if (errno != EINVAL && errno != ENOSYS) return system_error(errno, "cannot exchange", path_);
  auto old = name_beside(path_, [this](const std::string& name) {
    return ::access(name.c_str(), F_OK) != 0 && ::rename(path_.c_str(), name.c_str()) == 0;
  });
  if (!old) return system_error(errno, "cannot move the old folder away", path_);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int number = errno;
    (void)::rename(old->c_str(), path_.c_str());
    return system_error(number, "cannot rename", path_);
  }
  temporary_ = std::move(*old);
  return {};
}

}  // namespace saranga
