#include "saranga/store/queue_summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "saranga/bytes/cursor.h"
#include "saranga/store/cross_findings.h"
#include "saranga/store/pages.h"
#include "saranga/bytes/id_hash.h"

namespace saranga::store {
namespace {

/// What a count needs to know of one message on one queue.
struct Counted {
  std::int64_t timestamp_ms = 0;
  std::uint64_t body_bytes = 0;
  bool scheduled = false;
  bool paged = false;
  bool delivered = false;
  bool expired = false;
  bool large = false;
};

void count(MessageTotals& totals, const Counted& message) {
  ++totals.messages;
  totals.scheduled += message.scheduled ? 1 : 0;
  totals.paged += message.paged ? 1 : 0;
  totals.delivered += message.delivered ? 1 : 0;
  totals.expired += message.expired ? 1 : 0;
  totals.large += message.large ? 1 : 0;
  totals.body_bytes += message.body_bytes;
  const std::int64_t sent = message.timestamp_ms;
  if (sent == 0) return;
  if (totals.oldest_ms == 0 || sent < totals.oldest_ms) totals.oldest_ms = sent;
  if (totals.newest_ms == 0 || sent > totals.newest_ms) totals.newest_ms = sent;
}

std::uint64_t file_bytes(const LoadedStore& store, std::int64_t message_id) {
  const message::LargeFile* file = store.large_file(message_id);
  return file == nullptr ? 0 : file->size_bytes;
}

using TotalsById = std::map<std::int64_t, MessageTotals>;

/// What all passes have found.
struct Counts {
  TotalsById totals;
  std::map<std::int64_t, std::string> paged_addresses{};  // by queue id: an address of its pages
  bool too_many_ids = false;
};

// A page can name as many queue ids as it likes; those without a binding are listed up to here.
constexpr std::size_t kMostUnboundIds = std::size_t{1} << 16;

// ---- the journal
// ----------------------------------------------------------------------------------

/// The pass over references.
class JournalCount {
 public:
  explicit JournalCount(const LoadedStore& store)
      : store_(store),
        model_(store.model()),
        fetcher_(store.fetcher()),
        totals_(model_.queue_ids().size()),
        first_message_(model_.queue_ids().size(), kNone) {}

  [[nodiscard]] TotalsById count_all();
  /// The address that a message on a queue id was sent to; empty when there is none.
  [[nodiscard]] std::string address_seen(std::int64_t queue);

 private:
  [[nodiscard]] Counted describe(std::uint32_t index, const Message& message);
  [[nodiscard]] std::int64_t own_schedule(const Message& message);

  const LoadedStore& store_;
  const Model& model_;
  journal::RecordFetcher fetcher_;
  std::vector<MessageTotals> totals_;         // by queue index
  std::vector<std::uint32_t> first_message_;  // likewise
  IdMap<std::uint32_t> witnesses_;            // by id without binding: a message
};

TotalsById JournalCount::count_all() {
  const auto& references = model_.references();
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Reference& reference = references[i];
    MessageTotals& totals = totals_[reference.queue];
    if (reference.state != Reference::State::kDead && first_message_[reference.queue] == kNone) {
      first_message_[reference.queue] = reference.message;
    }
    switch (reference.state) {
      case Reference::State::kDead: break;
      case Reference::State::kInDoubtAck: ++totals.prepared_acks; break;
      case Reference::State::kInDoubtSend: ++totals.prepared_sends; break;
      case Reference::State::kPending:
        count(totals,
              describe(static_cast<std::uint32_t>(i), model_.messages()[reference.message]));
        break;
    }
  }
  TotalsById result;
  for (std::size_t q = 0; q < totals_.size(); ++q) {
    const MessageTotals& totals = totals_[q];
    // Queue ids of acknowledged references are still in the model's table.
    if (totals.messages + totals.prepared_acks + totals.prepared_sends == 0) continue;
    const std::int64_t id = model_.queue_ids()[q];
    result.emplace(id, totals);
    if (store_.catalog().queue(id) == nullptr) witnesses_.emplace(id, first_message_[q]);
  }
  return result;
}

Counted JournalCount::describe(std::uint32_t index, const Message& message) {
  Counted counted{.timestamp_ms = message.timestamp_ms,
                  .body_bytes = message.body_bytes,
                  .large = message.has(Message::kLarge)};
  const std::int64_t now_ms = store_.now_ms();
  const std::int64_t expiration_ms = message.expiration_ms();
  counted.expired = expiration_ms > 0 && expiration_ms < now_ms;
  if (counted.large) counted.body_bytes = file_bytes(store_, message.id);
  std::int64_t scheduled_ms = 0;
  if (model_.references()[index].has_extra) {
    const ReferenceExtra extra = model_.extra(index);
    counted.delivered = extra.delivery_count > 0;
    scheduled_ms = extra.scheduled_ms;
  }
  if (scheduled_ms == 0 && message.has(Message::kScheduled)) scheduled_ms = own_schedule(message);
  counted.scheduled = scheduled_ms > now_ms;
  return counted;
}

std::string JournalCount::address_seen(std::int64_t queue) {
  const auto witness = witnesses_.find(queue);
  if (witness == witnesses_.end()) return {};
  const Message& message = model_.messages()[witness->second];
  const auto record = fetcher_.fetch(message.place);
  if (!record || record->id != message.id) return {};
  Cursor cursor(record->body);
  const auto address = read_message_record(cursor, record->user_type).address();
  return address ? address->str() : std::string();
}

// The model only knows that there is a schedule; few messages have one.
std::int64_t JournalCount::own_schedule(const Message& message) {
  const auto record = fetcher_.fetch(message.place);
  if (!record || record->id != message.id) return 0;
  return read_fact(*record, message.place.file(), store_.now_ms()).message.scheduled_ms;
}

// ---- pages
// ----------------------------------------------------------------------------------------

/// Counts one page on any thread; everything it finds is handed over in order.
class PageCountJob final : public Job, private PageVisitor, private FindingSink {
 public:
  PageCountJob(const LoadedStore& store, const paging::PageStore& page_store,
               const paging::Page& page, Counts& counts, FindingSink& sink)
      : store_(store), page_store_(page_store), page_(page), counts_(counts), sink_(sink) {}

