#include "saranga/store/record_filter.h"

#include "libstore/small_journal.h"
#include "saranga/bindings/record_ids.h"
#include "saranga/bytes/no_findings.h"
#include "saranga/message/record_ids.h"
#include "saranga/paging/paged_message.h"
#include "saranga/store/fact.h"

namespace saranga::store {
namespace {

bool names_queue(std::int8_t type) {
  switch (type) {
    case message::kAddReference:
    case message::kAcknowledgeReference:
    case message::kDeliveryCount:
    case message::kScheduledDelivery:
    case message::kAcknowledgeCursor:
    case message::kPageComplete:
    case message::kPageCounterValue:
    case message::kPageCounterIncrement:
    case message::kPendingCounter: return true;
    default: return false;
  }
}

}  // namespace

bool RecordFilter::wants(journal::JournalKind journal, std::string_view label,
                         const journal::Record& record) {
  if (selects_all()) return true;
  const journal::KindTraits& kind = journal::traits(record.kind);
  if (!filter_.wants_file(label)) return false;
  if (filter_.says_record_type() &&
      (!kind.has_user_type || !filter_.wants_record_type(record.user_type))) {
    return false;
  }
  if (filter_.says_id() && (!kind.has_id || !filter_.wants_id(record.id))) return false;
  return journal == journal::JournalKind::kMessages ? wants_fact(record) : wants_binding(record);
}

bool RecordFilter::wants_binding(const journal::Record& record) {
  if (!wants_transaction_of(record, -1) || filter_.says_message()) return false;
  if (!filter_.says_queue() && !filter_.says_address()) return true;
  // What the record itself says counts: the queue may be gone.
  bindings::Catalog own;
  if (record.user_type == bindings::kQueueBinding) {
    own.apply(record.user_type, record.id, false, record.body);
    const bindings::Queue* queue = own.queue(record.id);
    return queue != nullptr && filter_.wants_queue(record.id, queue);
  }
  if (record.user_type != bindings::kAddressBinding || filter_.says_queue()) return false;
  own.apply(record.user_type, record.id, false, record.body);
  const auto& addresses = own.addresses();
  return !addresses.empty() && filter_.wants_address(addresses.begin()->second.name);
}

bool RecordFilter::wants_fact(const journal::Record& record) {
  DecodedMessage decoded;
  const Fact fact = read_fact(record, 0, now_ms_, &decoded);
  const bool page_tx = fact.user_type == message::kPageTransaction;
  if (!wants_transaction_of(record, page_tx ? fact.queue : -1)) return false;
  const bool has_body = journal::traits(record.kind).has_body;
  if (has_body && names_queue(fact.user_type)) {
    return !filter_.says_message() && wants_named_queue(fact.queue);
  }
  if (filter_.says_queue()) return false;
  if (!filter_.says_message() && !filter_.says_address()) return true;
  return has_body && holds_message(fact.user_type) &&
         filter_.wants_content(decoded.message, fact.message);
}

bool RecordFilter::wants_named_queue(std::int64_t id) {
  const bindings::Queue* queue = catalog_.queue(id);
  if (queue == nullptr && filter_.says_address()) return false;
  return filter_.wants_queue(id, queue);
}

// A page transaction belongs to the transaction that it names as well.
bool RecordFilter::wants_transaction_of(const journal::Record& record, std::int64_t page_tx_id) {
  if (!filter_.says_transaction()) return true;
  if (page_tx_id >= 0 && filter_.wants_transaction(page_tx_id)) return true;
  return journal::traits(record.kind).has_tx && filter_.wants_transaction(record.tx_id);
}

bool RecordFilter::wants(std::string_view label, std::string_view address,
                         const paging::PageEntry& entry) {
  if (selects_all()) return true;
  if (!filter_.wants_file(label) || filter_.says_record_type()) return false;
  Cursor cursor(entry.payload);
  const paging::PagedMessage paged = paging::read_paged_message(cursor);
  if (filter_.says_transaction() && (paged.tx_id < 0 || !filter_.wants_transaction(paged.tx_id))) {
    return false;
  }
  if (filter_.says_id() && !filter_.wants_id(paged.message.id())) return false;
  bool routed = !filter_.says_queue();
  for (std::size_t i = 0; i < paged.queues.size(); ++i) {
    const std::int64_t queue = paged.queues[i];
    if (filter_.says_queue() && filter_.wants_queue(queue, catalog_.queue(queue))) routed = true;
  }
  if (!routed) return false;
  MessageFacts facts = message_facts(paged.message, now_ms_);
  if (paged.large != paging::LargeKind::kNone) facts.large = true;
  const bool by_folder = filter_.says_address() && filter_.wants_address(address);
  return by_folder ? filter_.wants_message_content(paged.message, facts)
                   : filter_.wants_content(paged.message, facts);
}

bool RecordFilter::wants_body(std::string_view label, std::int64_t message_id) {
  if (selects_all()) return true;
  if (filter_.says_record_type() || filter_.says_transaction() || filter_.says_queue() ||
      filter_.says_address() || filter_.says_message()) {
    return false;
  }
  return filter_.wants_file(label) && filter_.wants_id(message_id);
}

Result<bindings::Catalog> load_catalog(const ReadableDirectory& bindings) {
  bindings::Catalog catalog;
  NoFindings none;
  const SmallJournalReaders readers{.survivor = [&](const journal::Record& record) {
    catalog.apply(record.user_type, record.id, record.is_update(), record.body);
  }};
  auto loaded =
      load_small_journal(bindings, journal::JournalKind::kBindings, "bindings", readers, none);
  if (!loaded) return std::unexpected(loaded.error());
  return catalog;
}

}  // namespace saranga::store
