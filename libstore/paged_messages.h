// Entries of pages as messages on a queue. Private to this folder.
#pragma once

#include <map>
#include <set>

#include "libstore/prepared_index.h"
#include "saranga/store/live_messages.h"

namespace saranga::store {

/// The state of a reference whose delivery is due at `scheduled_ms`.
[[nodiscard]] MessageState message_state(Reference::State state, std::int64_t scheduled_ms,
                                         std::int64_t now_ms);

/// Where a paged message is in its life on a queue that it is still on, with or without a binding.
struct PagedPlace {
  MessageState state = MessageState::kPending;
  std::int64_t tx_id = -1;  ///< prepared transaction that has it in doubt, or -1
};
[[nodiscard]] PagedPlace paged_place(const VisitedEntry& entry, const PagedReference& reference,
                                     const PreparedIndex& prepared, std::int64_t now_ms);

/// Pages that were read to their end, and hold nothing for a queue id without a binding.
using BoundPages = std::set<const paging::Page*>;

/// What an entry says of its message wherever that is: no queue, state or schedule. Views of the
/// entry.
[[nodiscard]] LiveMessage paged_message(const VisitedEntry& entry);

/// Hands the paged messages of one queue to a visitor.
class PagedMessages final : public PageVisitor {
 public:
  /// Adds to `bound` the pages that need not be read for UnboundPagedMessages.
  PagedMessages(const LoadedStore& store, const bindings::Queue& queue,
                const PreparedIndex& prepared, MessageVisitor& visitor, BoundPages& bound)
      : store_(store), queue_(queue), prepared_(prepared), visitor_(visitor), bound_(bound) {}

  void entry(const VisitedEntry& entry) override;
  // A page that the queue is through with need not be read.
  bool wants_page(const paging::PageStore& /*page_store*/, const paging::Page& page) override {
    return !store_.model().cursors().completed(queue_.id, page.number);
  }
  bool done() override { return stopped_; }
  void end_page(const paging::PageStore& page_store, const paging::Page& page,
                const paging::PageScanner& scanner) override;

 private:
  const LoadedStore& store_;
  const bindings::Queue& queue_;
  const PreparedIndex& prepared_;
  MessageVisitor& visitor_;
  BoundPages& bound_;
  bool saw_unbound_ = false;  // on the present page
  bool stopped_ = false;
};

/// Hands on the messages that were paged for queue ids without a binding, in the order of the
/// pages.
class UnboundPagedMessages final : public PageVisitor {
 public:
  /// Pages in `bound` are passed over.
  UnboundPagedMessages(const LoadedStore& store, const PreparedIndex& prepared,
                       MessageVisitor& visitor, const BoundPages& bound)
      : store_(store), prepared_(prepared), visitor_(visitor), bound_(bound) {}

  void entry(const VisitedEntry& entry) override;
  bool wants_page(const paging::PageStore& /*page_store*/, const paging::Page& page) override {
    return !bound_.contains(&page);
  }
  bool done() override { return stopped_; }

 private:
  [[nodiscard]] bool wants(std::int64_t queue);

  const LoadedStore& store_;
  const PreparedIndex& prepared_;
  MessageVisitor& visitor_;
  const BoundPages& bound_;
  std::map<std::int64_t, bool> wanted_;
  bool stopped_ = false;
};

}  // namespace saranga::store
