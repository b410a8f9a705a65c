#include "saranga/io/directory.h"

#include <algorithm>

namespace saranga {
namespace {

class MemoryFile final : public ReadableFile {
 public:
  explicit MemoryFile(std::shared_ptr<const std::vector<std::byte>> content)
      : content_(std::move(content)) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return content_->size(); }
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset,
                                            std::span<std::byte> to) const override {
    if (offset >= content_->size() || to.empty()) return std::size_t{0};
    const auto from = static_cast<std::size_t>(offset);
    const std::size_t count = std::min(to.size(), content_->size() - from);
    std::memcpy(to.data(), content_->data() + from, count);
    return count;
  }

 private:
  std::shared_ptr<const std::vector<std::byte>> content_;
};

}  // namespace

void MemoryDirectory::put(std::string name, std::vector<std::byte> content) {
  files_[std::move(name)] = std::make_shared<const std::vector<std::byte>>(std::move(content));
}

// A name with a slash lies in a folder below: "page-store/000000001.page".
Result<std::vector<DirectoryEntry>> MemoryDirectory::list() const {
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, content] : files_) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) {
      entries.push_back({.name = name, .size_bytes = content->size()});
    } else if (entries.empty() || entries.back().name != name.substr(0, slash)) {
      entries.push_back({.name = name.substr(0, slash), .is_directory = true});
    }
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);  // "a.x" stood in front of "a/"
  return entries;
}

Result<std::unique_ptr<ReadableFile>> MemoryDirectory::open(std::string_view name) const {
  const auto found = files_.find(name);
  if (found == files_.end()) {
    return fail(ErrorCode::kNotFound, "no such file", path_ + "/" + std::string(name));
  }
  return std::make_unique<MemoryFile>(found->second);
}

Result<std::unique_ptr<ReadableDirectory>> MemoryDirectory::open_directory(
    std::string_view name) const {
  const std::string prefix = std::string(name) + "/";
  auto below = std::make_unique<MemoryDirectory>(path_ + "/" + std::string(name));
  for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix);
       ++at) {
    below->files_[at->first.substr(prefix.size())] = at->second;
  }
  if (below->files_.empty()) return fail(ErrorCode::kNotFound, "no such folder", below->path_);
  return below;
}

}  // namespace saranga
