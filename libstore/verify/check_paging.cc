#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "libstore/verify/cross_checks.h"
#include "saranga/message/record_ids.h"
#include "saranga/store/cross_findings.h"

namespace saranga::store {
namespace {

// Since then brokers count what is in pages at every start, and counters mean nothing.
constexpr ReleaseNumber kCountersRebuilt{2, 28, 0};

/// A record about a page, be it of the live state or of a transaction in doubt.
struct PageRecord {
  std::int8_t type = 0;
  std::int64_t id = 0;
  journal::Place place{};
  std::int64_t queue = 0;
  std::int64_t page = 0;
  std::int32_t number = 0;
};

class PagingChecks {
 public:
  PagingChecks(const CrossInput& input, FindingSink& sink)
      : input_(input), sink_(sink), model_(input.store.model()), catalog_(input.store.catalog()) {}

  void run();

 private:
  struct Counter {
    std::int64_t value = 0;
    bool counted = false;       ///< there is any counter record
    bool acknowledged = false;  ///< there is any cursor record
  };
  struct Unbound {
    const paging::PageStore* page_store = nullptr;
    std::int64_t queue = 0;
    std::uint64_t count = 0;
    bool others = false;  ///< another queue is bound to the address
  };

  void check_addresses();
  void check_unbound();
  [[nodiscard]] bool lacks_address(const paging::PageStore& page_store) const;
  [[nodiscard]] static Finding paged_without_queue(const Unbound& unbound);
  void check_record(const PageRecord& record);
  void check_acknowledgement(const PageRecord& record, const CheckedPage* page);
  void count(const OtherRecord& record);
  void check_transactions();
  void check_counters();
  void check_counter(std::int64_t queue, const Counter& counter);
  [[nodiscard]] const CheckedPage* find_page(const std::string& address, std::int64_t page) const;
  void report(std::string_view code, Severity severity, const PageRecord& record, std::string text);

