#include "saranga/store/parts.h"

namespace saranga::store {
namespace {

Result<std::unique_ptr<ReadableDirectory>> open_part(const std::string& path) {
  if (path.empty()) return std::make_unique<MemoryDirectory>("(not given)");
  auto directory = open_disk_directory(path);
  if (directory || directory.error().code != ErrorCode::kNotFound) return directory;
  return std::make_unique<MemoryDirectory>(path);
}

}  // namespace

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
