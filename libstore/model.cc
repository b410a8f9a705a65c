#include "saranga/store/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "saranga/bytes/huge_pages.h"
#include "saranga/message/record_ids.h"
#include "saranga/store/cross_findings.h"

namespace saranga::store {
namespace {

using State = Reference::State;

constexpr std::size_t kFirstSlots = std::size_t{1} << 10;
// Room is made for at most so many messages before they are there.
constexpr std::uint64_t kMostExpected = std::uint64_t{3} << 19;
// Dead entries are swept when there are more of them than live ones, but not for a few.
constexpr std::uint64_t kSweepAtLeast = std::uint64_t{1} << 16;
// A message is on few queues, so a walk along its references finds the right one; when there are
// more than this, they are indexed.
constexpr std::size_t kLongList = 24;
// What a reference can hold; so many queue ids do not fit into memory.
constexpr std::uint32_t kQueueBits = (std::uint32_t{1} << 29) - 1;

std::uint64_t link_key(std::uint32_t message, std::uint32_t queue) {
  return std::uint64_t{message} << 32 | queue;
}

constexpr std::uint32_t kMostFrameBytes = 0x3ff;

std::uint32_t sum_of(std::uint32_t a, std::uint32_t b) {
  return b > UINT32_MAX - a ? UINT32_MAX : a + b;
}

// The latest expiration that is kept exactly; a later one becomes this, which is far enough away.
constexpr std::int64_t kLatestExpirationMs =
    std::int64_t{std::numeric_limits<std::uint32_t>::max()} * 1000;

bool holds_id(journal::RecordKind kind) {
  using journal::RecordKind;
  return kind == RecordKind::kAdd || kind == RecordKind::kUpdate || kind == RecordKind::kAddTx ||
         kind == RecordKind::kUpdateTx;
}

}  // namespace

Model::Model(FindingSink& sink, const std::vector<std::string>& file_names)
    : sink_(sink), file_names_(file_names) {
  rebuild_index(kFirstSlots);
}

// ---- events -------------------------------------------------------------------------------------

void Model::apply(const Fact& fact) {
  using journal::RecordKind;
  if (holds_id(fact.kind)) highest_id_ = std::max(highest_id_, fact.id);
  switch (fact.kind) {
    case RecordKind::kEvent: break;
    case RecordKind::kAdd:
    case RecordKind::kUpdate: apply_committed(fact); break;
    case RecordKind::kDelete: remove(fact.id); break;
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx:
    case RecordKind::kDeleteTx:
      transactions_.collect(fact.tx_id, fact.place.file(), fact,
                            fact.kind == RecordKind::kDeleteTx);
      break;
    case RecordKind::kPrepare: {
      const std::int32_t counted =
          transactions_.prepare(fact.tx_id, fact.place.file(), fact.number, fact);
      if (counted == fact.number) break;
      report(
          "transaction-incomplete", Severity::kDamage, fact,
          fmt::format("the prepare of transaction {} counts {} records in this file, {} are there",
                      fact.tx_id, fact.number, counted));
      break;
    }
    case RecordKind::kCommit: commit(fact); break;
    case RecordKind::kRollback: transactions_.rollback(fact.tx_id); break;
  }
}

void Model::commit(const Fact& fact) {
  std::int32_t counted = 0;
  const auto tx = transactions_.commit(fact.tx_id, fact.place.file(), counted);
  if (!tx) return;
  if (counted != fact.number) {
    return report("transaction-incomplete", Severity::kDamage, fact,
                  fmt::format("the commit of transaction {} counts {} records in this file, {} are "
                              "there; a broker drops the whole transaction",
                              fact.tx_id, fact.number, counted));
  }
  for (const Fact& record : tx->records) apply_committed(record);
  for (const Fact& record : tx->deletes) remove(record.id);
}

void Model::apply_committed(const Fact& fact) {
  // A delete kills its id for good, also when the add comes later in the files.
  if (!deleted_.empty() && deleted_.contains(fact.id)) return;
  if (holds_message(fact.user_type)) return add_message(fact);
  switch (fact.user_type) {
    case message::kAddReference: return add_reference(fact, State::kPending);
    case message::kAcknowledgeReference: return acknowledge(fact);
    case message::kDeliveryCount:
    case message::kScheduledDelivery: return set_extra(fact);
    default:
      others_.push_back({.type = fact.user_type,
                         .is_update = fact.is_update(),
                         .length_bytes = fact.length_bytes,
                         .id = fact.id,
                         .place = fact.place,
                         .queue = fact.queue,
                         .value = fact.value,
                         .count = fact.count});
  }
}

void Model::add_message(const Fact& fact) {
  const MessageFacts& facts = fact.message;
  const std::int64_t expiration_ms =
      std::clamp<std::int64_t>(facts.expiration_ms, 0, kLatestExpirationMs);
  Message message{.id = fact.id,
                  .place = fact.place,
                  .timestamp_ms = facts.timestamp_ms,
                  .body_bytes = facts.body_bytes,
                  .expiration_s = static_cast<std::uint32_t>(expiration_ms / 1000),
                  .expiration_rest_ms = static_cast<std::uint32_t>(expiration_ms % 1000) & 0x3ff,
                  .priority = std::min<std::uint32_t>(facts.priority, 15) & 0xf};
  message.flags = static_cast<std::uint8_t>((facts.large ? Message::kLarge : 0) |
                                            (facts.amqp ? Message::kAmqp : 0) |
                                            (facts.durable ? 0 : Message::kNotDurable) |
                                            (facts.scheduled_ms != 0 ? Message::kScheduled : 0) |
                                            (facts.damaged ? Message::kDamaged : 0));
  if (const std::uint32_t present = index_of(fact.id); present != kNone) {
    // The same id added twice: the broker's map keeps the later message, references stay.
    report(
        "message-added-twice", Severity::kWarning, fact,
        fmt::format("message {} is added a second time; a broker forgets the first one", fact.id));
    message.first_reference = messages_[present].first_reference;
    if (messages_[present].has(Message::kIndexed)) message.flags |= Message::kIndexed;
    const std::uint32_t bytes = record_bytes(present);
    messages_[present] = message;
    return set_bytes(present, sum_of(bytes, fact.length_bytes));
  }
  messages_.push_back(message);
  if (!record_bytes_.empty()) record_bytes_.push_back(0);
  const auto index = static_cast<std::uint32_t>(messages_.size() - 1);
  set_bytes(index, fact.length_bytes);
  insert_index(index);
}

void Model::add_reference(const Fact& fact, State state) {
  const std::uint32_t index = index_of(fact.id);
  if (index == kNone) return add_stray(fact);
  add_bytes(index, fact.length_bytes);
  if (const std::uint32_t present = reference_on(index, fact.queue); present != kNone) {
    // The entry keeps its place in the order; its count and schedule begin anew.
    references_[present].has_extra = false;
    extras_.erase(present);
    return;
  }
  Message& message = messages_[index];
  const Reference reference{.message = index,
                            .next = message.first_reference,
                            .queue = queue_index(fact.queue) & kQueueBits,
                            .state = state};
  const auto at = static_cast<std::uint32_t>(references_.size());
  if (message.has(Message::kIndexed)) {
    links_[link_key(index, reference.queue)] = {.reference = at};
    if (reference.next != kNone) {
      links_[link_key(index, references_[reference.next].queue)].previous = at;
    }
  }
  message.first_reference = at;
  references_.push_back(reference);
}

void Model::acknowledge(const Fact& fact) {
  const std::uint32_t index = index_of(fact.id);
  const std::uint32_t reference = index == kNone ? kNone : reference_on(index, fact.queue);
  if (reference == kNone) return add_stray(fact);
  add_bytes(index, fact.length_bytes);
  kill_reference(reference);
}

void Model::set_extra(const Fact& fact) {
  const std::uint32_t index = index_of(fact.id);
  const std::uint32_t reference = index == kNone ? kNone : reference_on(index, fact.queue);
  if (reference == kNone) return add_stray(fact);
  add_bytes(index, fact.length_bytes);
  references_[reference].has_extra = true;
  ReferenceExtra& extra = extras_[reference];
  if (fact.user_type == message::kDeliveryCount) {
    extra.delivery_count = fact.count;
  } else {
    extra.scheduled_ms = fact.value;
  }
}

std::uint32_t Model::record_bytes(std::uint32_t message) const {
  if (!record_bytes_.empty()) return record_bytes_[message];
  return sum_of(messages_[message].body_bytes, messages_[message].frame_bytes);
}

void Model::add_bytes(std::uint32_t message, std::uint32_t bytes) {
  if (counts_bytes_) set_bytes(message, sum_of(record_bytes(message), bytes));
}

// The messages of most stores have short records around their bodies, and need no memory for this.
void Model::set_bytes(std::uint32_t message, std::uint32_t bytes) {
  if (!counts_bytes_) return;
  if (record_bytes_.empty()) {
    Message& own = messages_[message];
    if (bytes >= own.body_bytes && bytes - own.body_bytes <= kMostFrameBytes) {
      own.frame_bytes = (bytes - own.body_bytes) & kMostFrameBytes;
      return;
    }
    SegmentedVector<std::uint32_t> sums;
    for (std::uint32_t i = 0; i < messages_.size(); ++i) sums.push_back(record_bytes(i));
    record_bytes_ = std::move(sums);
  }
  record_bytes_[message] = bytes;
}

// Nothing is wrong if the id is deleted further behind: the file with its add has been reclaimed
// first. So what to say of a stray is decided at the end.
void Model::add_stray(const Fact& fact) {
  strays_.push_back({.id = fact.id,
                     .queue = fact.queue,
                     .place = fact.place,
                     .length_bytes = fact.length_bytes,
                     .type = fact.user_type});
  if (strays_.size() >= prune_strays_at_) prune_strays();
}

void Model::prune_strays() {
  std::erase_if(strays_, [&](const Stray& stray) { return deleted_.contains(stray.id); });
  prune_strays_at_ = std::max<std::size_t>(std::size_t{1} << 14, strays_.size() * 2);
}

void Model::report_stray(const Stray& stray) {
  Fact fact{.length_bytes = stray.length_bytes, .id = stray.id, .place = stray.place};
  switch (stray.type) {
    case message::kAddReference:
      return report(
          "reference-without-message", Severity::kWarning, fact,
          fmt::format("a reference on queue id {} to message {}, which is neither there nor "
                      "deleted; a broker ignores it",
                      stray.queue, stray.id));
    case message::kAcknowledgeReference:
      return report("acknowledgement-without-reference", Severity::kInfo, fact,
                    fmt::format("an acknowledgement of message {} on queue id {}, where it is not",
                                stray.id, stray.queue));
    default:
      return report(
          "update-without-reference", Severity::kInfo, fact,
          fmt::format("a delivery count or schedule of message {} on queue id {}, where it "
                      "is not",
                      stray.id, stray.queue));
  }
}

void Model::remove(std::int64_t id) {
  deleted_.insert(id);
  const std::uint32_t index = index_of(id);
  if (index == kNone) return;
  kill_references_of(messages_[index]);
  messages_[index].flags |= Message::kDead;
  ++dead_messages_;
  sweep();
}

// ---- tables -------------------------------------------------------------------------------------

void Model::expect(std::uint64_t messages) {
  const std::uint64_t slots = std::min(messages, kMostExpected) * 4 / 3;
  if (slots > slots_.size()) rebuild_index(std::bit_ceil(static_cast<std::size_t>(slots)));
}

void Model::prefetch(std::int64_t id) const { __builtin_prefetch(&slots_[slot_of(id)]); }

std::uint32_t Model::index_of(std::int64_t id) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = slot_of(id);; at = (at + 1) & mask) {
    const std::uint32_t index = slots_[at];
    if (index == kNone) return kNone;
    if (messages_[index].id == id) return messages_[index].has(Message::kDead) ? kNone : index;
  }
}

