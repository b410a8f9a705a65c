#include "saranga/journal/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "saranga/bytes/cursor.h"
#include "saranga/journal/scanner.h"

namespace saranga::journal {
namespace {

constexpr std::uint64_t kControlLimitBytes = std::uint64_t{64} << 20;
// How far into a file with a damaged header a record is looked for; ASYNCIO starts at a block.
constexpr std::uint64_t kGuessBytes = std::uint64_t{1} << 16;

struct Extension {
  std::string_view text;
  JournalKind kind;
};
constexpr Extension kExtensions[] = {{".amq", JournalKind::kMessages},
                                     {".hq", JournalKind::kMessages},
                                     {".bindings", JournalKind::kBindings},
                                     {".jms", JournalKind::kJms}};

bool take_suffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

std::optional<JournalKind> kind_of_plain(std::string_view name) {
  for (const Extension& extension : kExtensions) {
    if (name.ends_with(extension.text)) return extension.kind;
  }
  return std::nullopt;
}

// Collects what read_folder finds, entry by entry.
class FolderReader {
 public:
  FolderReader(const ReadableDirectory& directory, JournalKind kind, std::string_view label,
               FindingSink& sink)
      : directory_(directory), label_(label), sink_(sink) {
    folder_.kind = kind;
  }

  Result<JournalFolder> read() {
    auto entries = directory_.list();
    if (!entries) return std::unexpected(entries.error());
    if (folder_.kind == JournalKind::kMessages || has_control(*entries)) read_control(*entries);
    for (const DirectoryEntry& entry : *entries) {
      if (!entry.is_directory) classify(entry);
    }
    drop_duplicates();
    std::ranges::stable_sort(folder_.files, {},
                             [](const JournalFile& file) { return file.header.id; });
    std::ranges::stable_sort(folder_.odd, {}, &OddFile::name);
    report_sizes();
    report_ids();
    report_missing_output(*entries);
    return std::move(folder_);
  }

 private:
  static bool has_control(const std::vector<DirectoryEntry>& entries) {
    return std::ranges::any_of(entries, [](const auto& e) { return e.name == kControlFileName; });
  }
  void read_control(const std::vector<DirectoryEntry>& entries);
  void classify(const DirectoryEntry& entry);
  void add_file(const DirectoryEntry& entry, JournalFile::Role role);
  void drop_duplicates();
  void report_sizes();
  void report_ids();
  void report_missing_output(const std::vector<DirectoryEntry>& entries);
  void odd(const std::string& name, std::uint64_t size, OddFile::Why why, std::string_view code,
           Severity severity, std::string text);
  [[nodiscard]] std::string labelled(const std::string& name) const {
    return label_.empty() ? name : fmt::format("{}/{}", label_, name);
  }

