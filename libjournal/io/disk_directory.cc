// The disk behind ReadableDirectory: descriptors opened for reading, positioned reads, no mappings
// (a mapping of a file that a live broker cuts would end the process).
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "libjournal/io/descriptor.h"
#include "saranga/io/directory.h"

namespace saranga {
namespace {

// Opens without touching the access time where that is allowed (only the owner may ask for it).
int open_for_reading(int folder, const char* name, int more) {
  const int flags = O_RDONLY | O_CLOEXEC | more;
  const int quiet = ::openat(folder, name, flags | O_NOATIME);
  if (quiet >= 0 || errno != EPERM) return quiet;
  return ::openat(folder, name, flags);
}

class DiskFile final : public ReadableFile {
 public:
  DiskFile(Descriptor descriptor, std::uint64_t size, std::string path)
      : descriptor_(std::move(descriptor)), size_(size), path_(std::move(path)) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_; }
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset,
                                            std::span<std::byte> to) const override {
    std::size_t done = 0;
    while (done < to.size()) {
      const auto at = static_cast<off_t>(offset + done);
      const ssize_t got = ::pread(descriptor_.get(), to.data() + done, to.size() - done, at);
      if (got == 0) break;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_error(errno, "cannot read", path_);
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  Descriptor descriptor_;
  std::uint64_t size_;
  std::string path_;
};

class DiskDirectory final : public ReadableDirectory {
 public:
  DiskDirectory(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const override { return path_; }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override;

 private:
  Descriptor descriptor_;
  std::string path_;
};

Result<std::vector<DirectoryEntry>> DiskDirectory::list() const {
  const int own = open_for_reading(descriptor_.get(), ".", O_DIRECTORY);
  if (own < 0) return system_error(errno, "cannot list", path_);
  DIR* stream = ::fdopendir(own);
  if (stream == nullptr) {
    ::close(own);
    return system_error(errno, "cannot list", path_);
  }
  std::vector<DirectoryEntry> entries;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    struct stat status{};
    if (name == "." || name == "..") continue;
    bool there = ::fstatat(descriptor_.get(), entry->d_name, &status, 0) == 0;
    const bool dangling = !there;
    // A link that leads nowhere is told, its file is missed; an entry that vanished between the
    // listing and this call is a live folder's normal life.
    if (dangling) {
      there = ::fstatat(descriptor_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
      status.st_size = 0;
    }
    if (!there) continue;
    entries.push_back(
        {.name = std::string(name),
         .size_bytes = static_cast<std::uint64_t>(status.st_size),
         .modified_ms = status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000,
         .is_directory = S_ISDIR(status.st_mode),
         .unreadable = dangling || (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))});
  }
  ::closedir(stream);
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

Result<std::unique_ptr<ReadableFile>> DiskDirectory::open(std::string_view name) const {
  const std::string path = path_ + "/" + std::string(name);
  Descriptor descriptor(open_for_reading(descriptor_.get(), std::string(name).c_str(), O_NONBLOCK));
  if (descriptor.get() < 0) return system_error(errno, "cannot open", path);
  struct stat status{};
  if (::fstat(descriptor.get(), &status) != 0) return system_error(errno, "cannot inspect", path);
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kUnsupported, "not a regular file", path);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return std::make_unique<DiskFile>(std::move(descriptor), size, path);
}

Result<std::unique_ptr<ReadableDirectory>> open_below(int folder, const std::string& name,
                                                      const std::string& path) {
  Descriptor descriptor(open_for_reading(folder, name.c_str(), O_DIRECTORY));
  if (descriptor.get() < 0) return system_error(errno, "cannot open folder", path);
  return std::make_unique<DiskDirectory>(std::move(descriptor), path);
}

Result<std::unique_ptr<ReadableDirectory>> DiskDirectory::open_directory(
    std::string_view name) const {
  return open_below(descriptor_.get(), std::string(name), path_ + "/" + std::string(name));
}

}  // namespace

Result<std::unique_ptr<ReadableDirectory>> open_disk_directory(const std::string& path) {
  return open_below(AT_FDCWD, path, path);
}

Result<std::vector<std::byte>> read_whole(const ReadableDirectory& from, std::string_view name,
                                          std::uint64_t limit_bytes) {
  auto file = from.open(name);
  if (!file) return std::unexpected(file.error());
  const std::uint64_t size = (*file)->size_bytes();
  const std::string path = from.path() + "/" + std::string(name);
  if (size > limit_bytes) {
    return fail(ErrorCode::kUnsupported,
                "has " + std::to_string(size) + " bytes, at most " + std::to_string(limit_bytes) +
                    " are read here",
                path);
  }
  std::vector<std::byte> content(static_cast<std::size_t>(size));
  auto got = (*file)->read_at(0, content);
  if (!got) return std::unexpected(got.error());
  content.resize(*got);
  return content;
}

}  // namespace saranga
