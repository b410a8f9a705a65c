#include "libjournal/journal/compaction_preview.h"

#include <algorithm>

#include "libjournal/journal/folder_repair.h"

namespace saranga::journal {

CompactionPreview::CompactionPreview(const ReadableDirectory& directory,
                                     const JournalFolder& folder, const std::vector<bool>& consumed,
                                     const std::vector<OutputFile>& outputs)
    : directory_(directory) {
  for (std::size_t i = 0; i < folder.files.size(); ++i) {
    if (consumed[i]) hidden_.insert(folder.files[i].name);
  }
  for (const OutputFile& output : outputs) {
    hidden_.insert(output.name);
    const std::size_t stem = output.name.size() - kCompactedSuffix.size();
    renamed_.emplace(output.name.substr(0, stem), output.name);
  }
}

Result<std::vector<DirectoryEntry>> CompactionPreview::list() const {
  auto entries = directory_.list();
  if (!entries) return entries;
  std::vector<DirectoryEntry> shown;
  for (DirectoryEntry& entry : *entries) {
    for (const auto& [name, real] : renamed_) {
      if (entry.name != real) continue;
      shown.push_back(entry);
      shown.back().name = name;
    }
    if (!hidden_.contains(entry.name)) shown.push_back(std::move(entry));
  }
  std::ranges::sort(shown, {}, &DirectoryEntry::name);
  return shown;
}

Result<std::unique_ptr<ReadableFile>> CompactionPreview::open(std::string_view name) const {
  const auto renamed = renamed_.find(name);
  if (renamed != renamed_.end()) return directory_.open(renamed->second);
  if (hidden_.contains(name)) {
    return fail(ErrorCode::kNotFound, "no such file", path() + "/" + std::string(name));
  }
  return directory_.open(name);
}

}  // namespace saranga::journal
