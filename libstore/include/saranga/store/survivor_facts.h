// What the surviving records of both journals say in sum: counts, references by queue, cursors of
// paged messages. Pieces gathered on several threads are merged in load order.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "saranga/journal/folder.h"
#include "saranga/journal/format.h"
#include "saranga/journal/id_set.h"
#include "saranga/paging/cursors.h"

namespace saranga::store {

/// References of one queue as Artemis counts them when it prints: an acknowledgement takes one
/// away, but the first record of a queue, if it is one, does not.
struct ReferenceCount {
  std::int64_t delta = 0;  ///< references minus acknowledgements
  bool first_is_ack = false;
  std::int64_t references = 0;  ///< references alone

  [[nodiscard]] std::int64_t count() const { return delta + (first_is_ack ? 1 : 0); }
};

/// Sums over a row of surviving records.
class SARANGA_API SurvivorFacts {
 public:
  /// Adds one record of the given journal; bodies that do not decode count for nothing.
  void add(journal::JournalKind kind, const journal::Record& record);
  /// Adds what records further behind say.
  void merge(const SurvivorFacts& later);

  [[nodiscard]] std::int64_t messages() const { return messages_; }
  [[nodiscard]] std::int64_t large_messages() const { return large_messages_; }
  [[nodiscard]] const std::map<std::int64_t, ReferenceCount>& references() const {
    return references_;
  }
  /// Ids of the queues that have a binding.
  [[nodiscard]] const std::set<std::int64_t>& queues() const { return queues_; }
  /// Ids of messages whose body is a large-message file.
  [[nodiscard]] const std::set<std::int64_t>& large_bodies() const { return large_bodies_; }
  /// Transaction ids of PAGE_TRANSACTION records.
  [[nodiscard]] const std::set<std::int64_t>& page_transactions() const {
    return page_transactions_;
  }
  /// Cursors as far as merged; see paging::Cursors.
  [[nodiscard]] paging::Cursors cursors() const;

 private:
  struct CursorFact {
    std::int8_t type;
    std::int64_t queue;
    std::int64_t page;
    std::int32_t message;
  };

  void add_message_record(const journal::Record& record);

  std::int64_t messages_ = 0;
  std::int64_t large_messages_ = 0;
  std::map<std::int64_t, ReferenceCount> references_;
  std::set<std::int64_t> queues_;
  std::set<std::int64_t> large_bodies_;
  std::set<std::int64_t> page_transactions_;
  std::vector<CursorFact> cursor_facts_;
};

}  // namespace saranga::store
