#include "libstore/explain/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "libstore/explain/journal.h"
#include "saranga/message/record_ids.h"
#include "saranga/store/pages.h"

namespace saranga::store {
namespace {

/// A large body that a page entry names.
struct PagedLarge {
  std::size_t page = 0;  ///< index in Explanation::pages
  std::vector<std::int64_t> queues{};
  std::vector<std::int64_t> transactions{};
};

using PagedLargeById = std::map<std::int64_t, std::vector<PagedLarge>>;

/// Sums up one page on any thread.
class PageJob final : public Job, private PageVisitor, private FindingSink {
 public:
  struct Target {
    Explanation* explanation = nullptr;
    PagedLargeById* large = nullptr;
    FindingSink* sink = nullptr;
    const PreparedIndex* prepared = nullptr;
    std::size_t page = 0;
  };
  PageJob(const LoadedStore& store, const paging::PageStore& page_store, const paging::Page& page,
          Target target)
      : store_(store), page_store_(page_store), page_(page), target_(target) {}

  void run() override { visit_page(store_, page_store_, page_, *this, *this); }
  void deliver() override;

 private:
  void entry(const VisitedEntry& entry) override;
  void finding(Finding finding) override { findings_.push_back(std::move(finding)); }
  [[nodiscard]] std::int64_t transaction_of(const VisitedEntry& entry,
                                            const PagedReference& reference) const;

  const LoadedStore& store_;
  const paging::PageStore& page_store_;
  const paging::Page& page_;
  Target target_;
  std::vector<Finding> findings_;
  ShareCount count_;
  std::uint64_t entries_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t uncommitted_ = 0;
  std::int64_t oldest_ms_ = 0;
  std::vector<std::pair<std::int64_t, PagedLarge>> large_;
};

std::int64_t PageJob::transaction_of(const VisitedEntry& entry,
                                     const PagedReference& reference) const {
  return reference.state == PagedState::kInDoubtAck
             ? target_.prepared->of_paged(reference.queue, entry.page->number, entry.entry.number)
             : target_.prepared->of_page_transaction(entry.paged.tx_id);
}

void PageJob::entry(const VisitedEntry& entry) {
  ++entries_;
  const std::uint64_t length = entry.entry.payload.size() + paging::kFrameBytes;
  PagedLarge large{.page = target_.page};
  bool held = false;
  bool uncommitted = false;
  for (const PagedReference& reference : entry.references) {
    switch (reference.state) {
      case PagedState::kPending: {
        held = true;
        QueueShare& share = count_.queue(reference.queue);
        ++share.messages;
        share.bytes += length;
        large.queues.push_back(reference.queue);
        break;
      }
      case PagedState::kInDoubtAck:
      case PagedState::kInDoubtSend: {
        held = true;
        const std::int64_t tx_id = transaction_of(entry, reference);
        TransactionShare& share = count_.transaction(tx_id, true);
        ++share.records;
        share.bytes += length;
        large.transactions.push_back(tx_id);
        break;
      }
      case PagedState::kUncommitted: uncommitted = true; break;
      case PagedState::kConsumed:
      case PagedState::kUnbound: break;
    }
  }
  uncommitted_ += uncommitted ? 1 : 0;
  if (entry.facts.large) large_.emplace_back(entry.paged.message.id(), std::move(large));
  if (!held) return;
  ++messages_;
  live_bytes_ += length;
  const std::int64_t sent = entry.facts.timestamp_ms;
  if (sent != 0 && (oldest_ms_ == 0 || sent < oldest_ms_)) oldest_ms_ = sent;
}

void PageJob::deliver() {
  PageReport& report = target_.explanation->pages[target_.page];
  report.entries = entries_;
  report.messages = messages_;
  report.live_bytes = live_bytes_;
  report.uncommitted = uncommitted_;
  report.oldest_ms = oldest_ms_;
  report.queues = count_.by_messages();
  report.transactions = count_.by_id();
  const bool current = &page_ == &page_store_.pages.back();
  if (!store_.catalog().knows_address(page_store_.address)) {
    report.state = PageState::kAddressGone;
  } else if (current) {
    report.state = PageState::kCurrent;
  } else {
    report.state = messages_ == 0 ? PageState::kDone : PageState::kHeld;
  }
  for (auto& [id, large] : large_) {
    if (const message::LargeFile* file = store_.large_file(id)) {
      report.large_bytes += file->size_bytes;
    }
    (*target_.large)[id].push_back(std::move(large));
  }
  for (Finding& finding : findings_) target_.sink->finding(std::move(finding));
}

/// What becomes of each body file.
class LargeFiles {
 public:
  LargeFiles(const LoadedStore& store, const HolderFinder& finder, const PagedLargeById& paged,
             Explanation& out)
      : store_(store), finder_(finder), paged_(paged), out_(out) {
    // Bodies of transactions in doubt are named by records that no message has yet.
    for (const PreparedTransaction& prepared : store.model().prepared()) {
      for (const Fact& fact : prepared.records) {
        if (fact.message.large && fact.kind == journal::RecordKind::kAddTx) {
          in_doubt_[fact.id] = prepared.tx_id;
        }
      }
    }
  }
  void explain_all() {
    for (const message::LargeFile& file : store_.large_files()) explain(file);
  }

