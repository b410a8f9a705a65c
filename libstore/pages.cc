#include "saranga/store/pages.h"

#include <fmt/format.h>

#include "saranga/paging/damage_finding.h"

namespace saranga::store {
namespace {

class PagesWalk {
 public:
  PagesWalk(const LoadedStore& store, PageVisitor& visitor, FindingSink& sink)
      : store_(store), visitor_(visitor), sink_(sink) {}

  void walk(const paging::PageStore& page_store);

 private:
  void walk_page(const ReadableDirectory& folder, const paging::PageStore& page_store,
                 const paging::Page& page);
  [[nodiscard]] PagedState state_of(const VisitedEntry& entry, std::int64_t queue) const;
  void report_damage(std::string_view label, const paging::PageScanner& scanner);
  void report_unreadable(std::string label, const Error& error) {
    sink_.finding({.code = "file-unreadable",
                   .severity = Severity::kDamage,
                   .file = std::move(label),
                   .text = error.text});
  }

  const LoadedStore& store_;
  PageVisitor& visitor_;
  FindingSink& sink_;
};

void PagesWalk::walk(const paging::PageStore& page_store) {
  auto folder = store_.parts().paging->open_directory(page_store.folder);
  if (!folder) return report_unreadable("paging/" + page_store.folder, folder.error());
  for (const paging::Page& page : page_store.pages) walk_page(**folder, page_store, page);
}

void PagesWalk::walk_page(const ReadableDirectory& folder, const paging::PageStore& page_store,
                          const paging::Page& page) {
  const std::string label = fmt::format("paging/{}/{}", page_store.folder, page.name);
  auto file = folder.open(page.name);
  if (!file) return report_unreadable(label, file.error());
  paging::PageScanner scanner(**file);
  VisitedEntry entry{.page_store = &page_store, .page = &page, .label = label};
  for (auto more = scanner.next(entry.entry); more && *more; more = scanner.next(entry.entry)) {
    Cursor cursor(entry.entry.payload);
    entry.paged = paging::read_paged_message(cursor);
    if (!cursor.ok()) {
      sink_.finding({.code = "body-undecodable",
                     .severity = Severity::kDamage,
                     .file = label,
                     .offset = entry.entry.offset,
                     .length_bytes = entry.entry.payload.size() + paging::kFrameBytes,
                     .text = fmt::format("the frame is whole, but its content does not decode: {}",
                                         cursor.problem())});
      continue;
    }
    entry.facts = message_facts(entry.paged.message, store_.now_ms());
    if (entry.paged.large != paging::LargeKind::kNone) entry.facts.large = true;
    entry.references.clear();
    for (std::size_t i = 0; i < entry.paged.queues.size(); ++i) {
      const std::int64_t queue = entry.paged.queues[i];
      entry.references.push_back({queue, state_of(entry, queue)});
    }
    visitor_.entry(entry);
  }
  report_damage(label, scanner);
  visitor_.end_page(page_store, page, scanner);
}

PagedState PagesWalk::state_of(const VisitedEntry& entry, std::int64_t queue) const {
  const Model& model = store_.model();
  const bindings::Queue* bound = store_.catalog().queue(queue);
  if (bound == nullptr || bound->address != entry.page_store->address) return PagedState::kUnbound;
  if (entry.paged.tx_id >= 0) {
    const auto tx = model.page_transactions().find(entry.paged.tx_id);
    if (tx == model.page_transactions().end()) return PagedState::kUncommitted;
    if (tx->second.in_doubt) return PagedState::kInDoubtSend;
  }
  const std::int64_t page = entry.page->number;
  if (model.cursors().completed(queue, page)) return PagedState::kConsumed;
  if (model.cursors().acknowledged(queue, page, entry.entry.number)) return PagedState::kConsumed;
  if (model.cursors_in_doubt().acknowledged(queue, page, entry.entry.number)) {
    return PagedState::kInDoubtAck;
  }
  return PagedState::kPending;
}

void PagesWalk::report_damage(std::string_view label, const paging::PageScanner& scanner) {
  for (const paging::PageDamage& damage : scanner.damage()) {
    sink_.finding(paging::damage_finding(damage, label));
  }
}

}  // namespace

void visit_pages(const LoadedStore& store, std::string_view only_address, PageVisitor& visitor,
                 FindingSink& sink) {
  PagesWalk walk(store, visitor, sink);
  for (const paging::PageStore& page_store : store.page_stores()) {
    if (only_address.empty() || page_store.address == only_address) walk.walk(page_store);
  }
}

}  // namespace saranga::store
