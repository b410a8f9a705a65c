#include "saranga/store/pages.h"

#include <fmt/format.h>

#include "saranga/paging/damage_finding.h"

namespace saranga::store {
namespace {

/// What the journals say of one queue's place in one page: looked up once a page, not once an
/// entry.
struct QueueInPage {
  std::int64_t queue = 0;
  bool bound = false;
  bool completed = false;
  const journal::IdSet* acknowledged = nullptr;
  const journal::IdSet* in_doubt = nullptr;
};

/// A page being visited.
class PageWalk {
 public:
  PageWalk(const LoadedStore& store, const paging::PageStore& page_store, const paging::Page& page,
           PageVisitor& visitor, FindingSink& sink)
      : store_(store), page_store_(page_store), page_(page), visitor_(visitor), sink_(sink) {}

  void walk();

 private:
  bool visit(std::string_view label, VisitedEntry& entry);
  [[nodiscard]] PagedReference reference_of(const VisitedEntry& entry, std::int64_t queue,
                                            std::size_t at);
  [[nodiscard]] PagedState state_of(const VisitedEntry& entry, const QueueInPage& known) const;
  [[nodiscard]] const QueueInPage& queue_at(std::int64_t queue, std::size_t at);
  void report_unreadable(std::string label, const Error& error) {
    sink_.finding({.code = "file-unreadable",
                   .severity = Severity::kDamage,
                   .file = std::move(label),
                   .text = error.text});
  }

  const LoadedStore& store_;
  const paging::PageStore& page_store_;
  const paging::Page& page_;
  PageVisitor& visitor_;
  FindingSink& sink_;
  // Nearly every entry of a page names the same queues in the same order, so the position finds
  // them.
  std::vector<QueueInPage> queues_;
};

void PageWalk::walk() {
  const std::string label = fmt::format("paging/{}/{}", page_store_.folder, page_.name);
  auto folder = store_.parts().paging->open_directory(page_store_.folder);
  if (!folder) return report_unreadable(label, folder.error());
  auto file = (*folder)->open(page_.name);
  if (!file) return report_unreadable(label, file.error());
  paging::PageScanner scanner(**file);
  VisitedEntry entry{.page_store = &page_store_, .page = &page_, .label = label};
  auto more = scanner.next(entry.entry);
  for (; more && *more; more = scanner.next(entry.entry)) {
    if (!visit(label, entry)) return;
  }
  if (!more) report_unreadable(label, more.error());
  for (const paging::PageDamage& damage : scanner.damage()) {
    sink_.finding(
        paging::damage_finding(damage, label, page_.number == page_store_.pages.back().number));
  }
  visitor_.end_page(page_store_, page_, scanner);
}

// False when the visitor has had enough.
bool PageWalk::visit(std::string_view label, VisitedEntry& entry) {
  Cursor cursor(entry.entry.payload);
  entry.paged = paging::read_paged_message(cursor);
  if (!cursor.ok()) {
    sink_.finding({.code = "body-undecodable",
                   .severity = Severity::kDamage,
                   .file = std::string(label),
                   .offset = entry.entry.offset,
                   .length_bytes = entry.entry.payload.size() + paging::kFrameBytes,
                   .text = fmt::format("the frame is whole, but its content does not decode: {}",
                                       cursor.problem())});
    return true;
  }
  entry.trailing_bytes = cursor.remaining();
  entry.facts = message_facts(entry.paged.message, store_.now_ms());
  if (entry.paged.large != paging::LargeKind::kNone) entry.facts.large = true;
  entry.references.clear();
  for (std::size_t i = 0; i < entry.paged.queues.size(); ++i) {
    const std::int64_t queue = entry.paged.queues[i];
    entry.references.push_back(reference_of(entry, queue, i));
  }
  visitor_.entry(entry);
  return !visitor_.done();
}

const QueueInPage& PageWalk::queue_at(std::int64_t queue, std::size_t at) {
  if (at < queues_.size() && queues_[at].queue == queue) return queues_[at];
  const bindings::Queue* bound = store_.catalog().queue(queue);
  const Model& model = store_.model();
  const QueueInPage found{
      .queue = queue,
      .bound = bound != nullptr && bound->address == page_store_.address,
      .completed = model.cursors().completed(queue, page_.number),
      .acknowledged = model.cursors().acknowledgements(queue, page_.number),
      .in_doubt = model.cursors_in_doubt().acknowledgements(queue, page_.number)};
  // Queue ids of one entry come one after the other, so the table grows by at most one.
  if (at >= queues_.size()) return queues_.emplace_back(found);
  return queues_[at] = found;
}

PagedReference PageWalk::reference_of(const VisitedEntry& entry, std::int64_t queue,
                                      std::size_t at) {
  const QueueInPage& known = queue_at(queue, at);
  const PagedState state = state_of(entry, known);
  const bool gone = state == PagedState::kConsumed || state == PagedState::kUncommitted;
  return {.queue = queue,
          .state = known.bound || gone ? state : PagedState::kUnbound,
          .if_bound = state};
}

PagedState PageWalk::state_of(const VisitedEntry& entry, const QueueInPage& known) const {
  if (entry.paged.tx_id >= 0) {
    const auto& transactions = store_.model().page_transactions();
    const auto tx = transactions.find(entry.paged.tx_id);
    if (tx == transactions.end()) return PagedState::kUncommitted;
    if (tx->second.in_doubt) return PagedState::kInDoubtSend;
  }
  const std::int64_t number = entry.entry.number;
  if (known.completed) return PagedState::kConsumed;
  if (known.acknowledged != nullptr && known.acknowledged->contains(number)) {
    return PagedState::kConsumed;
  }
  if (known.in_doubt != nullptr && known.in_doubt->contains(number)) return PagedState::kInDoubtAck;
  return PagedState::kPending;
}

}  // namespace

void visit_page(const LoadedStore& store, const paging::PageStore& page_store,
                const paging::Page& page, PageVisitor& visitor, FindingSink& sink) {
  PageWalk(store, page_store, page, visitor, sink).walk();
}

void visit_pages(const LoadedStore& store, std::string_view only_address, PageVisitor& visitor,
                 FindingSink& sink) {
  for (const paging::PageStore& page_store : store.page_stores()) {
    if (!only_address.empty() && page_store.address != only_address) continue;
    for (const paging::Page& page : page_store.pages) {
      if (visitor.done()) return;
      if (visitor.wants_page(page_store, page)) {
        visit_page(store, page_store, page, visitor, sink);
      }
    }
  }
}

}  // namespace saranga::store