void Model::insert_index(std::uint32_t message) {
  if (messages_.size() * 4 > slots_.size() * 3) return rebuild_index(slots_.size() * 2);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = slot_of(messages_[message].id);
  while (slots_[at] != kNone) at = (at + 1) & mask;
  slots_[at] = message;
}

void Model::rebuild_index(std::size_t slots) {
  // Freed first: at ten million messages the old table would count.
  std::vector<std::uint32_t>().swap(slots_);
  slots_.reserve(slots);
  advise_huge_pages(slots_.data(), slots * sizeof(std::uint32_t));
  slots_.assign(slots, kNone);
  slot_shift_ = 64 - static_cast<unsigned>(std::bit_width(slots - 1));
  const std::size_t mask = slots - 1;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    std::size_t at = slot_of(messages_[i].id);
    while (slots_[at] != kNone) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(i);
  }
}

std::uint32_t Model::reference_on(std::uint32_t message, std::int64_t queue) {
  if (messages_[message].has(Message::kIndexed)) {
    const auto known = queue_indexes_.find(queue);
    if (known == queue_indexes_.end()) return kNone;
    const auto link = links_.find(link_key(message, known->second));
    return link == links_.end() ? kNone : link->second.reference;
  }
  std::size_t steps = 0;
  std::uint32_t at = messages_[message].first_reference;
  for (; at != kNone; at = references_[at].next) {
    if (queue_ids_[references_[at].queue] == queue) break;
    ++steps;
  }
  if (steps >= kLongList) index_references(message);
  return at;
}

