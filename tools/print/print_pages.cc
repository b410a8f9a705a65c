#include "tools/print/print_pages.h"

#include <fmt/format.h>

#include "saranga/paging/damage_finding.h"

namespace saranga::print {
namespace {

// Entries are copied into jobs in groups of about this size.
constexpr std::size_t kJobBytes = std::size_t{512} << 10;

/// A copy of some entries of a page: the scanner's window moves on while they are formatted.
struct EntryGroup {
  std::vector<std::byte> bytes;
  struct Item {
    paging::PageEntry entry;
    std::size_t from = 0;
    std::size_t size = 0;
    bool shown = true;
  };
  std::vector<Item> items;
};

/// Formats a group of entries.
class EntriesJob final : public Job {
 public:
  EntriesJob(PrintSession& session, PagedEntry page, EntryGroup group, PagesFacts& facts)
      : session_(session), page_(std::move(page)), group_(std::move(group)), total_(facts) {}
  void run() override {
    for (const EntryGroup::Item& item : group_.items) {
      page_.entry = item.entry;
      page_.entry.payload = Bytes(group_.bytes).subspan(item.from, item.size);
      if (item.shown) session_.printer().paged_message(text_, notes_, page_);
      note_facts(page_.entry.payload);
    }
  }
  void deliver() override {
    session_.deliver(text_, notes_, false);
    total_.messages += facts_.messages;
    total_.transactions.insert(facts_.transactions.begin(), facts_.transactions.end());
    total_.large_bodies.insert(facts_.large_bodies.begin(), facts_.large_bodies.end());
    total_.queues.insert(facts_.queues.begin(), facts_.queues.end());
  }

 private:
  void note_facts(Bytes payload) {
    ++facts_.messages;
    Cursor cursor(payload);
    const paging::PagedMessage paged = paging::read_paged_message(cursor);
    if (!cursor.ok()) return;
    if (paged.tx_id >= 0) facts_.transactions.insert(paged.tx_id);
    if (paged.large != paging::LargeKind::kNone) facts_.large_bodies.insert(paged.message.id());
    for (std::size_t i = 0; i < paged.queues.size(); ++i) facts_.queues.insert(paged.queues[i]);
  }

  PrintSession& session_;
  PagedEntry page_;
  EntryGroup group_;
  PagesFacts& total_;
  TextBuffer text_;
  RecordNotes notes_;
  PagesFacts facts_;
};

/// A page and its scanner, kept until the end of the page has been printed.
struct PageScan {
  explicit PageScan(std::unique_ptr<ReadableFile> opened)
      : file(std::move(opened)), scanner(*file) {}
  std::unique_ptr<ReadableFile> file;
  paging::PageScanner scanner;
};

class PagesPrint {
 public:
  PagesPrint(PrintSession& session, const PagesRequest& request)
      : session_(session), request_(request) {}

  void print_store(const ReadableDirectory& paging, const paging::PageStore& store);
  /// `address` is that of the page's folder.
  Result<void> print_page(const ReadableDirectory& folder, const paging::PageStore& store,
                          const paging::Page& page, const std::string& label);
  [[nodiscard]] PagesFacts& facts() { return facts_; }

 private:
  void submit(const PagedEntry& page, EntryGroup& group);

  PrintSession& session_;
  const PagesRequest& request_;
  PagesFacts facts_;
};

void PagesPrint::print_store(const ReadableDirectory& paging, const paging::PageStore& store) {
  ++facts_.stores;
  const std::string label = fmt::format("{}/{}", request_.label, store.folder);
  session_.later([&, path = fmt::format("{}/{}", paging.path(), store.folder)] {
    session_.printer().begin_page_store(session_.out(), store, path);
  });
  auto folder = paging.open_directory(store.folder);
  std::int64_t printed = 0;
  for (const paging::Page& page : store.pages) {
    if (session_.must_stop() || !folder) break;
    if (request_.max_pages >= 0 && printed >= request_.max_pages) {
      return session_.later(
          [&] { session_.printer().give_up(session_.out(), page.number, store.pages.size()); });
    }
    ++printed;
    const std::string page_label = fmt::format("{}/{}", label, page.name);
    if (auto read = print_page(**folder, store, page, page_label); !read) {
      session_.ordered_findings().finding({.code = "file-unreadable",
                                           .severity = Severity::kDamage,
                                           .file = page_label,
                                           .text = read.error().text});
    }
  }
}

Result<void> PagesPrint::print_page(const ReadableDirectory& folder, const paging::PageStore& store,
                                    const paging::Page& page, const std::string& label) {
  auto file = folder.open(page.name);
  if (!file) return std::unexpected(file.error());
  ++facts_.pages;
  const bool last = page.number == store.pages.back().number;
  Selection& selection = session_.selection();
  const bool shown = selection.all() || selection.takes_file(label);
  if (shown) {
    session_.later([&, label] { session_.printer().begin_page(session_.out(), page, label); });
  }
  const PagedEntry prototype{.page = page.number,
                             .label = label,
                             .entry = {},
                             .cursors = request_.cursors,
                             .queues = request_.queues};
  auto scan = std::make_shared<PageScan>(std::move(*file));
  paging::PageScanner& scanner = scan->scanner;
  EntryGroup group;
  paging::PageEntry entry;
  while (!session_.must_stop()) {
    auto more = scanner.next(entry);
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    group.items.push_back({.entry = entry,
                           .from = group.bytes.size(),
                           .size = entry.payload.size(),
                           .shown = shown && selection.takes(label, store.address, entry)});
    group.bytes.insert(group.bytes.end(), entry.payload.begin(), entry.payload.end());
    if (group.bytes.size() >= kJobBytes) submit(prototype, group);
  }
  submit(prototype, group);
  facts_.entry_bytes += scanner.entry_bytes();
  facts_.unreadable_bytes += scanner.unreadable_bytes();
  session_.later([this, label, scan, shown, last] {
    for (const paging::PageDamage& damage : scan->scanner.damage()) {
      session_.findings().finding(paging::damage_finding(damage, label, last));
    }
    if (shown) session_.printer().end_page(session_.out(), label, scan->scanner);
  });
  return {};
}

void PagesPrint::submit(const PagedEntry& page, EntryGroup& group) {
  if (group.items.empty()) return;
  session_.jobs().submit(
      std::make_unique<EntriesJob>(session_, page, std::exchange(group, EntryGroup{}), facts_));
}

}  // namespace

Result<PagesFacts> print_pages(PrintSession& session, const ReadableDirectory& directory,
                               const PagesRequest& request) {
  auto stores = paging::list_page_stores(directory, request.label, session.findings());
  if (!stores) return std::unexpected(stores.error());
  PagesPrint print(session, request);
  for (const paging::PageStore& store : *stores) {
    if (!session.must_stop()) print.print_store(directory, store);
  }
  session.jobs().drain();
  return std::move(print.facts());
}

Result<PagesFacts> print_page(PrintSession& session, const ReadableDirectory& directory,
                              const paging::Page& page, const PagesRequest& request) {
  PagesPrint print(session, request);
  const paging::PageStore alone{.folder = {}, .address = {}, .pages = {page}};
  auto printed = print.print_page(directory, alone, page, page.name);
  session.jobs().drain();
  if (!printed) return std::unexpected(printed.error());
  return std::move(print.facts());
}

}  // namespace saranga::print
