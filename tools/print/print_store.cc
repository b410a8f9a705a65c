#include "tools/print/print_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "saranga/bytes/base64.h"
#include "saranga/message/large_files.h"
#include "saranga/store/cross_findings.h"
#include "tools/print/java_text.h"
#include "tools/print/print_journal.h"
#include "tools/print/print_pages.h"

namespace saranga::print {
namespace {

using journal::JournalKind;

/// A store being printed.
class StorePrint {
 public:
  StorePrint(PrintSession& session, store::StoreParts parts, const StoreRequest& request)
      : session_(session), parts_(std::move(parts)), request_(request) {}

  Result<void> run();

 private:
  Result<void> print_bindings();
  Result<void> print_message_journal();
  Result<void> print_paging();
  Result<void> print_large_files();
  void report_unbound_queues();
  void report_page_transactions();
  void report_missing_bodies(const std::vector<message::LargeFile>& files);
  [[nodiscard]] bool knows_references() const;
  [[nodiscard]] bool is_referenced(std::int64_t id) const;
  void report(Finding finding) { session_.findings().finding(std::move(finding)); }

  PrintSession& session_;
  const store::StoreParts parts_;
  const StoreRequest& request_;
  JournalFacts bindings_facts_;
  JournalFacts journal_facts_;
  PagesFacts pages_facts_;
};

Result<void> StorePrint::run() {
  session_.printer().begin(session_.out());
  store::report_missing_journals(*parts_.bindings, *parts_.journal, session_.findings());
  if (auto printed = print_bindings(); !printed) return printed;
  if (auto printed = print_message_journal(); !printed) return printed;
  report_unbound_queues();
  if (auto printed = print_paging(); !printed) return printed;
  return print_large_files();
}

Result<void> StorePrint::print_bindings() {
  session_.printer().begin_part(session_.out(), "bindings", request_.skip_bindings);
  if (request_.skip_bindings) return {};
  const ReadableDirectory& bindings = *parts_.bindings;
  auto facts = print_journal(
      session_, bindings,
      {.kind = JournalKind::kBindings, .label = "bindings", .reclaimed = request_.reclaimed});
  if (!facts) return std::unexpected(facts.error());
  bindings_facts_ = std::move(*facts);
  const auto entries = bindings.list();
  const bool has_jms = entries && std::ranges::any_of(*entries, [](const DirectoryEntry& entry) {
                         return journal::journal_kind_of(entry.name) == JournalKind::kJms;
                       });
  if (!has_jms) return {};
  session_.printer().begin_part(session_.out(), "jms", false);
  auto jms = print_journal(
      session_, bindings,
      {.kind = JournalKind::kJms, .label = "bindings", .reclaimed = request_.reclaimed});
  if (!jms) return std::unexpected(jms.error());
  return {};
}

Result<void> StorePrint::print_message_journal() {
  session_.printer().begin_part(session_.out(), "journal", request_.skip_journal);
  auto facts = print_journal(session_, *parts_.journal,
                             {.kind = JournalKind::kMessages,
                              .label = "journal",
                              .reclaimed = request_.reclaimed,
                              .silent = request_.skip_journal});
  if (!facts) return std::unexpected(facts.error());
  journal_facts_ = std::move(*facts);
  return {};
}

void StorePrint::report_unbound_queues() {
  if (request_.skip_bindings || !store::is_given(*parts_.bindings)) return;
  const auto& bound = bindings_facts_.surviving.queues();
  for (const store::SurvivorFacts* facts : {&journal_facts_.surviving, &journal_facts_.prepared}) {
    const bool prepared = facts == &journal_facts_.prepared;
    for (const auto& [queue, count] : facts->references()) {
      if (bound.contains(queue) || (!prepared && count.count() <= 0)) continue;
      report(prepared ? store::prepared_without_queue(queue, std::nullopt)
                      : store::references_without_queue(queue,
                                                        static_cast<std::uint64_t>(count.count())));
    }
  }
}

Result<void> StorePrint::print_paging() {
  session_.printer().begin_part(session_.out(), "paging", request_.max_pages == 0);
  if (request_.max_pages == 0) return {};
  const paging::Cursors cursors = journal_facts_.surviving.cursors();
  auto facts = print_pages(session_, *parts_.paging,
                           {.label = "paging",
                            .max_pages = request_.max_pages,
                            .cursors = &cursors,
                            .queues = &bindings_facts_.surviving.queues()});
  if (!facts) return std::unexpected(facts.error());
  pages_facts_ = std::move(*facts);
  if (request_.max_pages < 0 && store::is_given(*parts_.paging)) report_page_transactions();
  return {};
}

void StorePrint::report_page_transactions() {
  for (const std::int64_t tx_id : journal_facts_.surviving.page_transactions()) {
    if (pages_facts_.transactions.contains(tx_id)) continue;
    report(store::page_transaction_without_pages(tx_id));
  }
}

// A body is an orphan only when everything that could refer to it has been read.
bool StorePrint::knows_references() const {
  return store::is_given(*parts_.journal) && store::is_given(*parts_.paging) &&
         request_.max_pages < 0;
}

bool StorePrint::is_referenced(std::int64_t id) const {
  return journal_facts_.surviving.large_bodies().contains(id) ||
         journal_facts_.prepared.large_bodies().contains(id) ||
         pages_facts_.large_bodies.contains(id);
}

Result<void> StorePrint::print_large_files() {
  auto files =
      message::list_large_files(*parts_.large_messages, "large-messages", session_.findings());
  if (!files) return std::unexpected(files.error());
  for (const message::LargeFile& file : *files) {
    const std::string label = "large-messages/" + file.name;
    std::optional<bool> referenced = is_referenced(file.id);
    if (!*referenced && !knows_references()) referenced.reset();
    if (session_.selection().takes_body(label, file.id)) {
      session_.printer().large_file(session_.out(), label, file, referenced);
    }
    if (referenced.value_or(true)) continue;
    report(store::orphan_large_file(file, label));
  }
  report_missing_bodies(*files);
  return {};
}

void StorePrint::report_missing_bodies(const std::vector<message::LargeFile>& files) {
  if (!store::is_given(*parts_.large_messages)) return;
  std::set<std::int64_t> present;
  for (const message::LargeFile& file : files) present.insert(file.id);
  for (const auto* wanted :
       {&journal_facts_.surviving.large_bodies(), &journal_facts_.prepared.large_bodies()}) {
    for (const std::int64_t id : *wanted) {
      if (present.contains(id)) continue;
      report(store::large_body_missing(id));
    }
  }
}

std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Result<void> print_journal_file(PrintSession& session, const ReadableDirectory& directory,
                                const std::string& name, JournalKind kind, bool reclaimed) {
  auto file = directory.open(name);
  if (!file) return std::unexpected(file.error());
  auto header = journal::read_file_header(**file, name);
  if (!header) return std::unexpected(header.error());
  journal::JournalFolder folder{.kind = kind, .files = {}, .odd = {}, .plan = {}};
  if (*header) {
    folder.files.push_back(std::move(**header));
  } else {
    folder.odd.push_back({name, (*file)->size_bytes(), journal::OddFile::Why::kShort});
    session.findings().finding({.code = "short-file",
                                .severity = Severity::kWarning,
                                .file = name,
                                .length_bytes = (*file)->size_bytes(),
                                .text = "the file is shorter than a header; it holds no records"});
  }
  const std::string_view part = kind == JournalKind::kMessages   ? "journal"
                                : kind == JournalKind::kBindings ? "bindings"
                                                                 : "jms";
  session.printer().begin_part(session.out(), part, false);
  auto facts = print_journal(session, directory,
                             {.kind = kind, .label = "", .reclaimed = reclaimed}, folder);
  if (!facts) return std::unexpected(facts.error());
  return {};
}

Result<void> print_page_file(PrintSession& session, const ReadableDirectory& directory,
                             const std::string& name) {
  const paging::Cursors cursors;
  const std::set<std::int64_t> queues;
  auto file = directory.open(name);
  if (!file) return std::unexpected(file.error());
  std::int64_t number = 0;  // stays 0 when the name begins with something else
  (void)std::from_chars(name.data(), name.data() + name.size(), number);
  session.printer().begin_part(session.out(), "paging", false);
  auto facts = print_page(session, directory,
                          {.number = number, .name = name, .size_bytes = (*file)->size_bytes()},
                          {.label = "", .cursors = &cursors, .queues = &queues});
  if (!facts) return std::unexpected(facts.error());
  return {};
}

}  // namespace

Result<void> print_store(PrintSession& session, store::StoreParts parts,
                         const StoreRequest& request) {
  StorePrint print(session, std::move(parts), request);
  auto printed = print.run();
  session.jobs().drain();
  return printed;
}

Result<void> print_single_file(PrintSession& session, const std::string& path, bool reclaimed) {
  const auto [folder, name] = split_path(path);
  auto directory = open_disk_directory(folder);
  if (!directory) return std::unexpected(directory.error());
  if (const auto kind = journal::journal_kind_of(name)) {
    session.printer().begin(session.out());
    return print_journal_file(session, **directory, name, *kind, reclaimed);
  }
  if (name.find(".page") != std::string::npos) {
    session.printer().begin(session.out());
    return print_page_file(session, **directory, name);
  }
  auto files = message::list_large_files(**directory, folder, session.findings());
  if (!files) return std::unexpected(files.error());
  for (const message::LargeFile& file : *files) {
    if (file.name != name) continue;
    session.printer().begin(session.out());
    session.printer().large_file(session.out(), name, file, std::nullopt);
    return {};
  }
  return fail(
      ErrorCode::kInvalidArgument,
      "not a file of a store: expected a journal (.amq, .bindings, .hq, .jms), a page (.page) "
      "or a large-message body (.msg, .tmp, .sync)",
      path);
}

std::optional<std::string> read_server_id(const ReadableDirectory& folder) {
  static constexpr std::size_t kStateBytes = 3;
  static constexpr std::size_t kIdBytes = 16;
  auto content = read_whole(folder, "server.lock", 1024);
  if (!content || content->size() < kStateBytes + kIdBytes) return std::nullopt;
  std::span<std::byte> id = std::span(*content).subspan(kStateBytes, kIdBytes);
  // Artemis forces the version and variant of a UUID whenever it reads one.
  id[6] = (id[6] & std::byte{0x0F}) | std::byte{0x10};
  id[8] = (id[8] & std::byte{0x3F}) | std::byte{0x80};
  TextBuffer text;
  append_uuid(text, id);
  return text.str();
}

}  // namespace saranga::print