void Model::index_references(std::uint32_t message) {
  messages_[message].flags |= Message::kIndexed;
  std::uint32_t previous = kNone;
  std::uint32_t at = messages_[message].first_reference;
  for (; at != kNone; at = references_[at].next) {
    links_[link_key(message, references_[at].queue)] = {.reference = at, .previous = previous};
    previous = at;
  }
}

// Takes a reference out of the list of its message.
void Model::unlink(std::uint32_t reference) {
  const Reference& taken = references_[reference];
  Message& message = messages_[taken.message];
  if (!message.has(Message::kIndexed)) {
    std::uint32_t* link = &message.first_reference;
    while (*link != reference) link = &references_[*link].next;
    *link = taken.next;
    return;
  }
  const auto own = links_.find(link_key(taken.message, taken.queue));
  if (own == links_.end()) return;
  const std::uint32_t previous = own->second.previous;
  links_.erase(own);
  (previous == kNone ? message.first_reference : references_[previous].next) = taken.next;
  if (taken.next == kNone) return;
  links_[link_key(taken.message, references_[taken.next].queue)].previous = previous;
}

std::uint32_t Model::queue_index(std::int64_t queue) {
  RecentQueue& recent = recent_queues_[static_cast<std::uint64_t>(queue) % kRecentQueues];
  if (recent.id == queue && recent.index != kNone) return recent.index;
  const auto [found, fresh] =
      queue_indexes_.try_emplace(queue, static_cast<std::uint32_t>(queue_ids_.size()));
  if (fresh) queue_ids_.push_back(queue);
  recent = {.id = queue, .index = found->second};
  return found->second;
}

