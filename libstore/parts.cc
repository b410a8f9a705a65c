#include "saranga/store/parts.h"

#include <vector>

#include "saranga/io/archive.h"

namespace saranga::store {
namespace {

constexpr const char* kNotGiven = "(not given)";

Result<std::unique_ptr<ReadableDirectory>> open_part(const std::string& path) {
  if (path.empty()) return not_given();
  auto directory = open_disk_directory(path);
  if (directory || directory.error().code != ErrorCode::kNotFound) return directory;
  return std::make_unique<MemoryDirectory>(path);
}

// The folders below one folder, an empty one for each that is not there.
StoreParts parts_below(const ReadableDirectory& folder) {
  StoreParts parts;
  const auto open = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (auto directory = folder.open_directory(name)) return std::move(*directory);
    }
    const std::string path = folder.path() + "/" + *names.begin();
    return std::unique_ptr<ReadableDirectory>(std::make_unique<MemoryDirectory>(path));
  };
  parts.bindings = open({"bindings"});
  parts.journal = open({"journal"});
  parts.paging = open({"paging"});
  parts.large_messages = open({"large-messages", "largemessages"});
  return parts;
}

// How deep in an archive the data folder may lie: instance/data below the name of a support case.
constexpr int kDeepest = 4;

// The folders that hold a journal or bindings folder.
void find_data_folders(std::unique_ptr<ReadableDirectory> folder, int depth,
                       std::vector<std::unique_ptr<ReadableDirectory>>& found) {
  if (folder->open_directory("journal") || folder->open_directory("bindings")) {
    found.push_back(std::move(folder));
    return;
  }
  const auto entries = folder->list();
  if (!entries || depth == kDeepest) return;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.is_directory) continue;
    if (auto directory = folder->open_directory(entry.name)) {
      find_data_folders(std::move(*directory), depth + 1, found);
    }
  }
}

}  // namespace

std::unique_ptr<ReadableDirectory> not_given() {
  return std::make_unique<MemoryDirectory>(kNotGiven);
}

bool is_given(const ReadableDirectory& part) { return part.path() != kNotGiven; }

Result<StoreParts> open_archive_parts(const std::string& path) {
  auto archive = open_archive(path);
  if (!archive) return std::unexpected(archive.error());
  std::vector<std::unique_ptr<ReadableDirectory>> found;
  find_data_folders(std::move(*archive), 0, found);
  if (found.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "the archive holds no data folder: no folder named journal or bindings", path);
  }
  if (found.size() > 1) {
    std::string names;
    for (const auto& folder : found) names += " " + folder->path();
    return fail(ErrorCode::kInvalidArgument,
                "the archive holds more than one store; unpack the one that you mean:" + names,
                path);
  }
  return parts_below(*found.front());
}

Result<StoreParts> open_parts(const Location& location) {
  StoreParts parts;
  const std::pair<std::unique_ptr<ReadableDirectory>*, const Place*> wanted[] = {
      {&parts.bindings, &location.bindings},
      {&parts.journal, &location.journal},
      {&parts.paging, &location.paging},
      {&parts.large_messages, &location.large_messages}};
  for (const auto& [directory, place] : wanted) {
    auto opened = open_part(place->path);
    if (!opened) return std::unexpected(opened.error());
    *directory = std::move(*opened);
  }
  return parts;
}

}  // namespace saranga::store
