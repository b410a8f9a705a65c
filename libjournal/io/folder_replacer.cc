#include "saranga/io/folder_replacer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "libjournal/io/descriptor.h"

namespace saranga {
namespace {

constexpr unsigned kAttempts = 1000;

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
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

namespace {

// Whether something is there that has to be replaced.
Result<bool> is_taken(const std::string& path, bool overwrite) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return false;
  std::error_code problem;
  const bool folder = S_ISDIR(status.st_mode);
  if (folder && std::filesystem::is_empty(path, problem) && !problem) return false;
  if (folder && overwrite) return true;
  return fail(ErrorCode::kExists,
              folder ? "the target is already there" : "the target is there and is no folder",
              path);
}

}  // namespace

Result<void> FolderReplacer::check(const std::string& path, bool overwrite) {
  const auto taken = is_taken(without_slashes(path), overwrite);
  if (!taken) return std::unexpected(taken.error());
  return {};
}

Result<std::unique_ptr<FolderReplacer>> FolderReplacer::create(std::string path, bool overwrite) {
  path = without_slashes(std::move(path));
  const auto replaces = is_taken(path, overwrite);
  if (!replaces) return std::unexpected(replaces.error());
  const std::string stem = path + "." + std::to_string(::getpid());
  for (unsigned attempt = 1;; ++attempt) {
    std::string beside = stem + "-" + std::to_string(attempt) + ".tmp";
    if (::mkdir(beside.c_str(), 0777) == 0) {
      std::unique_ptr<FolderReplacer> made(new FolderReplacer(path, beside, *replaces));
      return made;
    }
    if (errno != EEXIST || attempt == kAttempts) {
      return system_error(errno, "cannot create a folder beside it", path);
    }
  }
}

FolderReplacer::~FolderReplacer() {
  std::error_code ignored;
  if (!beside_.empty()) std::filesystem::remove_all(beside_, ignored);
}

Result<std::unique_ptr<WritableDirectory>> FolderReplacer::add_folder(const std::string& name) {
  const std::string path = beside_ + "/" + name;
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    return system_error(errno, "cannot create folder", path);
  }
  return open_writable_directory(path);
}

Result<void> FolderReplacer::commit() {
  if (auto synced = sync_folders_below(beside_); !synced) return synced;
  const unsigned how = replaces_ ? RENAME_EXCHANGE : 0U;
  if (::renameat2(AT_FDCWD, beside_.c_str(), AT_FDCWD, path_.c_str(), how) != 0) {
    return system_error(errno, "cannot rename", path_);
  }
  auto synced = sync_folder(parent_of(path_));
  // What was there before stands beside now, and goes with this object.
  if (!replaces_ || !synced) beside_.clear();
  return synced;
}

// ---- copying ------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
constexpr std::size_t kDeepest = 16;

}  // namespace

/// A folder that is being copied.
struct FolderCopy::Level {
  std::unique_ptr<ReadableDirectory> owned;
  const ReadableDirectory* from;
  std::string below;  // "" or "a/b/"
  std::vector<DirectoryEntry> entries;
  std::size_t next = 0;
  std::unique_ptr<WritableDirectory> to;
};

/// The file that is being copied.
struct FolderCopy::Current {
  std::unique_ptr<ReadableFile> from;
  std::unique_ptr<WritableFile> to;
  std::uint64_t done = 0;
};

FolderCopy::FolderCopy(const ReadableDirectory& from, std::string to, std::string label,
                       FindingSink& sink)
    : from_(from), to_(std::move(to)), label_(std::move(label)), sink_(sink) {}

FolderCopy::~FolderCopy() = default;

Result<void> FolderCopy::push(std::unique_ptr<ReadableDirectory> owned,
                              const ReadableDirectory& from, std::string below) {
  // A link that leads back to its own folder would never end.
  if (levels_.size() == kDeepest) {
    return fail(ErrorCode::kUnsupported, "there are too many folders below each other",
                from.path());
  }
  auto entries = from.list();
  if (!entries) return std::unexpected(entries.error());
  auto to = open_writable_directory(to_ + "/" + below);
  if (!to) return std::unexpected(to.error());
  levels_.push_back(std::make_unique<Level>(Level{.owned = std::move(owned),
                                                  .from = &from,
                                                  .below = std::move(below),
                                                  .entries = std::move(*entries),
                                                  .to = std::move(*to)}));
  return {};
}

Result<void> FolderCopy::begin(const DirectoryEntry& entry) {
  Level& level = *levels_.back();
  if (entry.unreadable) {
    sink_.finding({.code = "file-unreadable",
                   .severity = Severity::kDamage,
                   .file = label_ + "/" + level.below + entry.name,
                   .text = "this is no file: a link that leads nowhere, a pipe or a device; it is "
                           "left behind"});
    return {};
  }
  if (entry.is_directory) {
    auto from = level.from->open_directory(entry.name);
    if (!from) return std::unexpected(from.error());
    if (auto made = level.to->create_directory(entry.name); !made) return made;
    const ReadableDirectory& opened = **from;
    return push(std::move(*from), opened, level.below + entry.name + "/");
  }
  auto from = level.from->open(entry.name);
  if (!from) return std::unexpected(from.error());
  auto to = level.to->create(entry.name);
  if (!to) return std::unexpected(to.error());
  current_ = std::make_unique<Current>(Current{.from = std::move(*from), .to = std::move(*to)});
  return {};
}

Result<void> FolderCopy::copy_piece() {
  buffer_.resize(kPieceBytes);
  const auto got = current_->from->read_at(current_->done, buffer_);
  if (!got) return std::unexpected(got.error());
  if (*got == 0) {
    auto synced = current_->to->sync_data();
    current_.reset();
    ++files_;
    return synced;
  }
  const Bytes piece = Bytes(buffer_).first(*got);
  if (auto written = current_->to->write_at(current_->done, piece); !written) return written;
  current_->done += *got;
  bytes_ += *got;
  return {};
}

Result<bool> FolderCopy::step() {
  Result<void> done;
  if (!std::exchange(begun_, true)) {
    done = push(nullptr, from_, "");
  } else if (current_) {
    done = copy_piece();
  } else if (!levels_.empty()) {
    Level& level = *levels_.back();
    if (level.next == level.entries.size()) {
      levels_.pop_back();
    } else {
      done = begin(level.entries[level.next++]);
    }
  }
  if (!done) return std::unexpected(done.error());
  return current_ != nullptr || !levels_.empty();
}

std::uint64_t folder_bytes(const ReadableDirectory& folder, unsigned depth) {
  std::uint64_t bytes = 0;
  const auto entries = folder.list();
  if (!entries || depth == 0) return 0;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.is_directory) {
      bytes += entry.size_bytes;
    } else if (const auto below = folder.open_directory(entry.name)) {
      bytes += folder_bytes(**below, depth - 1);
    }
  }
  return bytes;
}

}  // namespace saranga