void Model::kill_reference(std::uint32_t index) {
  unlink(index);
  Reference& reference = references_[index];
  if (reference.has_extra) extras_.erase(index);
  reference.state = State::kDead;
  ++dead_references_;
  sweep();
}

void Model::kill_references_of(Message& message) {
  for (std::uint32_t at = message.first_reference; at != kNone; at = references_[at].next) {
    if (references_[at].has_extra) extras_.erase(at);
    if (message.has(Message::kIndexed)) {
      links_.erase(link_key(references_[at].message, references_[at].queue));
    }
    references_[at].state = State::kDead;
    ++dead_references_;
  }
  message.first_reference = kNone;
}

// Moves live entries together. Their order stays, so that it is still the order of arrival.
void Model::sweep() {
  const std::uint64_t dead = dead_messages_ + dead_references_;
  if (dead < kSweepAtLeast || dead < live_messages() + live_references()) return;
  std::size_t kept = 0;
  std::vector<std::uint32_t> moved(messages_.size(), kNone);
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    if (messages_[i].has(Message::kDead)) continue;
    moved[i] = static_cast<std::uint32_t>(kept);
    messages_[kept] = messages_[i];
    messages_[kept].flags &= static_cast<std::uint8_t>(~Message::kIndexed);
    if (!record_bytes_.empty()) record_bytes_[kept] = record_bytes_[i];
    messages_[kept++].first_reference = kNone;
  }
  messages_.truncate(kept);
  if (!record_bytes_.empty()) record_bytes_.truncate(kept);
  links_.clear();
  dead_messages_ = 0;
  kept = 0;
  IdMap<ReferenceExtra, std::uint32_t> extras;
  for (std::size_t i = 0; i < references_.size(); ++i) {
    Reference reference = references_[i];
    if (reference.state == State::kDead) continue;
    const auto at = static_cast<std::uint32_t>(kept);
    if (reference.has_extra) extras[at] = extras_[static_cast<std::uint32_t>(i)];
    reference.message = moved[reference.message];
    reference.next = messages_[reference.message].first_reference;
    messages_[reference.message].first_reference = at;
    references_[kept++] = reference;
  }
  references_.truncate(kept);
  extras_ = std::move(extras);
  dead_references_ = 0;
  rebuild_index(slots_.size());
}

ReferenceExtra Model::extra(std::uint32_t reference) const {
  const auto found = extras_.find(reference);
  return found == extras_.end() ? ReferenceExtra{} : found->second;
}

const Message* Model::find(std::int64_t id) const {
  const std::uint32_t index = index_of(id);
  return index == kNone ? nullptr : &messages_[index];
}

// ---- the end of the load ------------------------------------------------------------------------

void Model::finish(const bindings::Catalog& catalog, bool bindings_read) {
  finish_others();
  prune_strays();
  sum_live_bytes();
  finish_prepared();
  prune_strays();
  for (const Stray& stray : strays_) report_stray(stray);
  if (bindings_read) report_unbound(catalog);
}