  const ReadableDirectory& directory_;
  std::string_view label_;
  FindingSink& sink_;
  JournalFolder folder_;
  std::set<std::string> consumed_;
  std::set<std::string> produced_;
};

void FolderReader::odd(const std::string& name, std::uint64_t size, OddFile::Why why,
                       std::string_view code, Severity severity, std::string text) {
  folder_.odd.push_back({name, size, why});
  sink_.finding({.code = code,
                 .severity = severity,
                 .file = labelled(name),
                 .length_bytes = size,
                 .text = std::move(text)});
}

void FolderReader::read_control(const std::vector<DirectoryEntry>& entries) {
  if (!has_control(entries)) return;
  auto content = read_whole(directory_, kControlFileName, kControlLimitBytes);
  const std::uint64_t size = content ? content->size() : 0;
  const std::string name(kControlFileName);
  if (content) {
    // Artemis takes the first ADD of the file, wherever it is, and does not look at the header.
    for (std::size_t at = kHeaderBytes; at < content->size();) {
      const auto record = parse_record(Bytes(*content).subspan(at), kFormatVersion, at);
      const bool valid = record && record->tag == 0;
      at += valid ? record->length_bytes : 1;
      if (!valid || record->kind != RecordKind::kAdd) continue;
      folder_.plan = parse_plan(record->body);
      break;
    }
  }
  if (!folder_.plan) {
    odd(name, size, OddFile::Why::kControl, "control-file-torn", Severity::kWarning,
        "the control file of a compaction holds no complete plan; the next start discards it and "
        "the .cmp files");
    return;
  }
  consumed_.insert(folder_.plan->consumed.begin(), folder_.plan->consumed.end());
  produced_.insert(folder_.plan->produced.begin(), folder_.plan->produced.end());
  odd(name, size, OddFile::Why::kControl, "interrupted-compaction", Severity::kWarning,
      fmt::format(
          "a compaction was interrupted after its output was complete: {} files are read in "
          "place of {} old ones, as the next start will have it",
          produced_.size(), consumed_.size()));
}

void FolderReader::classify(const DirectoryEntry& entry) {
  std::string_view stem = entry.name;
  const bool creating = take_suffix(stem, ".tmp");
  const bool compacted = !creating && take_suffix(stem, ".cmp");
  const bool retention = !creating && !compacted && take_suffix(stem, ".bkp");
  if (kind_of_plain(stem) != folder_.kind) return;
  if (entry.unreadable) {
    return sink_.finding({.code = "file-unreadable",
                          .severity = Severity::kDamage,
                          .file = labelled(entry.name),
                          .text = "this is no file: a link that leads nowhere, a pipe or a device; "
                                  "what the journal's file held is not here"});
  }
  if (creating) {
    return odd(entry.name, entry.size_bytes, OddFile::Why::kCreating, "file-being-created",
               Severity::kWarning,
               "a file that was being created; it holds no records, the next start deletes it");
  }
  if (compacted && !produced_.contains(entry.name)) {
    return odd(entry.name, entry.size_bytes, OddFile::Why::kLeftover, "compaction-leftover",
               Severity::kWarning,
               "output of a compaction that did not finish and that no control file lists; its "
               "records are copies, the next start deletes it");
  }
  if (!compacted && consumed_.contains(entry.name)) {
    return odd(entry.name, entry.size_bytes, OddFile::Why::kConsumed, "compaction-input",
               Severity::kInfo, "input of a finished compaction; the next start deletes it");
  }
  if (entry.size_bytes < kHeaderBytes) {
    return odd(entry.name, entry.size_bytes, OddFile::Why::kShort, "short-file", Severity::kWarning,
               fmt::format("the file has {} bytes, a header alone has {}; it holds no records",
                           entry.size_bytes, kHeaderBytes));
  }
  add_file(entry, retention   ? JournalFile::Role::kRetention
                  : compacted ? JournalFile::Role::kCompacted
                              : JournalFile::Role::kData);
}

void FolderReader::add_file(const DirectoryEntry& entry, JournalFile::Role role) {
  auto opened = directory_.open(entry.name);
  if (!opened) {
    return odd(entry.name, entry.size_bytes, OddFile::Why::kUnreadable, "file-unreadable",
               Severity::kDamage, opened.error().text);
  }
  auto read = read_file_header(**opened, entry.name);
  if (!read || !*read) {
    return odd(entry.name, entry.size_bytes, OddFile::Why::kUnreadable, "file-unreadable",
               Severity::kDamage, read ? "the file was cut while it was read" : read.error().text);
  }
  JournalFile file = std::move(**read);
  file.role = role;
  if (file.header_guessed) {
    sink_.finding({.code = "header-damaged",
                   .severity = Severity::kDamage,
                   .file = labelled(file.name),
                   .offset = 0,
                   .length_bytes = kHeaderBytes,
                   .text = fmt::format("the header is damaged; the records are read as those of "
                                       "header id {} in format version {}",
                                       file.header.id, file.header.format_version)});
  }
  if (role == JournalFile::Role::kRetention) {
    sink_.finding({.code = "retention-pending",
                   .severity = Severity::kWarning,
                   .file = labelled(file.name),
                   .length_bytes = file.size_bytes,
                   .text = "a closed journal file that waits for its retention copy; its records "
                           "count, but a broker without retention does not see them"});
  }
  folder_.files.push_back(std::move(file));
}

// A .bkp may stand beside a file that was copied back under the plain name: the same records twice.
void FolderReader::drop_duplicates() {
  std::map<std::int64_t, std::string> plain;
  for (const JournalFile& file : folder_.files) {
    if (file.role == JournalFile::Role::kData) plain.emplace(file.header.id, file.name);
  }
  std::vector<JournalFile> kept;
  for (JournalFile& file : folder_.files) {
    const auto other = plain.find(file.header.id);
    if (file.role != JournalFile::Role::kRetention || other == plain.end()) {
      kept.push_back(std::move(file));
      continue;
    }
    odd(file.name, file.size_bytes, OddFile::Why::kDuplicate, "duplicate-file", Severity::kWarning,
        fmt::format("has the same header id {} as {}, which is read instead", file.header.id,
                    other->second));
  }
  folder_.files = std::move(kept);
}

// All files of a journal are made with one size; others were left by a tool or a changed setting.
void FolderReader::report_sizes() {
  std::map<std::uint64_t, std::size_t> sizes;
  for (const JournalFile& file : folder_.files) ++sizes[file.size_bytes];
  if (sizes.size() < 2) return;
  const auto usual = std::ranges::max_element(
      sizes, {}, [](const auto& size) { return std::pair(size.second, size.first); });
  for (JournalFile& file : folder_.files) {
    if (file.size_bytes == usual->first) continue;
    if (file.size_bytes < usual->first) file.missing_bytes = usual->first - file.size_bytes;
    sink_.finding({.code = "odd-file-size",
                   .severity = Severity::kWarning,
                   .file = labelled(file.name),
                   .length_bytes = file.size_bytes,
                   .text = fmt::format("the file has {} bytes, the prevailing size is {}",
                                       file.size_bytes, usual->first)});
  }
}

// The header id orders the files, and its low bits are the tag by which a file's records are told
// from those of its former lives: both have to be unique.
void FolderReader::report_ids() {
  std::map<std::int32_t, const JournalFile*> by_tag;
  for (const JournalFile& file : folder_.files) {
    const auto [other, fresh] = by_tag.emplace(file.header.tag(), &file);
    if (fresh) continue;
    const JournalFile& first = *other->second;
    const bool same = first.header.id == file.header.id;
    sink_.finding(
        {.code = same ? "header-id-doubled" : "header-tag-doubled",
         .severity = Severity::kWarning,
         .file = labelled(file.name),
         .offset = 0,
         .length_bytes = kHeaderBytes,
         .text =
             same
                 ? fmt::format("has the same header id {} as {}: which of the two is read first is "
                               "left to chance",
                               file.header.id, first.name)
                 : fmt::format("header id {} gives its records the same tag as the id {} of {}: "
                               "leftovers of one may be taken for records of the other",
                               file.header.id, first.header.id, first.name)});
  }
}

// What a finished compaction has written may have its final name already; one of the two must be
// there.
void FolderReader::report_missing_output(const std::vector<DirectoryEntry>& entries) {
  constexpr std::string_view kCompactedSuffix = ".cmp";
  for (const std::string& name : produced_) {
    const std::string_view given = name;
    const std::string_view final_name = given.substr(0, given.size() - kCompactedSuffix.size());
    const bool there = std::ranges::any_of(entries, [&](const DirectoryEntry& entry) {
      return entry.name == given || (given.ends_with(kCompactedSuffix) && entry.name == final_name);
    });
    if (there) continue;
    sink_.finding({.code = "compaction-output-missing",
                   .severity = Severity::kDamage,
                   .file = labelled(name),
                   .text =
                       "the control file of a finished compaction lists this file, and it is not "
                       "there; the next start deletes the files that it replaces"});
  }
}

// The first well-formed record behind a damaged header tells the tag that the header should give.
std::optional<Record> first_record(const ReadableFile& file, std::int32_t version) {
  const auto count = std::min<std::uint64_t>(file.size_bytes(), kGuessBytes);
  std::vector<std::byte> start(static_cast<std::size_t>(count));
  const auto got = file.read_at(0, start);
  if (!got) return std::nullopt;
  start.resize(*got);
  for (std::size_t at = kHeaderBytes; at < start.size(); ++at) {
    if (auto record = parse_record(Bytes(start).subspan(at), version, at)) return record;
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<JournalFile>> read_file_header(const ReadableFile& file, std::string name) {
  std::byte bytes[kHeaderBytes];
  auto got = file.read_at(0, bytes);
  if (!got) return std::unexpected(got.error());
  if (*got < sizeof bytes) return std::optional<JournalFile>{};
  JournalFile result{
      .name = std::move(name), .size_bytes = file.size_bytes(), .header = parse_header(bytes)};
  if (result.header.readable()) return result;
  result.header_guessed = true;
  const std::int32_t version = result.header.format_version;
  result.header.user_version = 0;
  result.header.format_version = version == kOldFormatVersion ? version : kFormatVersion;
  const auto record = first_record(file, result.header.format_version);
  if (record && record->tag != result.header.tag()) result.header.id = record->tag;
  return result;
}

std::optional<CompactionPlan> parse_plan(Bytes body) {
  Cursor cursor(body);
  CompactionPlan plan;
  for (auto* names : {&plan.consumed, &plan.produced}) {
    const std::int32_t count = cursor.i32();
    if (count < 0) return std::nullopt;
    for (std::int32_t i = 0; i < count && cursor.ok(); ++i) names->push_back(cursor.utf().str());
  }
  const std::int32_t renames = cursor.i32();
  if (renames < 0) return std::nullopt;
  for (std::int32_t i = 0; i < renames && cursor.ok(); ++i) {
    std::string from = cursor.utf().str();
    plan.renames.emplace_back(std::move(from), cursor.utf().str());
  }
  if (!cursor.ok()) return std::nullopt;
  return plan;
}

std::optional<JournalKind> journal_kind_of(std::string_view name) {
  if (!take_suffix(name, ".tmp") && !take_suffix(name, ".cmp")) take_suffix(name, ".bkp");
  return kind_of_plain(name);
}

std::int64_t name_number(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find('.'));
  const std::size_t hyphen = stem.rfind('-');
  if (hyphen == std::string_view::npos) return 0;
  std::int64_t number = 0;
  const std::string_view digits = stem.substr(hyphen + 1);
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return end.ec == std::errc{} && end.ptr == digits.data() + digits.size() ? number : 0;
}

Result<JournalFolder> read_folder(const ReadableDirectory& directory, JournalKind kind,
                                  std::string_view label, FindingSink& sink) {
  return FolderReader(directory, kind, label, sink).read();
}

}  // namespace saranga::journal
