// What is known of the subjects of `data show`, for whichever form prints it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "saranga/bytes/fields.h"
#include "saranga/store/message_story.h"
#include "saranga/store/queue_summary.h"
#include "saranga/store/story.h"

namespace saranga::show {

/// A transaction of one journal.
struct TransactionAnswer {
  std::int64_t tx_id = 0;
  journal::JournalKind journal = journal::JournalKind::kMessages;
  store::Outcome outcome = store::Outcome::kOpen;
  bool incomplete = false;  ///< records of it were lost: a broker drops it
  std::uint64_t records = 0;
  std::uint64_t deletes = 0;
  std::vector<std::byte> name{};  ///< of a prepared one, as its manager gave it

  /// The name taken apart; a view of it.
  [[nodiscard]] std::optional<Xid> xid() const;
};

/// Looks things up in a loaded store, and remembers what is costly. One thread.
class Answers {
 public:
  /// All must outlive it; `sink` hears of damage to what is asked about.
  Answers(const store::LoadedStore& store, const store::StoryCollector& stories, FindingSink& sink,
          JobRunner& jobs)
      : store_(store),
        stories_(stories),
        sink_(sink),
        jobs_(jobs),
        messages_(store.fetcher()),
        bindings_(store.bindings_fetcher()) {}

  [[nodiscard]] const store::LoadedStore& store() const { return store_; }
  [[nodiscard]] const bindings::Catalog& catalog() const { return store_.catalog(); }
  [[nodiscard]] FindingSink& sink() const { return sink_; }

  /// The records about an id, in load order.
  [[nodiscard]] std::vector<store::StoryRecord> records_of(std::int64_t id) const;
  [[nodiscard]] store::Outcome outcome(const store::StoryRecord& record) const {
    return stories_.outcome(record);
  }
  /// Reads a record again; its views hold until the next call.
  [[nodiscard]] Result<journal::Record> fetch(const store::StoryRecord& record);
  [[nodiscard]] const store::LoadedJournal& journal_of(const store::StoryRecord& record) const;
  /// "journal/activemq-data-1.amq:0x1f40".
  [[nodiscard]] std::string place_of(const store::StoryRecord& record) const;

  /// The transactions of that number: each journal has its own.
  [[nodiscard]] std::vector<TransactionAnswer> transactions_of(std::int64_t id);
  /// A queue with what is on it; null when there is none, not even messages for one.
  [[nodiscard]] const store::QueueSummary* queue(std::int64_t id);
  [[nodiscard]] const store::AddressSummary* address(std::string_view name);
  /// The name of a queue that has no binding any more; empty when nothing tells.
  [[nodiscard]] std::string former_queue(std::int64_t id);
  /// The folders of its pages.
  [[nodiscard]] std::vector<const paging::PageStore*> page_stores(std::string_view address) const;
  /// A message that exists or has left records; null for another id.
  [[nodiscard]] std::unique_ptr<store::MessageStory> message(std::int64_t id);
  /// Live messages that were made from it.
  [[nodiscard]] std::vector<store::LiveCopy> copies_of(std::int64_t id);

 private:
  const store::StoreSummary& summary();

  const store::LoadedStore& store_;
  const store::StoryCollector& stories_;
  FindingSink& sink_;
  JobRunner& jobs_;
  journal::RecordFetcher messages_;
  journal::RecordFetcher bindings_;
  std::optional<store::StoreSummary> summary_;
  std::optional<std::vector<store::LiveCopy>> copies_;
  std::optional<std::map<std::int64_t, std::string>> former_queues_;
};

}  // namespace saranga::show
