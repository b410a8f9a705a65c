#include "libstore/verify/page_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "libstore/verify/large_check.h"
#include "saranga/bytes/id_hash.h"

namespace saranga::store {

/// One page being checked.
class PageChecker::PageJob final : public Job, private PageVisitor, private FindingSink {
 public:
  PageJob(PageChecker& owner, const paging::PageStore& page_store, const paging::Page& page)
      : owner_(owner), page_store_(page_store), page_(page) {}

  void run() override {
    visit_page(owner_.store_, page_store_, page_, *this, *this);
    report_uncommitted();
    if (entry_count_ != 0 && !any_bound_) report_without_queues();
  }
  void deliver() override;

 private:
  void entry(const VisitedEntry& entry) override;
  void end_page(const paging::PageStore& page_store, const paging::Page& page,
                const paging::PageScanner& scanner) override;
  void finding(Finding finding) override { findings_.push_back(std::move(finding)); }

  void check_bodies(const VisitedEntry& entry);
  void check_references(const VisitedEntry& entry);
  void add_unbound(std::int64_t queue);
  void deliver_unbound(GatheredPages& all) const;
  void check_large(const VisitedEntry& entry, bool alive);
  void note_target(const VisitedEntry& entry);
  void report_uncommitted();
  void report_without_queues();
  void report(const VisitedEntry& entry, std::string_view code, Severity severity,
              std::string text);
  [[nodiscard]] std::string label() const {
    return fmt::format("paging/{}/{}", page_store_.folder, page_.name);
  }

