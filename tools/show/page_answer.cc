#include "tools/show/page_answer.h"

#include <fmt/format.h>

namespace saranga::show {
namespace {

using store::PagedState;

class PageReader final : public store::PageVisitor {
 public:
  PageReader(const store::LoadedStore& store, PageAnswer& answer)
      : store_(store), answer_(answer) {}

  void entry(const store::VisitedEntry& entry) override {
    answer_.lines.push_back({.number = entry.entry.number,
                             .offset = entry.entry.offset,
                             .message_id = entry.paged.message.id(),
                             .tx_id = entry.paged.tx_id,
                             .body_bytes = entry.facts.body_bytes,
                             .references = entry.references});
    for (const store::PagedReference& reference : entry.references) {
      PageCursor& cursor = answer_.cursors[reference.queue];
      ++cursor.routed;
      if (reference.state == PagedState::kConsumed) ++cursor.consumed;
      if (reference.state == PagedState::kInDoubtAck ||
          reference.state == PagedState::kInDoubtSend) {
        ++cursor.in_doubt;
      }
      cursor.complete = store_.model().cursors().completed(reference.queue, answer_.number);
    }
  }

 private:
  const store::LoadedStore& store_;
  PageAnswer& answer_;
};

}  // namespace

std::string_view paged_state_name(PagedState state) {
  switch (state) {
    case PagedState::kPending: return "pending";
    case PagedState::kConsumed: return "acknowledged";
    case PagedState::kInDoubtAck: return "prepared_ack";
    case PagedState::kInDoubtSend: return "prepared_send";
    case PagedState::kUncommitted: return "uncommitted";
    case PagedState::kUnbound: return "unbound";
  }
  return "pending";
}

PageAnswer read_page(const store::LoadedStore& store, const paging::PageStore& page_store,
                     const paging::Page& page, FindingSink& sink) {
  PageAnswer answer{.label = fmt::format("paging/{}/{}", page_store.folder, page.name),
                    .address = page_store.address,
                    .number = page.number,
                    .size_bytes = page.size_bytes};
  PageReader reader(store, answer);
  store::visit_page(store, page_store, page, reader, sink);
  return answer;
}

}  // namespace saranga::show
