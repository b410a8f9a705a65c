#include "saranga/message/large_files.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace saranga::message {
namespace {

std::optional<LargeFile::Kind> kind_of(std::string_view name) {
  if (name.ends_with(".msg")) return LargeFile::Kind::kDurable;
  if (name.ends_with(".tmp")) return LargeFile::Kind::kNonDurable;
  if (name.ends_with(".sync")) return LargeFile::Kind::kSync;
  return std::nullopt;
}

// Artemis takes the text in front of the first dot.
std::optional<std::int64_t> id_of(std::string_view name) {
  const std::string_view digits = name.substr(0, name.find('.'));
  std::int64_t id = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) return std::nullopt;
  return id;
}

}  // namespace

bool is_large_file_name(std::string_view name) { return kind_of(name) && id_of(name); }

Result<std::vector<LargeFile>> list_large_files(const ReadableDirectory& directory,
                                                std::string_view label, FindingSink& sink) {
  auto entries = directory.list();
  if (!entries) return std::unexpected(entries.error());
  std::vector<LargeFile> files;
  for (const DirectoryEntry& entry : *entries) {
    const auto kind = kind_of(entry.name);
    if (entry.is_directory || !kind) continue;
    LargeFile file{.kind = *kind, .name = entry.name, .size_bytes = entry.size_bytes};
    if (const auto id = id_of(entry.name)) {
      file.id = *id;
      files.push_back(std::move(file));
      continue;
    }
    sink.finding(
        {.code = "large-file-name",
         .severity = Severity::kWarning,
         .file = std::string(label) + "/" + entry.name,
         .length_bytes = entry.size_bytes,
         .text = "the name is no message id; a broker does not start with such a .msg file"});
  }
  std::ranges::stable_sort(files, {}, &LargeFile::id);
  return files;
}

}  // namespace saranga::message