  void run() override { visit_page(store_, page_store_, page_, *this, *this); }
  void deliver() override {
    counts_.too_many_ids |= too_many_ids_;
    for (const auto& [queue, totals] : counted_) {
      if (is_too_many(queue)) continue;
      counts_.totals[queue].add(totals);
      counts_.paged_addresses.try_emplace(queue, page_store_.address);
    }
    for (Finding& finding : findings_) sink_.finding(std::move(finding));
  }

 private:
  void entry(const VisitedEntry& entry) override;
  void finding(Finding finding) override { findings_.push_back(std::move(finding)); }
  [[nodiscard]] MessageTotals& totals_of(std::int64_t queue, std::size_t at);
  [[nodiscard]] bool is_too_many(std::int64_t queue);

  const LoadedStore& store_;
  const paging::PageStore& page_store_;
  const paging::Page& page_;
  Counts& counts_;
  FindingSink& sink_;
  std::vector<Finding> findings_;
  std::vector<std::pair<std::int64_t, MessageTotals>> counted_;
  IdMap<std::size_t> indexes_;  // in counted_
  bool too_many_ids_ = false;
};

// Nearly every entry of a page names the same queues in the same order.
MessageTotals& PageCountJob::totals_of(std::int64_t queue, std::size_t at) {
  if (at < counted_.size() && counted_[at].first == queue) return counted_[at].second;
  const auto [known, fresh] = indexes_.try_emplace(queue, counted_.size());
  if (fresh) counted_.emplace_back(queue, MessageTotals{});
  return counted_[known->second].second;
}

bool PageCountJob::is_too_many(std::int64_t queue) {
  if (counts_.totals.size() < kMostUnboundIds || counts_.totals.contains(queue) ||
      store_.catalog().queue(queue) != nullptr) {
    return false;
  }
  counts_.too_many_ids = true;
  return true;
}

void PageCountJob::entry(const VisitedEntry& entry) {
  const std::int64_t now_ms = store_.now_ms();
  Counted counted{.timestamp_ms = entry.facts.timestamp_ms,
                  .body_bytes = entry.facts.body_bytes,
                  .scheduled = entry.facts.scheduled_ms > now_ms,
                  .paged = true,
                  .expired = entry.facts.expiration_ms > 0 && entry.facts.expiration_ms < now_ms,
                  .large = entry.facts.large};
  if (counted.large) counted.body_bytes = file_bytes(store_, entry.paged.message.id());
  for (std::size_t i = 0; i < entry.references.size(); ++i) {
    const auto& [queue, state, if_bound] = entry.references[i];
    if (state == PagedState::kUnbound && counted_.size() >= kMostUnboundIds &&
        !indexes_.contains(queue)) {
      too_many_ids_ = true;
      continue;
    }
    switch (if_bound) {
      case PagedState::kUnbound: break;
      case PagedState::kPending: count(totals_of(queue, i), counted); break;
      case PagedState::kInDoubtAck: ++totals_of(queue, i).prepared_acks; break;
      case PagedState::kInDoubtSend: ++totals_of(queue, i).prepared_sends; break;
      case PagedState::kConsumed:
      case PagedState::kUncommitted: break;
    }
  }
}

// ---- putting it together
// --------------------------------------------------------------------------

std::vector<QueueSummary> list_queues(const bindings::Catalog& catalog, const Counts& counts,
                                      JournalCount& journal) {
  std::map<std::int64_t, QueueSummary> by_id;
  std::set<std::string_view> paused;
  for (const auto& [id, address] : catalog.addresses()) {
    if (address.paused) paused.insert(address.name);
  }
  for (const auto& [id, queue] : catalog.queues()) {
    by_id[id] = {.id = id,
                 .queue = &queue,
                 .address = queue.address,
                 .paused = queue.paused || paused.contains(queue.address)};
  }
  for (const auto& [id, counted] : counts.totals) {
    QueueSummary& summary = by_id[id];
    summary.id = id;
    summary.totals = counted;
    if (summary.queue != nullptr) continue;
    summary.address = journal.address_seen(id);
    const auto paged = counts.paged_addresses.find(id);
    if (summary.address.empty() && paged != counts.paged_addresses.end()) {
      summary.address = paged->second;
    }
  }
  std::vector<QueueSummary> queues;
  for (auto& [id, summary] : by_id) queues.push_back(summary);
  std::ranges::stable_sort(queues, [](const QueueSummary& a, const QueueSummary& b) {
    if (a.queue == nullptr || b.queue == nullptr) return a.queue != nullptr && b.queue == nullptr;
    return std::tie(a.queue->address, a.queue->name) < std::tie(b.queue->address, b.queue->name);
  });
  return queues;
}

std::vector<AddressSummary> list_addresses(const LoadedStore& store,
                                           const std::vector<QueueSummary>& queues) {
  std::map<std::string, AddressSummary, std::less<>> by_name;
  for (const auto& [id, address] : store.catalog().addresses()) {
    by_name[address.name].address = &address;
  }
  for (const QueueSummary& queue : queues) {
    if (queue.queue == nullptr) continue;
    AddressSummary& summary = by_name[queue.queue->address];
    ++summary.queues;
    summary.totals.add(queue.totals);
  }
  for (const paging::PageStore& pages : store.page_stores()) {
    if (pages.address.empty()) continue;
    AddressSummary& summary = by_name[pages.address];
    for (const paging::Page& page : pages.pages) {
      summary.pages += page.size_bytes != 0 ? 1 : 0;
      summary.page_bytes += page.size_bytes;
    }
  }
  std::vector<AddressSummary> addresses;
  for (auto& [name, summary] : by_name) {
    summary.name = name;
    addresses.push_back(std::move(summary));
  }
  return addresses;
}

}  // namespace

