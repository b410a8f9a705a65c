#include "saranga/io/replacer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace saranga {
namespace {

std::unexpected<Error> system_error(const char* doing, const std::string& path) {
  return fail(ErrorCode::kIo, std::string(doing) + ": " + std::strerror(errno), path);
}

struct Beside {
  int descriptor;
  std::string path;
};

// A fresh file beside the target, with a mode that the mask of the process still restricts.
Beside create_beside(const std::string& path, mode_t mode) {
  static constexpr unsigned kAttempts = 1000;
  const std::string stem = path + "." + std::to_string(::getpid());
  for (unsigned attempt = 1;; ++attempt) {
    std::string name = stem + "-" + std::to_string(attempt) + ".tmp";
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0 && errno == EEXIST && attempt < kAttempts) continue;
    return {descriptor, std::move(name)};
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> sync_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return system_error("cannot open folder", folder);
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL;
  ::close(descriptor);
  if (!synced) return system_error("cannot sync folder", folder);
  return {};
}

}  // namespace

Result<std::unique_ptr<Replacer>> Replacer::create(const std::string& path, bool overwrite) {
  struct stat status{};
  const bool exists = ::lstat(path.c_str(), &status) == 0;
  if (exists && !overwrite) return fail(ErrorCode::kExists, "the target is already there", path);
  if (exists && !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kUnsupported, "the target is not a regular file", path);
  }
  // Until it has the mode of the file that it replaces, nobody else may open it.
  auto [descriptor, temporary] = create_beside(path, exists ? 0600 : 0666);
  if (descriptor < 0) return system_error("cannot create a file beside it", path);
  std::unique_ptr<Replacer> made(new Replacer(descriptor, path, std::move(temporary)));
  if (exists && ::fchmod(descriptor, status.st_mode & 07777) != 0) {
    return system_error("cannot set the mode", path);
  }
  return made;
}

Replacer::~Replacer() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> Replacer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_error("cannot write", path_);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> Replacer::commit() {
  if (::fsync(descriptor_) != 0) return system_error("cannot sync", path_);
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) return system_error("cannot close", path_);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error("cannot rename", path_);
  temporary_.clear();
  return sync_folder(path_);
}

}  // namespace saranga
