#include "saranga/store/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "libstore/import/duplicate_index.h"
#include "libstore/import/import_bindings.h"
#include "libstore/import/import_pages.h"
#include "libstore/import/record_bodies.h"
#include "libstore/import/stored_rewrite.h"
#include "saranga/bindings/id_ranges.h"
#include "saranga/bindings/record_ids.h"
#include "saranga/message/large_file_writer.h"
#include "saranga/message/message_encoder.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

constexpr std::uint64_t kBindingsFileBytes = std::uint64_t{1} << 20;
constexpr std::string_view kLargeSize = "_AMQ_LARGE_SIZE";
// Then the size is that of the body before it was compressed.
constexpr std::string_view kLargeCompressed = "_AMQ_LARGE_COMPRESSED";

std::unexpected<Error> refuse(std::string text) {
  return fail(ErrorCode::kInvalidArgument, std::move(text));
}

const message::PropertyValue* property_of(const message::NewCoreMessage& message,
                                          std::string_view key) {
  const auto found = std::ranges::find_if(
      message.properties, [&](const auto& property) { return property.key.equals(key); });
  return found == message.properties.end() ? nullptr : &found->value;
}

journal::WriterOptions bindings_options(const journal::WriterOptions& journal) {
  journal::WriterOptions options = journal;
  options.kind = journal::JournalKind::kBindings;
  options.prefix = "activemq-bindings";
  options.extension = "bindings";
  options.file_size_bytes = kBindingsFileBytes;
  options.alignment_bytes = 1;
  return options;
}

/// A place on a queue of the store that is written.
struct NewPlace {
  const QueuePlace* queue = nullptr;
  MessageState state = MessageState::kPending;
  std::int64_t tx_id = -1;  ///< as it is written
  std::int32_t delivery_count = 0;
  std::int64_t set_scheduled_ms = 0;
};

// Brokers leave empty ones behind.
bool has_bytes(const paging::Page& page) { return page.size_bytes != 0; }

}  // namespace

struct StoreImporter::State {
  State(JobRunner& given_jobs, FindingSink& given_sink) : jobs(given_jobs), sink(given_sink) {}

  JobRunner& jobs;
  FindingSink& sink;
  ImportFolders folders;
  ImportOptions options;
  const LoadedStore* existing = nullptr;
  ImportReport report;
  std::int64_t next_id = 1;
  std::unique_ptr<ImportJournal> bindings_journal;
  std::unique_ptr<ImportJournal> journal;
  std::unique_ptr<ImportBindings> bindings;
  std::unique_ptr<ImportPages> pages;
  DuplicateIndex duplicates;
  std::set<std::string, std::less<>> paging_addresses;  // of an existing store
  // The message that was begun.
  std::int64_t message_id = 0;
  std::unique_ptr<message::LargeFileWriter> body;
  std::vector<NewPlace> places;
  std::vector<std::int64_t> queue_ids;
  // Ids under which things of the archive are found again.
  std::map<std::int64_t, std::int64_t> transactions;
  std::set<std::int64_t> unprepared;           // of the archive: named, and not told of
  std::map<std::int64_t, std::int64_t> split;  // messages that came with `more`
  std::int64_t archive_id = 0;                 // of the message that was begun
  std::vector<std::string> bodies;             // files made in an existing store
  bool finished = false;

  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> begin_existing();
  [[nodiscard]] bool keeps_ids() const {
    return existing == nullptr && options.ids == ImportIds::kKeep;
  }
  [[nodiscard]] Result<std::int64_t> new_id(std::int64_t archive_id_of);
  [[nodiscard]] Result<std::int64_t> transaction(std::int64_t archive_tx);
  [[nodiscard]] Result<NewPlace> place(const ImportedPlace& place);
  [[nodiscard]] bool drop_duplicates(const message::StoredMessage& message);
  [[nodiscard]] std::optional<std::string> other_address(const std::optional<Text>& address) const;
  [[nodiscard]] Result<void> finish_body(bool large);
  [[nodiscard]] Result<void> write(const DecodedStored& stored, Bytes encoded, bool paged);
  [[nodiscard]] Result<void> write_record(std::int8_t type, Bytes encoded);
  [[nodiscard]] Result<void> write_reference(std::int64_t id, const NewPlace& place);
  [[nodiscard]] Result<void> write_entry(const DecodedStored& stored, Bytes encoded);
  [[nodiscard]] Result<void> write_entry_of(const DecodedStored& stored, Bytes encoded,
                                            const std::string& address,
                                            std::span<const NewPlace* const> group);
  [[nodiscard]] std::int64_t sending_transaction() const;
  [[nodiscard]] Result<void> update(std::int64_t id, std::int64_t tx_id, std::int8_t type,
                                    Bytes body_bytes);
  [[nodiscard]] Result<void> reserve_range();
  [[nodiscard]] Result<void> write_id_counter();
};

