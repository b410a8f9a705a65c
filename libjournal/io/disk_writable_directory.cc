// The disk behind WritableDirectory. Reading is left to the one that only reads.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "libjournal/io/descriptor.h"
#include "saranga/io/writable_directory.h"

namespace saranga {
namespace {

constexpr std::uint64_t kMuchBytes = std::uint64_t{1} << 20;

class DiskWritableFile final : public WritableFile {
 public:
  DiskWritableFile(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const override { return path_; }
  // Opened a second time, so that small writes may still go through the page cache.
  [[nodiscard]] Result<int> direct_descriptor() override {
    if (direct_.get() >= 0) return direct_.get();
    Descriptor opened(::open(path_.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
    if (opened.get() < 0 && errno == EINVAL) {
      return fail(ErrorCode::kUnsupported, "its file system cannot write past the page cache",
                  path_);
    }
    if (opened.get() < 0) return system_error(errno, "cannot open for direct writes", path_);
    struct ::stat ours{};
    struct ::stat theirs{};
    if (::fstat(descriptor_.get(), &ours) != 0 || ::fstat(opened.get(), &theirs) != 0) {
      return system_error(errno, "cannot open for direct writes", path_);
    }
    if (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino) {
      return fail(ErrorCode::kIo, "was replaced by another file while it was open", path_);
    }
    direct_ = std::move(opened);
    return direct_.get();
  }
  [[nodiscard]] Result<void> write_at(std::uint64_t offset, Bytes bytes) override {
    const std::uint64_t begin = offset;
    while (!bytes.empty()) {
      const auto at = static_cast<off_t>(offset);
      const ssize_t done = ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), at);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return system_error(errno, "cannot write", path_);
      // A write of nothing would go on for ever; only a broken file system answers like that.
      if (done == 0) return system_error(ENOSPC, "cannot write", path_);
      bytes = bytes.subspan(static_cast<std::size_t>(done));
      offset += static_cast<std::uint64_t>(done);
    }
    // Whoever writes much syncs it soon; the disk may as well begin. A hint, so errors mean
    // nothing.
    if (offset - begin >= kMuchBytes) {
      (void)::sync_file_range(descriptor_.get(), static_cast<off_t>(begin),
                              static_cast<off_t>(offset - begin), SYNC_FILE_RANGE_WRITE);
    }
    return {};
  }
  [[nodiscard]] Result<void> sync_data() override {
    while (::fdatasync(descriptor_.get()) != 0) {
      if (errno != EINTR) return system_error(errno, "cannot sync", path_);
    }
    return {};
  }

 private:
  Descriptor descriptor_;
  Descriptor direct_{-1};
  std::string path_;
};

class DiskWritableDirectory final : public WritableDirectory {
 public:
  DiskWritableDirectory(Descriptor descriptor, std::unique_ptr<ReadableDirectory> reading)
      : descriptor_(std::move(descriptor)), reading_(std::move(reading)) {}

  [[nodiscard]] const std::string& path() const override { return reading_->path(); }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override {
    return reading_->list();
  }
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override {
    return reading_->open(name);
  }
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override {
    return reading_->open_directory(name);
  }

  [[nodiscard]] Result<std::unique_ptr<WritableFile>> create(std::string_view name) override {
    return open_file(name, O_CREAT | O_EXCL, "cannot create");
  }
  [[nodiscard]] Result<std::unique_ptr<WritableFile>> open_for_writing(
      std::string_view name) override {
    return open_file(name, 0, "cannot open for writing");
  }
  [[nodiscard]] Result<void> rename(std::string_view from, std::string_view to) override {
    const int folder = descriptor_.get();
    if (::renameat(folder, std::string(from).c_str(), folder, std::string(to).c_str()) != 0) {
      return system_error(errno, "cannot rename to " + std::string(to), below(from));
    }
    return {};
  }
  [[nodiscard]] Result<void> remove(std::string_view name) override {
    if (::unlinkat(descriptor_.get(), std::string(name).c_str(), 0) != 0) {
      return system_error(errno, "cannot remove", below(name));
    }
    return {};
  }
  [[nodiscard]] Result<void> create_directory(std::string_view name) override {
    if (::mkdirat(descriptor_.get(), std::string(name).c_str(), 0777) != 0 && errno != EEXIST) {
      return system_error(errno, "cannot create folder", below(name));
    }
    return {};
  }
  [[nodiscard]] Result<void> sync() override {
    while (::fsync(descriptor_.get()) != 0) {
      if (errno == EINVAL) return {};  // a file system whose folders need no sync
      if (errno != EINTR) return system_error(errno, "cannot sync folder", path());
    }
    return {};
  }

 private:
  [[nodiscard]] std::string below(std::string_view name) const {
    return path() + "/" + std::string(name);
  }
  [[nodiscard]] Result<std::unique_ptr<WritableFile>> open_file(std::string_view name, int more,
                                                                std::string_view doing) {
    const int flags = O_WRONLY | O_CLOEXEC | more;
    Descriptor opened(::openat(descriptor_.get(), std::string(name).c_str(), flags, 0666));
    if (opened.get() < 0) return system_error(errno, doing, below(name));
    return std::make_unique<DiskWritableFile>(std::move(opened), below(name));
  }

  Descriptor descriptor_;
  std::unique_ptr<ReadableDirectory> reading_;
};

}  // namespace

Result<std::unique_ptr<WritableDirectory>> open_writable_directory(const std::string& path) {
  auto reading = open_disk_directory(path);
  if (!reading) return std::unexpected(reading.error());
  Descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) return system_error(errno, "cannot open folder", path);
  return std::make_unique<DiskWritableDirectory>(std::move(opened), std::move(*reading));
}

}  // namespace saranga