void Model::sum_live_bytes() {
  if (!counts_bytes_) return;
  for (std::uint32_t i = 0; i < messages_.size(); ++i) {
    if (!messages_[i].has(Message::kDead)) live_bytes_ += record_bytes(i);
  }
  for (const OtherRecord& record : others_) live_bytes_ += record.length_bytes;
  for (const Stray& stray : strays_) live_bytes_ += stray.length_bytes;
}

// References on queues that are gone stay in the model: they are what can be rescued. A broker
// drops them when it starts.
void Model::report_unbound(const bindings::Catalog& catalog) {
  std::vector<std::uint64_t> counts(queue_ids_.size());
  for (std::size_t i = 0; i < references_.size(); ++i) {
    // What is sent in doubt is told with its transaction.
    const State state = references_[i].state;
    if (state == State::kPending || state == State::kInDoubtAck) ++counts[references_[i].queue];
  }
  std::map<std::int64_t, std::uint64_t> unbound;  // by queue id
  for (std::size_t q = 0; q < counts.size(); ++q) {
    if (counts[q] != 0 && catalog.queue(queue_ids_[q]) == nullptr) {
      unbound.emplace(queue_ids_[q], counts[q]);
    }
  }
  for (const auto& [queue, count] : unbound) {
    sink_.finding(references_without_queue(queue, count));
  }
}

void Model::finish_others() {
  std::erase_if(others_, [&](const OtherRecord& r) { return deleted_.contains(r.id); });
  for (const OtherRecord& record : others_) {
    switch (record.type) {
      case message::kPageTransaction:
        if (!record.is_update) {
          page_transactions_[record.queue] = {.record_id = record.id, .remaining = record.count};
        } else if (const auto tx = page_transactions_.find(record.queue);
                   tx != page_transactions_.end()) {
          tx->second.remaining -= record.count;
        }
        break;
      case message::kAcknowledgeCursor:
        cursors_.acknowledge(record.queue, record.value, record.count);
        break;
      case message::kPageComplete: cursors_.complete(record.queue, record.value); break;
      default: break;
    }
  }
  std::erase_if(page_transactions_, [](const auto& tx) { return tx.second.remaining <= 0; });
  for (const auto& [tx_id, tx] : page_transactions_) cursors_.commit(tx_id);
}

void Model::finish_prepared() {
  for (auto& open : transactions_.take_open()) {
    PreparedTransaction transaction{.tx_id = open.tx_id,
                                    .records = std::move(open.records),
                                    .deletes = std::move(open.deletes)};
    if (open.prepare) transaction.prepare = open.prepare->place;
    if (!open.prepared) {
      incomplete_.push_back(std::move(transaction));
      continue;
    }
    if (counts_bytes_) {
      live_bytes_ += open.prepare->length_bytes;
      for (const Fact& fact : transaction.records) live_bytes_ += fact.length_bytes;
      for (const Fact& fact : transaction.deletes) live_bytes_ += fact.length_bytes;
    }
    for (const Fact& fact : transaction.records) prepare_fact(fact);
    prepared_.push_back(std::move(transaction));
  }
}

// What a record means while its transaction is in doubt.
void Model::prepare_fact(const Fact& fact) {
  if (holds_message(fact.user_type)) return add_message(fact);
  switch (fact.user_type) {
    case message::kAddReference: return add_reference(fact, State::kInDoubtSend);
    case message::kAcknowledgeReference: {
      const std::uint32_t index = index_of(fact.id);
      const std::uint32_t reference = index == kNone ? kNone : reference_on(index, fact.queue);
      if (reference == kNone) {
        return report("acknowledgement-without-reference", Severity::kInfo, fact,
                      fmt::format("a prepared transaction acknowledges message {} on queue id {}, "
                                  "where it is not",
                                  fact.id, fact.queue));
      }
      references_[reference].state = State::kInDoubtAck;
      return;
    }
    case message::kPageTransaction:
      if (!fact.is_update()) {
        page_transactions_[fact.queue] = {
            .record_id = fact.id, .remaining = fact.count, .in_doubt = true};
      }
      return;
    case message::kAcknowledgeCursor:
      cursors_in_doubt_.acknowledge(fact.queue, fact.value, fact.count);
      return;
    default: return;
  }
}

void Model::report(std::string_view code, Severity severity, const Fact& fact, std::string text) {
  sink_.finding({.code = code,
                 .severity = severity,
                 .file = file_names_[fact.place.file()],
                 .offset = fact.place.offset(),
                 .length_bytes = fact.length_bytes,
                 .id = fact.id != 0 ? fact.id : fact.tx_id,
                 .text = std::move(text)});
}

}  // namespace saranga::store
