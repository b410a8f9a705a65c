#include "tools/show/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "saranga/store/message_story.h"
#include "tools/cli/text_width.h"
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

// "x.amq", "journal/x.amq" and a whole path that ends so all mean the same file.
bool names_file(std::string_view label, std::string_view file) {
  return label == file || label.ends_with(fmt::format("/{}", file)) ||
         file.ends_with(fmt::format("/{}", label));
}

std::string page_label(const paging::PageStore& page_store, const paging::Page& page) {
  return fmt::format("paging/{}/{}", page_store.folder, page.name);
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
      const std::string label = page_label(page_store, page);
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

// ADDRESS:NUMBER, or the file of a page.
Meaning find_page(const store::LoadedStore& store, const Subject& subject) {
  for (const paging::PageStore& page_store : store.page_stores()) {
    for (const paging::Page& page : page_store.pages) {
      const bool by_number = subject.offset && subject.file == page_store.address &&
                             std::cmp_equal(*subject.offset, page.number);
      if (!by_number && !names_file(page_label(page_store, page), subject.text)) continue;
      return {.kind = Meaning::Kind::kPage, .page_store = &page_store, .page = &page};
    }
  }
  return {};
}

Meaning find_large_file(const store::LoadedStore& store, std::string_view wanted) {
  for (const message::LargeFile& file : store.large_files()) {
    if (!names_file("large-messages/" + file.name, wanted)) continue;
    return {.kind = Meaning::Kind::kIds, .ids = {file.id}};
  }
  return {};
}

Meaning find_address(const store::LoadedStore& store, const std::string& name) {
  const bindings::Address* address = store.catalog().address_by_name(name);
  const bool pages = std::ranges::find(store.page_stores(), name, &paging::PageStore::address) !=
                     store.page_stores().end();
  if (!pages && !store.catalog().knows_address(name)) return {};
  Meaning meaning{.kind = Meaning::Kind::kAddress, .address = name};
  if (address != nullptr) meaning.ids.push_back(address->id);
  return meaning;
}

Meaning find_by_user_id(const store::LoadedStore& store, const std::string& text) {
  const std::set<std::int64_t> ids = store::find_user_id(store, text);
  if (ids.empty()) return {};
  return {.kind = Meaning::Kind::kIds, .ids = {ids.begin(), ids.end()}, .by_user_id = true};
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Names that have the text in them, or are in it, whatever the case.
std::string similar_names(const store::LoadedStore& store, std::string_view text) {
  constexpr std::size_t kMost = 3;
  std::set<std::string> names;
  const std::string wanted = lower(text);
  const auto look = [&](const std::string& name) {
    const std::string other = lower(name);
    const bool similar = other.find(wanted) != std::string::npos ||
                         (!other.empty() && wanted.find(other) != std::string::npos);
    if (similar) names.insert(cli::printable(name));
  };
  for (const auto& [id, queue] : store.catalog().queues()) look(queue.name);
  for (const auto& [id, address] : store.catalog().addresses()) look(address.name);
  std::string out;
  std::size_t listed = 0;
  for (const std::string& name : names) {
    if (listed++ == kMost) break;
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

// Of an address that is there, without the page that was asked for.
std::string no_page_text(const store::LoadedStore& store, const Subject& subject) {
  std::string numbers;
  for (const paging::PageStore& page_store : store.page_stores()) {
    if (page_store.address != subject.file || page_store.pages.empty()) continue;
    numbers += fmt::format("{}{} to {}", numbers.empty() ? "" : " and ",
                           page_store.pages.front().number, page_store.pages.back().number);
  }
  if (numbers.empty()) return fmt::format("{}: that address has no pages", subject.text);
  return fmt::format("{}: that address has no such page; it has {}", subject.text, numbers);
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

Result<Meaning> find_meaning(const store::LoadedStore& store, const Subject& subject) {
  using Kind = Meaning::Kind;
  if (subject.id) return Meaning{.kind = Kind::kIds, .ids = {*subject.id}};
  if (const bindings::Queue* queue = store.catalog().queue_by_name(subject.text)) {
    return Meaning{.kind = Kind::kIds, .ids = {queue->id}};
  }
  const auto file = subject.offset ? find_file(store, subject.file)
                                   : Result<FoundFile>(fail(ErrorCode::kNotFound, "no place"));
  if (file) return Meaning{.kind = Kind::kPlace};
  for (const Meaning& meaning : {find_page(store, subject), find_large_file(store, subject.text),
                                 find_address(store, subject.text)}) {
    if (meaning.kind != Kind::kNothing) return meaning;
  }
  for (const auto& [id, name] : store::former_queues(store)) {
    if (name == subject.text) return Meaning{.kind = Kind::kIds, .ids = {id}};
  }
  Meaning meaning = find_by_user_id(store, subject.text);
  if (meaning.kind != Kind::kNothing || !subject.offset) return meaning;
  if (find_address(store, subject.file).kind != Kind::kNothing) return meaning;
  return std::unexpected(file.error());
}

std::string not_found_text(const store::LoadedStore& store, const Subject& subject,
                           std::string_view store_name) {
  if (subject.id) {
    std::string text = fmt::format(
        "{}: no message, queue, address, transaction or record of this store has that id",
        subject.text);
    if (*subject.id > store.model().highest_id()) {
      return text +
             fmt::format("; the highest one of the journal is {}", store.model().highest_id());
    }
    return text + ", and none is left of it: the journal forgets what was consumed long ago";
  }
  if (subject.text.ends_with(".amq") || subject.text.ends_with(".bindings")) {
    return fmt::format(
        "{}: a journal file is shown by its places, as FILE:OFFSET; "
        "`saranga data explain {} {}` tells why it is there",
        subject.text, store_name, subject.text);
  }
  if (subject.offset) return no_page_text(store, subject);
  const std::string text = fmt::format(
      "{}: no queue, address, page or user id of a message in this store", subject.text);
  if (const std::string similar = similar_names(store, subject.text); !similar.empty()) {
    return text + "; there is " + similar;
  }
  return text + fmt::format("; `saranga data queues {}` lists the queues", store_name);
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