// ---- beginning and end --------------------------------------------------------------------------

StoreImporter::StoreImporter(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::unique_ptr<StoreImporter> StoreImporter::create(ImportFolders folders, ImportOptions options,
                                                     const LoadedStore* existing, JobRunner& jobs,
                                                     FindingSink& sink) {
  auto state = std::make_unique<State>(jobs, sink);
  state->folders = std::move(folders);
  state->options = std::move(options);
  state->existing = existing;
  return std::unique_ptr<StoreImporter>(new StoreImporter(std::move(state)));
}

// A store is left alone until there is something to be written.
Result<void> StoreImporter::State::begin() {
  if (bindings != nullptr) return {};
  auto opened =
      ImportJournal::open(*folders.bindings, bindings_options(options.journal), jobs, sink);
  if (!opened) return std::unexpected(opened.error());
  bindings_journal = std::move(*opened);
  opened = ImportJournal::open(*folders.journal, options.journal, jobs, sink);
  if (!opened) return std::unexpected(opened.error());
  journal = std::move(*opened);
  if (existing == nullptr) {
    pages = std::make_unique<ImportPages>(*folders.paging);
  } else if (auto read = begin_existing(); !read) {
    return read;
  }
  bindings = std::make_unique<ImportBindings>(
      *bindings_journal, options, existing ? &existing->catalog() : nullptr, next_id, report);
  return {};
}

Result<void> StoreImporter::State::begin_existing() {
  const bindings::Catalog& catalog = existing->catalog();
  next_id = std::max(catalog.id_counter().value_or(0), existing->model().highest_id()) + 1;
  for (const auto& [id, queue] : catalog.queues()) next_id = std::max(next_id, id + 1);
  for (const auto& [id, address] : catalog.addresses()) next_id = std::max(next_id, id + 1);
  if (auto reserved = reserve_range(); !reserved) return reserved;
  bindings_journal->begin(next_id++);
  journal->begin(next_id++);
  if (options.skip_duplicates) {
    duplicates.read(*existing, sink);
  } else {
    duplicates.read_cached(*existing, sink);
  }
  for (const paging::PageStore& store : existing->page_stores()) {
    const bool any = std::ranges::any_of(store.pages, has_bytes);
    if (any) paging_addresses.insert(store.address);
  }
  return {};
}

StoreImporter::~StoreImporter() {
  State& s = *state_;
  if (s.finished || s.existing == nullptr || s.bindings == nullptr) return;
  s.body.reset();
  s.journal->abandon();
  s.bindings_journal->abandon();
  if (s.write_id_counter()) (void)s.bindings_journal->sync();
  // What stays behind when this fails is a file that no record names; a broker removes it.
  for (const std::string& name : s.bodies) (void)s.folders.large_messages->remove(name);
}

Result<ImportReport> StoreImporter::finish() {
  State& s = *state_;
  s.body.reset();
  if (auto begun = s.begin(); !begun) return std::unexpected(begun.error());
  if (auto done = s.bindings->settle(); !done) return std::unexpected(done.error());
  if (s.pages) {
    if (auto done = s.pages->finish(*s.journal, s.next_id); !done) {
      return std::unexpected(done.error());
    }
  }
  if (auto done = s.write_id_counter(); !done) return std::unexpected(done.error());
  // Queues first: a message whose queue is not there would be dropped by a broker.
  if (auto done = s.bindings_journal->finish(); !done) return std::unexpected(done.error());
  if (auto done = s.journal->finish(); !done) return std::unexpected(done.error());
  s.finished = true;
  s.report.unused_rules = s.bindings->unused_rules();
  return s.report;
}

// As a broker does when it starts: whatever happens, no id is given out twice.
Result<void> StoreImporter::State::reserve_range() {
  auto ranges = bindings::IdRanges::after(next_id - 1);
  if (!ranges) return std::unexpected(ranges.error());
  (void)ranges->next();
  const auto counter = ranges->due();
  next_id = ranges->upcoming();
  if (!counter) return {};
  auto added = bindings_journal->add(counter->record_id, bindings::kIdCounter, counter->body());
  return added ? bindings_journal->sync() : added;
}

Result<void> StoreImporter::State::write_id_counter() {
  auto ranges = bindings::IdRanges::after(next_id - 1);
  if (!ranges) return std::unexpected(ranges.error());
  const bindings::IdCounter counter = ranges->stop();
  return bindings_journal->add(counter.record_id, bindings::kIdCounter, counter.body());
}

// ---- ids ----------------------------------------------------------------------------------------

std::vector<std::int64_t> StoreImporter::unprepared_transactions() const {
  return {state_->unprepared.begin(), state_->unprepared.end()};
}

void StoreImporter::reserve_ids(std::int64_t counter) {
  if (!state_->keeps_ids() || counter > kGreatestKeptId) return;
  state_->next_id = std::max(state_->next_id, counter + 1);
}

Result<std::int64_t> StoreImporter::State::new_id(std::int64_t archive_id_of) {
  if (!keeps_ids() || archive_id_of < 0) return next_id++;
  if (archive_id_of > kGreatestKeptId) {
    return refuse(fmt::format("its id {} leaves no room for greater ones; --ids new gives new ids",
                              archive_id_of));
  }
  next_id = std::max(next_id, archive_id_of + 1);
  return archive_id_of;
}

Result<std::int64_t> StoreImporter::State::transaction(std::int64_t archive_tx) {
  if (archive_tx < 0) return -1;
  if (existing != nullptr) {
    return refuse(
        "a prepared transaction has it in doubt, and nothing can be put in doubt in a store that "
        "is there; import into a new one, or end the transaction first");
  }
  const auto known = transactions.find(archive_tx);
  if (known != transactions.end()) return known->second;
  const auto id = new_id(archive_tx);
  if (!id) return id;
  unprepared.insert(archive_tx);
  return transactions[archive_tx] = *id;
}

// ---- bindings -----------------------------------------------------------------------------------

Result<void> StoreImporter::address(const ImportedAddress& address) {
  if (auto begun = state_->begin(); !begun) return begun;
  state_->bindings->declare(address);
  return {};
}

Result<void> StoreImporter::queue(const ImportedQueue& queue) {
  if (auto begun = state_->begin(); !begun) return begun;
  state_->bindings->declare(queue);
  return {};
}

Result<void> StoreImporter::binding(const ImportedBinding& binding) {
  if (auto begun = state_->begin(); !begun) return begun;
  state_->bindings->declare(binding);
  return {};
}

// ---- messages -----------------------------------------------------------------------------------

Result<void> StoreImporter::begin_message(std::optional<std::int64_t> id) {
  State& s = *state_;
  s.body.reset();
  s.archive_id = id.value_or(-1);
  if (auto begun = s.begin(); !begun) return begun;
  const auto made = s.new_id(s.archive_id);
  if (!made) return std::unexpected(made.error());
  s.message_id = *made;
  return s.bindings->settle();
}

Result<void> StoreImporter::append_body(Bytes piece) {
  State& s = *state_;
  if (s.journal->is_live(s.message_id)) return {};  // which the end of the message will refuse
  if (!s.body) {
    auto made = message::LargeFileWriter::create(*s.folders.large_messages, s.message_id);
    if (!made) return std::unexpected(made.error());
    s.body = std::move(*made);
  }
  return s.body->append(piece);
}

Result<NewPlace> StoreImporter::State::place(const ImportedPlace& place) {
  const auto queue = bindings->find(place.queue_id, place.queue_name);
  if (!queue) return std::unexpected(queue.error());
  const auto tx = transaction(place.tx_id);
  if (!tx) return std::unexpected(tx.error());
  return NewPlace{.queue = *queue,
                  .state = place.state,
                  .tx_id = *tx,
                  .delivery_count = place.delivery_count,
                  .set_scheduled_ms = place.set_scheduled_ms};
}

// Whether nothing is left to be written.
bool StoreImporter::State::drop_duplicates(const message::StoredMessage& message) {
  if (!options.skip_duplicates) return false;
  const std::string key = DuplicateIndex::key_of(message);
  if (key.empty()) ++report.without_key;
  const auto address = message.address();
  const bool cached = address && duplicates.cached(key, address->str());
  const auto known = [&](const NewPlace& place) {
    return cached || !duplicates.add(key, place.queue->id);
  };
  std::erase_if(places, known);
  if (places.empty()) ++report.duplicates;
  return places.empty();
}

// A message that a rule sends to a queue of another address belongs to that address then, unless it
// also goes to queues of others.
std::optional<std::string> StoreImporter::State::other_address(
    const std::optional<Text>& address) const {
  if (options.rules.empty()) return std::nullopt;
  const std::string& first = places.front().queue->address;
  const bool one = std::ranges::all_of(
      places, [&](const NewPlace& place) { return place.queue->address == first; });
  if (!one || first.empty() || (address && address->str() == first)) return std::nullopt;
  return first;
}

Result<void> StoreImporter::State::finish_body(bool large) {
  if (!large) {
    body.reset();
    return {};
  }
  if (!body) {
    auto made = message::LargeFileWriter::create(*folders.large_messages, message_id);
    if (!made) return std::unexpected(made.error());
    body = std::move(*made);
  }
  auto finished_body = body->finish();
  body.reset();
  if (!finished_body) return finished_body;
  if (existing != nullptr) bodies.push_back(fmt::format("{}.msg", message_id));
  ++report.large_messages;
  return {};
}

Result<void> StoreImporter::end_message(const ImportedCoreMessage& imported) {
  State& s = *state_;
  s.places.clear();
  for (const std::string& name : imported.queues) {
    const auto queue = s.bindings->find(name);
    if (!queue) return std::unexpected(queue.error());
    s.places.push_back({.queue = *queue});
  }
  if (s.places.empty()) return refuse("the message goes to no queue");
  message::NewCoreMessage message = imported.message;
  message.id = s.message_id;
  if (!message.address) message.address = Text(s.places.front().queue->address);
  const auto other = s.other_address(message.address);
  if (other) message.address = Text(*other);
  if (imported.large) {
    const auto size = static_cast<std::int64_t>(s.body ? s.body->size_bytes() : 0);
    const message::PropertyValue* told = property_of(message, kLargeSize);
    const bool packed = property_of(message, kLargeCompressed) != nullptr;
    if (told != nullptr && told->number > size && !packed) ++s.report.lost_bodies;
    if (told == nullptr) {
      message.properties.push_back({Text(kLargeSize), message::long_value(size)});
    }
  }
  auto encoded = imported.large ? message::encode_large_message(message)
                                : message::encode_core_message(message);
  if (!encoded) return std::unexpected(encoded.error());
  const std::int8_t type =
      imported.large ? message::kAddLargeMessage : message::kAddMessageProtocol;
  if (s.options.skip_duplicates) {
    const auto stored = decode_stored_message(type, *encoded);
    if (!stored) return std::unexpected(stored.error());
    if (s.drop_duplicates(stored->message)) {
      s.body.reset();
      return {};
    }
  }
  return s.write({.type = type, .large = imported.large}, *encoded, false);
}

Result<void> StoreImporter::end_stored_message(const ImportedStoredMessage& imported) {
  State& s = *state_;
  auto stored = decode_stored_message(imported.record_type, imported.encoded);
  if (!stored) return std::unexpected(stored.error());
  s.places.clear();
  for (const ImportedPlace& place : imported.places) {
    const auto made = s.place(place);
    if (!made) return std::unexpected(made.error());
    s.places.push_back(*made);
  }
  if (s.places.empty()) return refuse("the message goes to no queue");
  if (imported.more) s.split[s.archive_id] = s.message_id;
  if (s.drop_duplicates(stored->message)) {
    s.split.erase(s.archive_id);
    s.body.reset();
    return {};
  }
  if (stored->large && !s.body) ++s.report.lost_bodies;
  const auto other = s.other_address(stored->message.address());
  const StoredChanges changes{.id = s.message_id,
                              .address = other ? std::optional(Text(*other)) : std::nullopt};
  if (!needs_rewrite(*stored, changes)) return s.write(*stored, imported.encoded, imported.paged);
  const auto rewritten = rewrite_stored(*stored, changes);
  if (!rewritten) return std::unexpected(rewritten.error());
  stored = decode_stored_message(rewritten->type, rewritten->encoded);
  if (!stored) return std::unexpected(stored.error());
  return s.write(*stored, rewritten->encoded, imported.paged);
}

Result<void> StoreImporter::State::write(const DecodedStored& stored, Bytes encoded, bool paged) {
  if (journal->is_live(message_id)) {
    return refuse(fmt::format(
        "there is a message {} already; with --ids new each message gets an id of its own",
        message_id));
  }
  if (auto done = finish_body(stored.large); !done) return done;
  if (paged && !pages) ++report.unpaged_messages;
  auto done = paged && pages ? write_entry(stored, encoded) : write_record(stored.type, encoded);
  if (!done) return done;
  ++report.messages;
  report.references += places.size();
  for (const NewPlace& place : places) {
    if (place.queue->name.empty()) ++report.lost_references;
    if (paging_addresses.contains(place.queue->address)) ++report.before_pages;
  }
  return {};
}

// The prepared transaction that has sent the message, 0 for none.
std::int64_t StoreImporter::State::sending_transaction() const {
  const auto sent = [](const NewPlace& p) { return p.state == MessageState::kInDoubtSend; };
  return std::ranges::all_of(places, sent) ? places.front().tx_id : 0;
}

Result<void> StoreImporter::State::write_record(std::int8_t type, Bytes encoded) {
  const std::int64_t tx_id = sending_transaction();
  const auto added = tx_id > 0 ? journal->add_tx(tx_id, message_id, type, encoded)
                               : journal->add(message_id, type, encoded);
  if (!added) return added;
  for (const NewPlace& place : places) {
    if (auto written = write_reference(message_id, place); !written) return written;
  }
  return {};
}

Result<void> StoreImporter::State::update(std::int64_t id, std::int64_t tx_id, std::int8_t type,
                                          Bytes body_bytes) {
  return tx_id > 0 ? journal->update_tx(tx_id, id, type, body_bytes)
                   : journal->update(id, type, body_bytes);
}

Result<void> StoreImporter::State::write_reference(std::int64_t id, const NewPlace& place) {
  const std::int64_t queue = place.queue->id;
  const std::int64_t sent = place.state == MessageState::kInDoubtSend ? place.tx_id : 0;
  auto done = update(id, sent, message::kAddReference, queue_body(queue));
  if (done && place.delivery_count != 0) {
    done =
        update(id, sent, message::kDeliveryCount, delivery_count_body(queue, place.delivery_count));
  }
  if (done && place.set_scheduled_ms != 0) {
    done =
        update(id, sent, message::kScheduledDelivery, schedule_body(queue, place.set_scheduled_ms));
  }
  if (done && place.state == MessageState::kInDoubtAck && place.tx_id > 0) {
    done = journal->update_tx(place.tx_id, id, message::kAcknowledgeReference, queue_body(queue));
  }
  return done;
}

// A page belongs to one address: what goes to queues of several gets an entry for each.
Result<void> StoreImporter::State::write_entry(const DecodedStored& stored, Bytes encoded) {
  const auto own = stored.message.address();
  std::map<std::string, std::vector<const NewPlace*>> by_address;
  for (const NewPlace& place : places) {
    const std::string& address = place.queue->address;
    by_address[address.empty() && own ? own->str() : address].push_back(&place);
  }
  for (const auto& [address, group] : by_address) {
    if (auto done = write_entry_of(stored, encoded, address, group); !done) return done;
  }
  ++report.paged_messages;
  return {};
}

Result<void> StoreImporter::State::write_entry_of(const DecodedStored& stored, Bytes encoded,
                                                  const std::string& address,
                                                  std::span<const NewPlace* const> group) {
  queue_ids.clear();
  for (const NewPlace* place : group) queue_ids.push_back(place->queue->id);
  const std::int64_t sent = sending_transaction();
  const auto position = pages->append({.address = address,
                                       .encoded = encoded,
                                       .core_large = stored.core_large(),
                                       .amqp_large = stored.large && !stored.core_large(),
                                       .tx_id = sent > 0 ? sent : -1,
                                       .queues = queue_ids});
  if (!position) return std::unexpected(position.error());
  for (const NewPlace* place : group) {
    if (place->state != MessageState::kInDoubtAck) continue;
    pages->acknowledge(place->tx_id, place->queue->id, *position);
  }
  return {};
}

Result<void> StoreImporter::reference(std::int64_t message_id, const ImportedPlace& place) {
  State& s = *state_;
  const auto known = s.split.find(message_id);
  if (known == s.split.end()) {
    return refuse(fmt::format("message {} has not come before it, or was left out", message_id));
  }
  const auto made = s.place(place);
  if (!made) return std::unexpected(made.error());
  if (auto done = s.write_reference(known->second, *made); !done) return done;
  ++s.report.references;
  return {};
}

// ---- records and transactions -------------------------------------------------------------------

Result<void> StoreImporter::record(const ImportedRecord& record) {
  State& s = *state_;
  const bool known = record.type == message::kDuplicateId;
  // Only what an address remembers makes sense in another store.
  if (s.existing != nullptr && !(known && record.tx_id < 0)) {
    ++s.report.records_left_out;
    return {};
  }
  if (auto begun = s.begin(); !begun) return begun;
  if (s.existing != nullptr && s.duplicates.cached(record.body)) return {};  // it knows it
  const auto tx = s.transaction(record.tx_id);
  if (!tx) return std::unexpected(tx.error());
  if (record.kind != ImportedRecord::Kind::kAdd) {
    // What it changes has to be there, under the id that it names.
    if (!s.keeps_ids() || !s.journal->is_live(record.id)) {
      ++s.report.records_left_out;
      return {};
    }
    ++s.report.records;
    if (record.kind == ImportedRecord::Kind::kUpdate) {
      return s.update(record.id, *tx, record.type, record.body);
    }
    if (*tx > 0) return s.journal->remove_tx(*tx, record.id, record.body);
    return refuse("a delete belongs to a prepared transaction");
  }
  const auto id = s.new_id(record.id);
  if (!id) return std::unexpected(id.error());
  ++s.report.records;
  if (*tx > 0) return s.journal->add_tx(*tx, *id, record.type, record.body);
  return s.journal->add(*id, record.type, record.body);
}

Result<void> StoreImporter::transaction(std::int64_t tx_id, Bytes xid) {
  State& s = *state_;
  if (auto begun = s.begin(); !begun) return begun;
  const auto tx = s.transaction(tx_id);
  if (!tx) return std::unexpected(tx.error());
  s.unprepared.erase(tx_id);
  if (auto done = s.pages->prepare(*tx, *s.journal, s.next_id); !done) return done;
  ++s.report.transactions;
  return s.journal->prepare(*tx, xid);
}

}  // namespace saranga::store
