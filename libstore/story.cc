#include "saranga/store/story.h"

#include "saranga/bindings/record_ids.h"
#include "saranga/journal/scanner.h"

namespace saranga::store {
namespace {

void read_again(const LoadedJournal& journal, const ReadableDirectory& directory,
                RecordObserver& observer) {
  for (std::size_t i = 0; i < journal.folder.files.size(); ++i) {
    const auto file = directory.open(journal.folder.files[i].name);
    if (!file) continue;  // as loading it has told
    journal::FileScanner scanner(**file, journal.folder.files[i].header);
    journal::Batch batch;
    auto more = scanner.next(batch);
    for (; more && *more; more = scanner.next(batch)) {
      for (const journal::Record& record : batch.records) {
        observer.record(journal.folder.kind, record, i);
      }
    }
  }
}

/// Knows every queue of the bindings journal, whatever became of it.
class QueueRecords final : public RecordObserver {
 public:
  void record(journal::JournalKind /*journal*/, const journal::Record& record,
              std::size_t /*file*/) override {
    const bool is_binding = journal::traits(record.kind).has_user_type && !record.is_update() &&
                            record.user_type == bindings::kQueueBinding;
    if (is_binding) all_.apply(record.user_type, record.id, false, record.body);
  }
  [[nodiscard]] const bindings::Catalog& all() const { return all_; }

 private:
  bindings::Catalog all_;
};

}  // namespace

std::map<std::int64_t, std::string> former_queues(const LoadedStore& store) {
  QueueRecords records;
  read_again(store.bindings(), *store.parts().bindings, records);
  std::map<std::int64_t, std::string> names;
  for (const auto& [id, queue] : records.all().queues()) {
    if (store.catalog().queue(id) == nullptr) names.emplace(id, queue.name);
  }
  return names;
}

void read_again(const LoadedStore& store, RecordObserver& observer) {
  read_again(store.bindings(), *store.parts().bindings, observer);
  read_again(store.journal(), *store.parts().journal, observer);
}

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOutside: return "";
    case Outcome::kOpen: return "open";
    case Outcome::kPrepared: return "prepared";
    case Outcome::kCommitted: return "committed";
    case Outcome::kRolledBack: return "rolled back";
  }
  return "";
}

void StoryCollector::record(journal::JournalKind journal, const journal::Record& record,
                            std::size_t file) {
  using journal::RecordKind;
  const journal::KindTraits& kind = journal::traits(record.kind);
  const Key key{journal, record.tx_id};
  if (kind.has_tx && !kind.has_id) {
    // Records of a transaction come before its outcome, so it is known by now whether one matters.
    if (const auto known = outcomes_.find(key); known != outcomes_.end()) {
      known->second = record.kind == RecordKind::kCommit     ? Outcome::kCommitted
                      : record.kind == RecordKind::kRollback ? Outcome::kRolledBack
                                                             : Outcome::kPrepared;
    }
  }
  const bool about_tx = kind.has_tx && ids_.contains(record.tx_id);
  const bool about_id = kind.has_id && ids_.contains(record.id);
  if (!about_tx && !about_id) return;
  records_.push_back({.journal = journal,
                      .place = journal::Place(file, record.offset),
                      .id = record.id,
                      .tx_id = record.tx_id,
                      .in_transaction = kind.has_tx,
                      .kind = record.kind,
                      .user_type = record.user_type});
  if (kind.has_tx && kind.has_id) outcomes_.try_emplace(key, Outcome::kOpen);
}

Outcome StoryCollector::outcome(const StoryRecord& record) const {
  if (!record.in_transaction) return Outcome::kOutside;
  const auto found = outcomes_.find({record.journal, record.tx_id});
  return found == outcomes_.end() ? Outcome::kOpen : found->second;
}

}  // namespace saranga::store
