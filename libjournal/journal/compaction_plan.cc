#include "libjournal/journal/compaction_plan.h"

#include <algorithm>
#include <map>
#include <set>

namespace saranga::journal {
namespace {

constexpr std::uint64_t kSmallestFileBytes = 1024;
constexpr std::uint64_t kMessageFileBytes = 10'485'760;
constexpr std::uint64_t kOtherFileBytes = 1'048'576;
constexpr std::uint64_t kSmallestBlockBytes = 512;
constexpr std::uint64_t kGreatestBlockBytes = 65'536;

std::int32_t tag_of(std::int64_t id) { return FileHeader{.id = id}.tag(); }

}  // namespace

std::uint64_t usual_file_size(const JournalFolder& folder, const CompactorOptions& options) {
  if (options.file_size_bytes) return *options.file_size_bytes;
  std::map<std::uint64_t, std::size_t> sizes;
  for (const JournalFile& file : folder.files) {
    const bool possible = file.size_bytes >= kSmallestFileBytes && file.size_bytes <= INT32_MAX;
    if (possible) ++sizes[file.size_bytes];
  }
  if (sizes.empty()) {
    return folder.kind == JournalKind::kMessages ? kMessageFileBytes : kOtherFileBytes;
  }
  return std::ranges::max_element(
             sizes, {}, [](const auto& size) { return std::pair(size.second, size.first); })
      ->first;
}

// Compaction by Artemis packs its files from the header on, also in a journal of blocks.
std::uint32_t usual_alignment(const std::vector<ReadFile>& read, const CompactorOptions& options,
                              std::uint64_t file_size_bytes) {
  std::uint64_t alignment = 0;
  for (const ReadFile& file : read) {
    const std::uint64_t first = file.first_record_offset;
    if (file.records == 0 || (first == kHeaderBytes && file.first_was_compacted)) continue;
    // The greatest block that it is a multiple of; the first one may have been left empty.
    const std::uint64_t block = std::min(first & ~(first - 1), kGreatestBlockBytes);
    const std::uint64_t told = block < kSmallestBlockBytes ? 1 : block;
    alignment = alignment == 0 ? told : std::min(alignment, told);
  }
  if (options.alignment_bytes && alignment == 0) alignment = *options.alignment_bytes;
  const bool fits =
      alignment != 0 && file_size_bytes % alignment == 0 && file_size_bytes > alignment;
  return fits ? static_cast<std::uint32_t>(alignment) : 1;
}

std::int64_t greatest_number(const JournalFolder& folder) {
  std::int64_t greatest = 0;
  for (const JournalFile& file : folder.files) {
    greatest = std::max({greatest, file.header.id, name_number(file.name)});
  }
  for (const OddFile& odd : folder.odd) greatest = std::max(greatest, name_number(odd.name));
  return greatest;
}

NamePattern name_pattern(const JournalFolder& folder) {
  NamePattern pattern{"activemq-data", "amq"};
  if (folder.kind == JournalKind::kBindings) pattern = {"activemq-bindings", "bindings"};
  if (folder.kind == JournalKind::kJms) pattern = {"activemq-jms", "jms"};
  for (const JournalFile& file : folder.files) {
    const std::size_t hyphen = file.name.rfind('-', file.name.find('.'));
    const std::size_t dot = file.name.find('.');
    if (name_number(file.name) == 0 || hyphen == std::string::npos) continue;
    const std::size_t end = file.name.find('.', dot + 1);  // .cmp and .bkp are no part of it
    pattern = {file.name.substr(0, hyphen), file.name.substr(dot + 1, end - dot - 1)};
  }
  return pattern;
}

std::vector<std::int64_t> output_ids(std::size_t count, const std::vector<std::int64_t>& inputs,
                                     const std::vector<std::int64_t>& keeping,
                                     std::int64_t greatest) {
  std::set<std::int32_t> taken;
  for (const std::int64_t id : keeping) taken.insert(tag_of(id));
  std::vector<std::int64_t> ids;
  for (const std::int64_t id : inputs) {
    if (ids.size() == count) break;
    if (id <= 0 || (!ids.empty() && id <= ids.back())) continue;
    if (taken.insert(tag_of(id)).second) ids.push_back(id);
  }
  for (std::int64_t id = greatest + 1; ids.size() < count; ++id) {
    if (taken.insert(tag_of(id)).second) ids.push_back(id);
  }
  return ids;
}

}  // namespace saranga::journal
