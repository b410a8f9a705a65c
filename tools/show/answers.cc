#include "tools/show/answers.h"

#include <fmt/format.h>

#include <algorithm>

namespace saranga::show {
namespace {

using journal::JournalKind;
using journal::RecordKind;
using store::MessageStory;
using store::Outcome;
using store::StoryRecord;

}  // namespace

std::optional<Xid> TransactionAnswer::xid() const {
  Cursor cursor(name);
  const Xid xid = read_xid(cursor);
  return cursor.ok() ? std::optional(xid) : std::nullopt;
}

std::vector<StoryRecord> Answers::records_of(std::int64_t id) const {
  std::vector<StoryRecord> records;
  std::ranges::copy_if(stories_.records(), std::back_inserter(records),
                       [&](const StoryRecord& record) { return record.is_about(id); });
  return records;
}

Result<journal::Record> Answers::fetch(const StoryRecord& record) {
  return record.journal == JournalKind::kMessages ? messages_.fetch(record.place)
                                                  : bindings_.fetch(record.place);
}

const store::LoadedJournal& Answers::journal_of(const StoryRecord& record) const {
  return record.journal == JournalKind::kMessages ? store_.journal() : store_.bindings();
}

std::string Answers::place_of(const StoryRecord& record) const {
  return fmt::format("{}:{:#x}", journal_of(record).labels[record.place.file()],
                     record.place.offset());
}

std::vector<TransactionAnswer> Answers::transactions_of(std::int64_t id) {
  std::vector<TransactionAnswer> found;
  for (const StoryRecord& record : stories_.records()) {
    if (!record.in_transaction || record.tx_id != id) continue;
    auto at = std::ranges::find(found, record.journal, &TransactionAnswer::journal);
    if (at == found.end()) {
      at = found.insert(at, {.tx_id = id, .journal = record.journal});
    }
    // An outcome alone says how the transaction ended, too.
    if (!journal::traits(record.kind).has_id) {
      at->outcome = record.kind == RecordKind::kCommit     ? Outcome::kCommitted
                    : record.kind == RecordKind::kRollback ? Outcome::kRolledBack
                                                           : Outcome::kPrepared;
    }
    if (record.kind == RecordKind::kDeleteTx) {
      ++at->deletes;
    } else if (journal::traits(record.kind).has_id) {
      ++at->records;
    } else if (record.kind == RecordKind::kPrepare) {
      if (const auto prepare = fetch(record)) {
        at->name.assign(prepare->body.begin(), prepare->body.end());
      }
    }
    at->incomplete =
        at->outcome != Outcome::kOpen && record.journal == JournalKind::kMessages &&
        std::ranges::find(store_.model().incomplete(), id, &store::PreparedTransaction::tx_id) !=
            store_.model().incomplete().end();
  }
  return found;
}

const store::StoreSummary& Answers::summary() {
  if (!summary_) summary_ = store::summarise_queues(store_, jobs_, sink_);
  return *summary_;
}

const store::QueueSummary* Answers::queue(std::int64_t id) {
  const auto& ids = store_.model().queue_ids();
  if (catalog().queue(id) == nullptr && std::ranges::find(ids, id) == ids.end()) return nullptr;
  const auto& queues = summary().queues;
  const auto found = std::ranges::find(queues, id, &store::QueueSummary::id);
  return found == queues.end() ? nullptr : &*found;
}

const store::AddressSummary* Answers::address(std::string_view name) {
  const auto& addresses = summary().addresses;
  const auto found = std::ranges::find(addresses, name, &store::AddressSummary::name);
  return found == addresses.end() ? nullptr : &*found;
}

std::string Answers::former_queue(std::int64_t id) {
  if (!former_queues_) former_queues_ = store::former_queues(store_);
  const auto found = former_queues_->find(id);
  return found == former_queues_->end() ? std::string() : found->second;
}

std::vector<const paging::PageStore*> Answers::page_stores(std::string_view address) const {
  std::vector<const paging::PageStore*> found;
  for (const paging::PageStore& page_store : store_.page_stores()) {
    if (page_store.address == address) found.push_back(&page_store);
  }
  return found;
}

std::unique_ptr<MessageStory> Answers::message(std::int64_t id) {
  auto story = store::tell_message(store_, stories_, id);
  // Of a message that was forgotten, a copy may still tell.
  if (story == nullptr && records_of(id).empty() && !copies_of(id).empty()) {
    story = std::make_unique<MessageStory>();
    story->id = id;
  }
  return story;
}

// One pass answers for all subjects. What is a queue or the like cannot be a message.
std::vector<store::LiveCopy> Answers::copies_of(std::int64_t id) {
  if (!copies_) {
    std::set<std::int64_t> ids = stories_.ids();
    std::erase_if(ids, [&](std::int64_t other) {
      return catalog().queue(other) != nullptr || catalog().addresses().contains(other);
    });
    copies_ = store::find_copies(store_, ids);
  }
  std::vector<store::LiveCopy> found;
  std::ranges::copy_if(*copies_, std::back_inserter(found),
                       [&](const store::LiveCopy& copy) { return copy.original_id == id; });
  return found;
}

}  // namespace saranga::show