  PageChecker& owner_;
  const paging::PageStore& page_store_;
  const paging::Page& page_;
  std::vector<Finding> findings_;
  std::vector<BodyProblem> problems_;
  std::optional<CheckedPage> checked_;
  IdMap<PageTransactionUse> transactions_;
  std::map<std::int64_t, std::uint64_t> uncommitted_;  // messages by transaction
  IdMap<std::uint64_t> counted_by_queue_;
  IdMap<std::uint64_t> unbound_;  // messages by queue id
  bool too_many_unbound_ = false;
  std::vector<std::int64_t> large_ids_;
  std::int64_t highest_id_ = -1;
  std::uint64_t highest_offset_ = 0;
  TargetTally target_;
  std::uint64_t entry_count_ = 0;
  std::uint64_t live_count_ = 0;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t decoded_bytes_ = 0;
  std::uint64_t entry_bytes_ = 0;
  std::uint64_t unreadable_bytes_ = 0;
  bool any_bound_ = false;
};

void PageChecker::PageJob::entry(const VisitedEntry& entry) {
  ++entry_count_;
  decoded_bytes_ += entry.entry.payload.size() + paging::kFrameBytes;
  const std::int64_t id = std::max(entry.paged.message.id(), entry.paged.tx_id);
  if (id > highest_id_) {
    highest_id_ = id;
    highest_offset_ = entry.entry.offset;
  }
  if (owner_.options_.level >= CheckLevel::kBodies) check_bodies(entry);
  if (owner_.options_.level >= CheckLevel::kCross) check_references(entry);
}

void PageChecker::PageJob::check_bodies(const VisitedEntry& entry) {
  if (entry.trailing_bytes != 0) {
    report(entry, "trailing-bytes", Severity::kInfo,
           fmt::format("{} bytes stand behind the fields that are known", entry.trailing_bytes));
  }
  note_target(entry);
  problems_.clear();
  check_message(entry.paged.message, entry.paged.large == paging::LargeKind::kCore, problems_);
  for (BodyProblem& problem : problems_) {
    report(entry, problem.code, problem.severity, std::move(problem.text));
  }
}

void PageChecker::PageJob::note_target(const VisitedEntry& entry) {
  if (!owner_.options_.target) return;
  const ReleaseNumber& target = *owner_.options_.target;
  auto problem = paged_problem(target, entry.paged, entry.entry.payload);
  if (!problem && entry.paged.large != paging::LargeKind::kCore) {
    problem = message_problem(target, entry.paged.message);
  }
  if (!problem) return;
  target_.add(problem->code, problem->reason, std::string(entry.label), entry.entry.offset,
              entry.paged.message.id());
}

void PageChecker::PageJob::check_references(const VisitedEntry& entry) {
  bool alive = false;
  bool uncommitted = false;
  PageTransactionUse use;
  for (const PagedReference& reference : entry.references) {
    switch (reference.state) {
      case PagedState::kPending:
      case PagedState::kInDoubtAck:
        // What is sent in doubt is not counted before it is decided.
        ++counted_by_queue_[reference.queue];
        [[fallthrough]];
      case PagedState::kInDoubtSend:
        alive = true;
        ++use.alive;
        break;
      case PagedState::kUnbound:
        // Like a reference of the journal: live as long as no broker has dropped it.
        alive = true;
        ++use.unbound;
        add_unbound(reference.queue);
        break;
      case PagedState::kUncommitted: uncommitted = true; break;
      case PagedState::kConsumed: break;
    }
    any_bound_ = any_bound_ || reference.state != PagedState::kUnbound;
  }
  if (uncommitted) ++uncommitted_[entry.paged.tx_id];
  if (alive) {
    ++live_count_;
    live_bytes_ += entry.entry.payload.size() + paging::kFrameBytes;
  }
  if (entry.paged.tx_id >= 0 &&
      owner_.store_.model().page_transactions().contains(entry.paged.tx_id)) {
    PageTransactionUse& sum = transactions_[entry.paged.tx_id];
    sum.alive += use.alive;
    sum.unbound += use.unbound;
    ++sum.messages;
  }
  if (entry.paged.large != paging::LargeKind::kNone) check_large(entry, alive);
}

void PageChecker::PageJob::add_unbound(std::int64_t queue) {
  if (unbound_.size() < kMostUnboundIds || unbound_.contains(queue)) {
    ++unbound_[queue];
  } else {
    too_many_unbound_ = true;
  }
}

void PageChecker::PageJob::deliver_unbound(GatheredPages& all) const {
  all.too_many_unbound |= too_many_unbound_;
  for (const auto& [queue, count] : unbound_) {
    const std::pair key(&page_store_, queue);
    if (all.unbound.size() < kMostUnboundIds || all.unbound.contains(key)) {
      all.unbound[key] += count;
    } else {
      all.too_many_unbound = true;
    }
  }
}

void PageChecker::PageJob::check_large(const VisitedEntry& entry, bool alive) {
  large_ids_.push_back(entry.paged.message.id());
  if (!alive || !is_given(*owner_.store_.parts().large_messages)) return;
  check_large_body(owner_.store_,
                   {.message = &entry.paged.message,
                    .file = entry.label,
                    .offset = entry.entry.offset,
                    .durable = entry.facts.durable,
                    .paged = true,
                    .inflate = true},
                   findings_);
}

void PageChecker::PageJob::report_uncommitted() {
  for (const auto& [tx_id, count] : uncommitted_) {
    findings_.push_back(
        {.code = "paged-messages-uncommitted",
         .severity = Severity::kInfo,
         .file = label(),
         .id = tx_id,
         .text =
             fmt::format("{} messages here were sent by transaction {}, which never committed; a "
                         "broker passes over them",
                         count, tx_id)});
  }
}

void PageChecker::PageJob::report_without_queues() {
  if (owner_.options_.level < CheckLevel::kCross) return;
  if (!is_given(*owner_.store_.parts().bindings)) return;
  findings_.push_back({.code = "page-without-queues",
                       .severity = Severity::kInfo,
                       .file = label(),
                       .length_bytes = page_.size_bytes,
                       .text = fmt::format("none of the {} messages here is for a queue that still "
                                           "exists; a broker deletes the page",
                                           entry_count_)});
}

void PageChecker::PageJob::report(const VisitedEntry& entry, std::string_view code,
                                  Severity severity, std::string text) {
  findings_.push_back({.code = code,
                       .severity = severity,
                       .file = std::string(entry.label),
                       .offset = entry.entry.offset,
                       .length_bytes = entry.entry.payload.size() + paging::kFrameBytes,
                       .id = entry.paged.message.id(),
                       .text = std::move(text)});
}

void PageChecker::PageJob::end_page(const paging::PageStore& /*page_store*/,
                                    const paging::Page& /*page*/,
                                    const paging::PageScanner& scanner) {
  checked_ = CheckedPage{.entry_count = static_cast<std::int64_t>(scanner.entry_count()),
                         .size_bytes = scanner.size_bytes(),
                         .damaged = !scanner.damage().empty()};
  entry_bytes_ = scanner.entry_bytes();
  unreadable_bytes_ = scanner.unreadable_bytes();
}

void PageChecker::PageJob::deliver() {
  GatheredPages& all = owner_.gathered_;
  all.highest_id.take({highest_id_, label(), highest_offset_});
  all.message_count += entry_count_;
  all.live_message_count += live_count_;
  deliver_unbound(all);
  for (const auto& [tx_id, use] : transactions_) {
    PageTransactionUse& sum = all.transactions[tx_id];
    sum.alive += use.alive;
    sum.unbound += use.unbound;
    sum.messages += use.messages;
  }
  for (const auto& [queue, count] : counted_by_queue_) all.counted_by_queue[queue] += count;
  for (const std::int64_t id : large_ids_) all.large_ids.insert(id);
  all.target.merge(target_);
  PartAccount& account = all.account;
  ++account.file_count;
  account.record_bytes += entry_bytes_;
  account.unreadable_bytes += unreadable_bytes_;
  if (owner_.options_.level == CheckLevel::kCross) {
    account.live_bytes = account.live_bytes.value_or(0) + live_bytes_;
  }
  account.total_bytes += page_.size_bytes;
  const std::uint64_t read = entry_bytes_ + unreadable_bytes_;
  if (read < page_.size_bytes) account.unread_bytes += page_.size_bytes - read;
  if (checked_ && checked_->size_bytes != page_.size_bytes) {
    findings_.push_back(
        {.code = "account-mismatch",
         .severity = Severity::kWarning,
         .file = label(),
         .length_bytes = page_.size_bytes,
         .text = fmt::format("{} bytes were read, the folder says that there are {}: the "
                             "file has changed meanwhile",
                             read, page_.size_bytes)});
  }
  if (checked_) all.pages[page_store_.address][page_.number] = *checked_;
  for (Finding& finding : findings_) owner_.sink_.finding(std::move(finding));
}

bool PageChecker::step() {
  const auto& stores = store_.page_stores();
  while (next_store_ < stores.size() && next_page_ == stores[next_store_].pages.size()) {
    ++next_store_;
    next_page_ = 0;
  }
  if (next_store_ == stores.size()) return false;
  const paging::PageStore& page_store = stores[next_store_];
  jobs_.submit(std::make_unique<PageJob>(*this, page_store, page_store.pages[next_page_++]));
  return true;
}

}  // namespace saranga::store