void MessageTotals::add(const MessageTotals& other) {
  messages += other.messages;
  scheduled += other.scheduled;
  paged += other.paged;
  delivered += other.delivered;
  expired += other.expired;
  large += other.large;
  prepared_acks += other.prepared_acks;
  prepared_sends += other.prepared_sends;
  body_bytes += other.body_bytes;
  if (other.oldest_ms != 0 && (oldest_ms == 0 || other.oldest_ms < oldest_ms)) {
    oldest_ms = other.oldest_ms;
  }
  if (other.newest_ms != 0 && (newest_ms == 0 || other.newest_ms > newest_ms)) {
    newest_ms = other.newest_ms;
  }
}

StoreSummary summarise_queues(const LoadedStore& store, JobRunner& jobs, FindingSink& sink) {
  JournalCount journal(store);
  Counts counts{.totals = journal.count_all()};
  for (const paging::PageStore& page_store : store.page_stores()) {
    for (const paging::Page& page : page_store.pages) {
      jobs.submit(std::make_unique<PageCountJob>(store, page_store, page, counts, sink));
    }
  }
  jobs.drain();
  if (counts.too_many_ids) {
    sink.finding(too_many_queue_ids());
  }
  StoreSummary summary;
  summary.queues = list_queues(store.catalog(), counts, journal);
  summary.addresses = list_addresses(store, summary.queues);
  return summary;
}

}  // namespace saranga::store
