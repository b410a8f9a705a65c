// Entries of pages as messages on a queue. Private to this folder.
#pragma once

#include <map>

#include "libstore/prepared_index.h"
#include "saranga/store/live_messages.h"

namespace saranga::store {

/// The state of a reference whose delivery is due at `scheduled_ms`.
[[nodiscard]] MessageState message_state(Reference::State state, std::int64_t scheduled_ms,
                                         std::int64_t now_ms);

/// What an entry says of its message wherever that is: no queue, state or schedule. Views of the
/// entry.
[[nodiscard]] LiveMessage paged_message(const VisitedEntry& entry);

/// Hands the paged messages of one queue to a visitor.
class PagedMessages final : public PageVisitor {
 public:
  PagedMessages(const LoadedStore& store, const bindings::Queue& queue,
                const PreparedIndex& prepared, MessageVisitor& visitor)
      : store_(store), queue_(queue), prepared_(prepared), visitor_(visitor) {}

  void entry(const VisitedEntry& entry) override;
  // A page that the queue is through with need not be read.
  bool wants_page(const paging::PageStore& /*page_store*/, const paging::Page& page) override {
    return !store_.model().cursors().completed(queue_.id, page.number);
  }
  bool done() override { return stopped_; }

 private:
  const LoadedStore& store_;
  const bindings::Queue& queue_;
  const PreparedIndex& prepared_;
  MessageVisitor& visitor_;
  bool stopped_ = false;
};

/// Hands on the messages that were paged for queue ids without a binding, in the order of the
/// pages.
class UnboundPagedMessages final : public PageVisitor {
 public:
  UnboundPagedMessages(const LoadedStore& store, const PreparedIndex& prepared,
                       MessageVisitor& visitor)
      : store_(store), prepared_(prepared), visitor_(visitor) {}

  void entry(const VisitedEntry& entry) override;
  bool done() override { return stopped_; }

 private:
  [[nodiscard]] bool wants(std::int64_t queue);

  const LoadedStore& store_;
  const PreparedIndex& prepared_;
  MessageVisitor& visitor_;
  std::map<std::int64_t, bool> wanted_;
  bool stopped_ = false;
};

}  // namespace saranga::store
