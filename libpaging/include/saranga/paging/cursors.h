// What the message journal says of paged messages: which are consumed, and which transactions have
// committed (docs/format/paging.md#cursor-records).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "saranga/journal/id_set.h"

namespace saranga::paging {

/// Cursor records of the message journal, filled by whoever reads it. Not thread-safe while filled.
class Cursors {
 public:
  /// An ACKNOWLEDGE_CURSOR record; message -1 is a bookmark and acknowledges nothing.
  void acknowledge(std::int64_t queue, std::int64_t page, std::int32_t message) {
    if (message >= 0) acks_[{queue, page}].insert(message);
  }
  /// A PAGE_CURSOR_COMPLETE record.
  void complete(std::int64_t queue, std::int64_t page) { complete_.emplace(queue, page); }
  /// A PAGE_TRANSACTION record: the sending transaction has committed.
  void commit(std::int64_t tx_id) { committed_.insert(tx_id); }

  [[nodiscard]] bool acknowledged(std::int64_t queue, std::int64_t page,
                                  std::int32_t message) const {
    const auto found = acks_.find({queue, page});
    return found != acks_.end() && found->second.contains(message);
  }
  /// The acknowledged positions of a page on a queue, null when there are none.
  [[nodiscard]] const journal::IdSet* acknowledgements(std::int64_t queue,
                                                       std::int64_t page) const {
    const auto found = acks_.find({queue, page});
    return found == acks_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool completed(std::int64_t queue, std::int64_t page) const {
    return complete_.contains({queue, page});
  }
  [[nodiscard]] bool committed(std::int64_t tx_id) const { return committed_.contains(tx_id); }
  [[nodiscard]] const journal::IdSet& committed_transactions() const { return committed_; }

 private:
  using QueueAndPage = std::pair<std::int64_t, std::int64_t>;
  std::map<QueueAndPage, journal::IdSet> acks_;
  std::set<QueueAndPage> complete_;
  journal::IdSet committed_;
};

}  // namespace saranga::paging