  const CrossInput& input_;
  FindingSink& sink_;
  const Model& model_;
  const bindings::Catalog& catalog_;
  std::map<std::int64_t, Counter> counters_;
};

void PagingChecks::run() {
  const bool bindings = is_given(*input_.store.parts().bindings);
  const bool pages = is_given(*input_.store.parts().paging);
  if (bindings && pages) {
    check_addresses();
    check_unbound();
  }
  for (const OtherRecord& record : model_.others()) {
    if (bindings) {
      check_record({.type = record.type,
                    .id = record.id,
                    .place = record.place,
                    .queue = record.queue,
                    .page = record.value,
                    .number = record.count});
    }
    count(record);
  }
  for (const PreparedTransaction& transaction : model_.prepared()) {
    for (const Fact& fact : transaction.records) {
      if (!bindings || fact.user_type != message::kAcknowledgeCursor) continue;
      check_record({.type = fact.user_type,
                    .id = fact.id,
                    .place = fact.place,
                    .queue = fact.queue,
                    .page = fact.value,
                    .number = fact.count});
    }
  }
  if (!pages) return;
  check_transactions();
  if (bindings) check_counters();
}

// A broker of 2.6.4 and later deletes the pages of an address that has no binding of its own.
void PagingChecks::check_addresses() {
  for (const paging::PageStore& page_store : input_.store.page_stores()) {
    if (!lacks_address(page_store)) continue;
    const auto pages = input_.pages.pages.find(page_store.address);
    const bool filled =
        pages != input_.pages.pages.end() &&
        std::ranges::any_of(pages->second, [](const auto& p) { return p.second.size_bytes != 0; });
    sink_.finding(
        {.code = "pages-without-address",
         .severity = filled ? Severity::kWarning : Severity::kInfo,
         .file = "paging/" + page_store.folder,
         .text = fmt::format("the address {} of these {} pages has no binding; the next start of "
                             "a broker deletes them",
                             page_store.address, page_store.pages.size())});
  }
}

// Before 2.0 there were no bindings of addresses at all.
bool PagingChecks::lacks_address(const paging::PageStore& page_store) const {
  return !catalog_.addresses().empty() && !page_store.address.empty() &&
         catalog_.address_by_name(page_store.address) == nullptr;
}

// Pages keep what a deleted queue had not consumed, until the other queues of their address are
// through with them. Without any queue there nobody will ever get it.
void PagingChecks::check_unbound() {
  // Without the bindings journal all queues are gone, and that has been told.
  if (!input_.store.bindings().is_known()) return;
  std::set<std::string_view> with_queues;
  for (const auto& [id, queue] : catalog_.queues()) with_queues.insert(queue.address);
  for (const auto& [where, count] : input_.pages.unbound) {
    const auto& [page_store, queue] = where;
    // Pages that a broker ignores or deletes as a whole have been told.
    if (page_store->address.empty() || lacks_address(*page_store)) continue;
    sink_.finding(paged_without_queue({.page_store = page_store,
                                       .queue = queue,
                                       .count = count,
                                       .others = with_queues.contains(page_store->address)}));
  }
  if (input_.pages.too_many_unbound) sink_.finding(too_many_queue_ids());
}

Finding PagingChecks::paged_without_queue(const Unbound& unbound) {
  return {.code = "paged-without-queue",
          .severity = unbound.others ? Severity::kInfo : Severity::kWarning,
          .file = "paging/" + unbound.page_store->folder,
          .id = unbound.queue,
          .text = fmt::format("{} messages in the pages of {} are for queue id {}, which has no "
                              "binding there{}; a broker that is started drops them",
                              unbound.count, unbound.page_store->address, unbound.queue,
                              unbound.others ? "" : ", nor has any other queue")};
}

const CheckedPage* PagingChecks::find_page(const std::string& address, std::int64_t page) const {
  const auto pages = input_.pages.pages.find(address);
  if (pages == input_.pages.pages.end()) return nullptr;
  const auto found = pages->second.find(page);
  return found == pages->second.end() ? nullptr : &found->second;
}

void PagingChecks::check_record(const PageRecord& record) {
  const bool cursor =
      record.type == message::kAcknowledgeCursor || record.type == message::kPageComplete;
  const bool counter = record.type == message::kPageCounterValue ||
                       record.type == message::kPageCounterIncrement ||
                       record.type == message::kPendingCounter;
  if (!cursor && !counter) return;
  const bindings::Queue* queue = catalog_.queue(record.queue);
  if (queue == nullptr) {
    return report(
        "cursor-without-queue", Severity::kInfo, record,
        fmt::format("a {} of queue id {}, which has no binding; the next start of a broker "
                    "deletes the record",
                    cursor ? "page position" : "page counter", record.queue));
  }
  if (!cursor || !is_given(*input_.store.parts().paging)) return;
  const CheckedPage* page = find_page(queue->address, record.page);
  if (record.type == message::kAcknowledgeCursor) return check_acknowledgement(record, page);
  if (page != nullptr && (page->size_bytes != 0 || page->damaged)) return;
  report("page-complete-without-page", Severity::kInfo, record,
         fmt::format("queue {} is through with page {} of {}, which {}; the next start of a broker "
                     "deletes the record",
                     queue->name, record.page, queue->address,
                     page == nullptr ? "is not there" : "is empty"));
}

void PagingChecks::check_acknowledgement(const PageRecord& record, const CheckedPage* page) {
  const bindings::Queue& queue = *catalog_.queue(record.queue);
  if (record.number < 0) {
    if (page != nullptr) return;
    return report("bookmark-without-page", Severity::kInfo, record,
                  fmt::format("queue {} begins at page {} of {}, which is not there", queue.name,
                              record.page, queue.address));
  }
  if (page == nullptr) {
    return report(
        "cursor-without-page", Severity::kWarning, record,
        fmt::format("queue {} has acknowledged message {} of page {} of {}, which is not there; "
                    "a broker before 2.50 would skip that message when it comes to this page "
                    "again",
                    queue.name, record.number, record.page, queue.address));
  }
  if (page->damaged || record.number < page->entry_count) return;
  report("cursor-ack-beyond-page", Severity::kWarning, record,
         fmt::format(
             "queue {} has acknowledged message {} of page {} of {}, which has {} messages: some "
             "are lost, or the page is another one",
             queue.name, record.number, record.page, queue.address, page->entry_count));
}

void PagingChecks::count(const OtherRecord& record) {
  switch (record.type) {
    case message::kPageCounterValue: {
      // A later snapshot includes what was counted before it.
      Counter& counter = counters_[record.queue];
      counter.value = record.value;
      counter.counted = true;
      return;
    }
    case message::kPageCounterIncrement: {
      Counter& counter = counters_[record.queue];
      if (__builtin_add_overflow(counter.value, record.value, &counter.value)) counter.value = -1;
      counter.counted = true;
      return;
    }
    case message::kPendingCounter: {
      const bindings::Queue* queue = catalog_.queue(record.queue);
      const CheckedPage* page =
          queue == nullptr ? nullptr : find_page(queue->address, record.value);
      Counter& counter = counters_[record.queue];
      if (page != nullptr) counter.value += page->entry_count;
      counter.counted = true;
      return;
    }
    case message::kAcknowledgeCursor:
    case message::kPageComplete: counters_[record.queue].acknowledged = true; return;
    default: return;
  }
}

// A page transaction counts the references that are still to be acknowledged. Queues that are gone
// may or may not have been counted.
void PagingChecks::check_transactions() {
  for (const auto& [tx_id, transaction] : model_.page_transactions()) {
    const auto found = input_.pages.transactions.find(tx_id);
    if (found == input_.pages.transactions.end()) {
      sink_.finding(page_transaction_without_pages(tx_id));
      continue;
    }
    const PageTransactionUse& use = found->second;
    const auto remaining =
        static_cast<std::uint64_t>(std::max<std::int64_t>(transaction.remaining, 0));
    if (remaining >= use.alive && remaining <= use.alive + use.unbound) continue;
    const bool low = remaining < use.alive;
    sink_.finding(
        {.code = "page-transaction-count",
         .severity = Severity::kWarning,
         .id = tx_id,
         .text = fmt::format(
             "page transaction {} still expects {} acknowledgements, its messages in pages "
             "need {}: {}",
             tx_id, remaining, use.alive,
             low ? "the last of them disappear when it reaches zero" : "it is never forgotten")});
  }
}

void PagingChecks::check_counters() {
  for (const auto& [queue, counter] : counters_) {
    if (catalog_.queue(queue) != nullptr) check_counter(queue, counter);
  }
  if (!input_.options.target || *input_.options.target >= kCountersRebuilt) return;
  for (const auto& [queue, bound] : catalog_.queues()) {
    const auto alive = input_.pages.counted_by_queue.find(queue);
    if (alive == input_.pages.counted_by_queue.end()) continue;
    const auto counter = counters_.find(queue);
    if (counter != counters_.end() && (counter->second.counted || counter->second.acknowledged)) {
      continue;
    }
    sink_.finding(
        {.code = "target-needs-counter",
         .severity = Severity::kWarning,
         .id = queue,
         .text = fmt::format("queue {} has {} messages in pages and no counter; release {} takes "
                             "it for empty and deletes the pages",
                             bound.name, alive->second, release_text(*input_.options.target))});
  }
}

void PagingChecks::check_counter(std::int64_t queue, const Counter& counter) {
  if (!counter.counted) return;
  const auto alive = input_.pages.counted_by_queue.find(queue);
  const std::uint64_t actual = alive == input_.pages.counted_by_queue.end() ? 0 : alive->second;
  if (counter.value >= 0 && static_cast<std::uint64_t>(counter.value) == actual) return;
  const bool matters = input_.options.target && *input_.options.target < kCountersRebuilt;
  sink_.finding(
      {.code = "page-counter-differs",
       .severity = matters ? Severity::kWarning : Severity::kInfo,
       .id = queue,
       .text = fmt::format("the counter of queue {} says {} messages in pages, there are {}; "
                           "releases before 2.28 believe the counter",
                           catalog_.queue(queue)->name, counter.value, actual)});
}

void PagingChecks::report(std::string_view code, Severity severity, const PageRecord& record,
                          std::string text) {
  sink_.finding({.code = code,
                 .severity = severity,
                 .file = input_.store.journal().labels[record.place.file()],
                 .offset = record.place.offset(),
                 .id = record.id,
                 .text = std::move(text)});
}

}  // namespace

void check_paging(const CrossInput& input, FindingSink& sink) { PagingChecks(input, sink).run(); }

}  // namespace saranga::store
