#include "saranga/store/kept_records.h"

#include "libstore/small_journal.h"
#include "saranga/bytes/no_findings.h"
#include "saranga/message/record_ids.h"
#include "saranga/store/cross_findings.h"

namespace saranga::store {
namespace {

// Whether records of the type tell of a message, its queues or its pages. A body that was being
// received when the broker stopped belongs to nobody.
bool belongs_to_messages(std::int8_t type) {
  switch (type) {
    case message::kAddReference:
    case message::kAcknowledgeReference:
    case message::kDeliveryCount:
    case message::kScheduledDelivery:
    case message::kPageTransaction:
    case message::kAcknowledgeCursor:
    case message::kPageCounterValue:
    case message::kPageCounterIncrement:
    case message::kPageComplete:
    case message::kPendingCounter:
    case message::kAddLargeMessagePending:
    case message::kAddMessageBody: return true;
    default: return holds_message(type);
  }
}

/// Fetches records of the message journal and hands them on.
class Visit {
 public:
  Visit(const LoadedStore& store, const KeptRecordVisitor& visitor, FindingSink& sink)
      : store_(store), visitor_(visitor), sink_(sink), fetcher_(store.fetcher()) {}

  void at(std::int64_t id, journal::Place place) {
    const auto record = fetcher_.fetch(place);
    if (record) return visitor_(*record);
    sink_.finding(record_changed(store_.journal().labels[place.file()], place.offset(), id));
  }

 private:
  const LoadedStore& store_;
  const KeptRecordVisitor& visitor_;
  FindingSink& sink_;
  journal::RecordFetcher fetcher_;
};

}  // namespace

Result<void> visit_binding_records(const LoadedStore& store, const KeptRecordVisitor& visitor,
                                   FindingSink& /*sink*/) {
  // The load has told what is wrong with the files.
  NoFindings silent;
  const auto loaded = load_small_journal(*store.parts().bindings, journal::JournalKind::kBindings,
                                         "bindings", {.survivor = visitor}, silent);
  if (!loaded) return std::unexpected(loaded.error());
  return {};
}

void visit_standing_records(const LoadedStore& store, const KeptRecordVisitor& visitor,
                            FindingSink& sink) {
  Visit visit(store, visitor, sink);
  for (const OtherRecord& record : store.model().others()) {
    if (!belongs_to_messages(record.type)) visit.at(record.id, record.place);
  }
}

std::map<std::int8_t, std::uint64_t> count_standing_records(const LoadedStore& store) {
  std::map<std::int8_t, std::uint64_t> counts;
  for (const OtherRecord& record : store.model().others()) {
    if (!belongs_to_messages(record.type)) ++counts[record.type];
  }
  return counts;
}

void visit_standing_records(const LoadedStore& store, const PreparedTransaction& transaction,
                            const KeptRecordVisitor& visitor, FindingSink& sink) {
  Visit visit(store, visitor, sink);
  for (const Fact& fact : transaction.records) {
    if (!belongs_to_messages(fact.user_type)) visit.at(fact.id, fact.place);
  }
  for (const Fact& fact : transaction.deletes) visit.at(fact.id, fact.place);
}

void visit_prepare(const LoadedStore& store, const PreparedTransaction& transaction,
                   const KeptRecordVisitor& visitor, FindingSink& sink) {
  Visit(store, visitor, sink).at(transaction.tx_id, transaction.prepare);
}

}  // namespace saranga::store
