#include "tools/show/subject.h"

#include <fmt/format.h>

#include <charconv>

#include "tools/print/describe.h"
#include "tools/show/annotated_hex.h"

namespace saranga::show {
namespace {

constexpr std::uint64_t kDumpBytes = 256;

template <class T>
std::optional<T> parse_number(std::string_view text, int base) {
  T value{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || end.ec != std::errc{} || end.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

bool names_file(std::string_view label, std::string_view file) {
  return label == file || (label.ends_with(file) && label[label.size() - file.size() - 1] == '/');
}

/// A file of the store by its label, opened.
struct FoundFile {
  std::string label;
  std::unique_ptr<ReadableFile> file;
  const journal::JournalFile* journal_file = nullptr;  ///< null for pages and bodies
  journal::JournalKind kind = journal::JournalKind::kMessages;
};

Result<FoundFile> find_in_journal(const store::LoadedJournal& journal,
                                  const ReadableDirectory& directory, std::string_view wanted) {
  for (std::size_t i = 0; i < journal.labels.size(); ++i) {
    if (!names_file(journal.labels[i], wanted)) continue;
    auto opened = directory.open(journal.folder.files[i].name);
    if (!opened) return std::unexpected(opened.error());
    return FoundFile{.label = journal.labels[i],
                     .file = std::move(*opened),
                     .journal_file = &journal.folder.files[i],
                     .kind = journal.folder.kind};
  }
  return fail(ErrorCode::kNotFound, "no such file in the store", std::string(wanted));
}

Result<FoundFile> find_file(const store::LoadedStore& store, std::string_view wanted) {
  auto found = find_in_journal(store.journal(), *store.parts().journal, wanted);
  if (found) return found;
  found = find_in_journal(store.bindings(), *store.parts().bindings, wanted);
  if (found) return found;
  for (const paging::PageStore& page_store : store.page_stores()) {
    for (const paging::Page& page : page_store.pages) {
      const std::string label = fmt::format("paging/{}/{}", page_store.folder, page.name);
      if (!names_file(label, wanted)) continue;
      auto folder = store.parts().paging->open_directory(page_store.folder);
      if (!folder) return std::unexpected(folder.error());
      auto opened = (*folder)->open(page.name);
      if (!opened) return std::unexpected(opened.error());
      return FoundFile{.label = label, .file = std::move(*opened)};
    }
  }
  return found;
}

Result<void> dump_place(const FoundFile& found, std::uint64_t offset, TextBuffer& out) {
  std::vector<std::byte> bytes(kDumpBytes);
  const auto got = found.file->read_at(offset, bytes);
  if (!got) return std::unexpected(got.error());
  if (*got == 0) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the file has only {} bytes", found.file->size_bytes()), found.label);
  }
  dump_bytes(out, Bytes(bytes).first(*got), offset);
  return {};
}

}  // namespace

Subject parse_subject(const std::string& text) {
  Subject subject{.text = text};
  if (const auto number = parse_number<std::int64_t>(text, 10)) {
    subject.id = number;
    return subject;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return subject;
  const std::string_view tail = std::string_view(text).substr(colon + 1);
  const bool hexadecimal = tail.starts_with("0x") || tail.starts_with("0X");
  subject.offset = hexadecimal ? parse_number<std::uint64_t>(tail.substr(2), 16)
                               : parse_number<std::uint64_t>(tail, 10);
  if (subject.offset) subject.file = text.substr(0, colon);
  return subject;
}

Result<void> show_place(const store::LoadedStore& store, const Subject& subject, TextBuffer& out) {
  const auto found = find_file(store, subject.file);
  if (!found) return std::unexpected(found.error());
  const std::uint64_t offset = *subject.offset;
  out.put(fmt::format("{}:{:#x}\n", found->label, offset));
  if (found->journal_file == nullptr) return dump_place(*found, offset, out);
  std::vector<std::byte> buffer;
  const std::int32_t version = found->journal_file->header.format_version;
  const auto record = journal::read_record(*found->file, version, offset, buffer);
  if (!record) {
    out.put("no record begins here\n");
    return dump_place(*found, offset, out);
  }
  annotate_record(out, Bytes(buffer).first(record->length_bytes), *record, version);
  if (record->tag != found->journal_file->header.tag()) {
    out.put("the record belongs to a previous life of the file\n");
  }
  if (journal::traits(record->kind).has_user_type) {
    (void)print::Describer(found->kind, false).append(out, *record);
    out.put('\n');
  }
  return {};
}

}  // namespace saranga::show
