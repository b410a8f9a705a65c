#include "saranga/io/folder_copy.h"

#include <utility>

namespace saranga {
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