 private:
  void explain(const message::LargeFile& file);
  [[nodiscard]] bool find_in_journal(LargeFileReport& report) const;
  [[nodiscard]] bool find_in_pages(LargeFileReport& report) const;

  const LoadedStore& store_;
  const HolderFinder& finder_;
  const PagedLargeById& paged_;
  Explanation& out_;
  std::map<std::int64_t, std::int64_t> in_doubt_;  // transaction by message id
};

bool LargeFiles::find_in_journal(LargeFileReport& report) const {
  const Message* message = store_.model().find(report.id);
  if (message == nullptr || !message->has(Message::kLarge)) return false;
  report.held_in = store_.journal().labels[message->place.file()];
  Holder holder = finder_.find(report.id, message::kAddMessageProtocol);
  report.queues = std::move(holder.queues);
  report.transactions = std::move(holder.transactions);
  if (const auto prepared = in_doubt_.find(report.id); prepared != in_doubt_.end()) {
    if (std::ranges::find(report.transactions, prepared->second) == report.transactions.end()) {
      report.transactions.push_back(prepared->second);
    }
  }
  report.state = report.queues.empty() && report.transactions.empty() ? LargeState::kUnreferenced
                                                                      : LargeState::kHeld;
  return true;
}

bool LargeFiles::find_in_pages(LargeFileReport& report) const {
  const auto found = paged_.find(report.id);
  if (found == paged_.end()) return false;
  for (const PagedLarge& paged : found->second) {
    if (report.held_in.empty()) report.held_in = out_.pages[paged.page].file;
    for (const std::int64_t queue : paged.queues) report.queues.push_back(queue);
    for (const std::int64_t tx_id : paged.transactions) report.transactions.push_back(tx_id);
  }
  for (auto* ids : {&report.queues, &report.transactions}) {
    std::ranges::sort(*ids);
    const auto rest = std::ranges::unique(*ids);
    ids->erase(rest.begin(), rest.end());
  }
  report.state =
      report.queues.empty() && report.transactions.empty() ? LargeState::kPage : LargeState::kHeld;
  return true;
}

void LargeFiles::explain(const message::LargeFile& file) {
  LargeFileReport report{
      .file = "large-messages/" + file.name, .id = file.id, .size_bytes = file.size_bytes};
  switch (file.kind) {
    case message::LargeFile::Kind::kSync: report.state = LargeState::kSync; break;
    case message::LargeFile::Kind::kNonDurable:
      (void)(find_in_journal(report) || find_in_pages(report));
      report.state = LargeState::kTemporary;
      break;
    case message::LargeFile::Kind::kDurable:
      if (!find_in_journal(report) && !find_in_pages(report)) report.state = LargeState::kOrphan;
  }
  out_.large_files.push_back(std::move(report));
}

// Pages that a broker has put aside stay for ever, and the list of pages leaves them out.
void list_quarantined(const LoadedStore& store, const paging::PageStore& page_store,
                      Explanation& out) {
  const auto folder = store.parts().paging->open_directory(page_store.folder);
  if (!folder) return;
  const auto entries = (*folder)->list();
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(".invalidPage")) continue;
    out.pages.push_back({.file = fmt::format("paging/{}/{}", page_store.folder, entry.name),
                         .address = page_store.address,
                         .size_bytes = entry.size_bytes,
                         .state = PageState::kQuarantined});
  }
}

}  // namespace

void explain_pages(const LoadedStore& store, const HolderFinder& finder, JobRunner& jobs,
                   FindingSink& sink, Explanation& out) {
  for (const paging::PageStore& page_store : store.page_stores()) {
    for (const paging::Page& page : page_store.pages) {
      out.pages.push_back({.file = fmt::format("paging/{}/{}", page_store.folder, page.name),
                           .address = page_store.address,
                           .number = page.number,
                           .size_bytes = page.size_bytes});
    }
    list_quarantined(store, page_store, out);
  }
  const PreparedIndex prepared(store.model());
  PagedLargeById large;
  std::size_t at = 0;
  for (const paging::PageStore& page_store : store.page_stores()) {
    for (const paging::Page& page : page_store.pages) {
      jobs.submit(std::make_unique<PageJob>(store, page_store, page,
                                            PageJob::Target{.explanation = &out,
                                                            .large = &large,
                                                            .sink = &sink,
                                                            .prepared = &prepared,
                                                            .page = at}));
      ++at;
    }
    while (at < out.pages.size() && out.pages[at].state == PageState::kQuarantined) ++at;
  }
  jobs.drain();
  LargeFiles(store, finder, large, out).explain_all();
}

}  // namespace saranga::store
