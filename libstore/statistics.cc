#include "saranga/store/statistics.h"

#include "saranga/store/live_messages.h"

namespace saranga::store {

void RecordCounter::record(journal::JournalKind journal, const journal::Record& record,
                           std::size_t file) {
  if (journal != journal::JournalKind::kMessages) return;
  if (filter_ && !filter_->wants(journal, files_[file], record)) return;
  const std::size_t kind = static_cast<std::size_t>(record.kind) - 10;
  RecordCount& count = table_[kind * kTypes + static_cast<std::uint8_t>(record.user_type)];
  ++count.records;
  count.bytes += record.length_bytes;
}

void RecordCounter::begin_journal(const bindings::Catalog& catalog,
                                  const std::vector<std::string>& labels) {
  if (wanted_.selects_all()) return;
  filter_.emplace(wanted_, catalog, now_ms_);
  files_ = labels;
}

RecordCounts RecordCounter::counts() const {
  RecordCounts result;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].records == 0) continue;
    result[{journal::kKinds[i / kTypes].kind, static_cast<std::int8_t>(i % kTypes)}] = table_[i];
  }
  return result;
}

namespace {

std::uint64_t age_seconds(std::int64_t timestamp_ms, std::int64_t now_ms) {
  const bool known = timestamp_ms != 0 && timestamp_ms <= now_ms;
  return known ? static_cast<std::uint64_t>((now_ms - timestamp_ms) / 1000) : 0;
}

/// Adds up the messages that fit.
class SelectedSum final : public MessageVisitor {
 public:
  SelectedSum(const LoadedStore& store, Filter& filter) : store_(store), filter_(filter) {}

  bool wants_queue(std::int64_t id, const bindings::Queue* queue) override {
    return filter_.wants_queue(id, queue);
  }
  bool wants_unbound_pages() override { return filter_.may_want_orphans(); }
  bool wants_message(const Message& message) override { return filter_.may_match(message); }
  bool message(const LiveMessage& message) override;

  SelectedMessages result;

 private:
  const LoadedStore& store_;
  Filter& filter_;
};

bool SelectedSum::message(const LiveMessage& message) {
  if (!filter_.matches(message)) return true;
  std::uint64_t bytes = message.facts.body_bytes;
  if (message.facts.large) {
    const message::LargeFile* file = store_.large_file(message.id);
    bytes = file == nullptr ? 0 : file->size_bytes;
  }
  std::string address;
  if (message.queue != nullptr) {
    address = message.queue->address;
  } else if (const auto own = message.message.address()) {
    address = own->str();
  }
  auto& sum = result.addresses[address];
  ++sum.messages;
  sum.body_bytes += bytes;
  ++result.messages;
  result.histograms.body_bytes.add(bytes);
  result.histograms.age_seconds.add(age_seconds(message.facts.timestamp_ms, store_.now_ms()));
  return true;
}

}  // namespace

SelectedMessages measure_selected(const LoadedStore& store, Filter& filter, FindingSink& sink) {
  SelectedSum sum(store, filter);
  visit_messages(store, sum, sink);
  return std::move(sum.result);
}

MessageHistograms measure_messages(const LoadedStore& store) {
  MessageHistograms result;
  const Model& model = store.model();
  for (std::size_t i = 0; i < model.messages().size(); ++i) {
    const Message& message = model.messages()[i];
    if (message.has(Message::kDead) || message.first_reference == kNone) continue;
    const message::LargeFile* file =
        message.has(Message::kLarge) ? store.large_file(message.id) : nullptr;
    result.body_bytes.add(file == nullptr ? message.body_bytes : file->size_bytes);
    result.age_seconds.add(age_seconds(message.timestamp_ms, store.now_ms()));
  }
  return result;
}

}  // namespace saranga::store
