#include "saranga/store/statistics.h"

namespace saranga::store {

void RecordCounter::record(journal::JournalKind journal, const journal::Record& record,
                           std::size_t /*file*/) {
  if (journal != journal::JournalKind::kMessages) return;
  const std::size_t kind = static_cast<std::size_t>(record.kind) - 10;
  RecordCount& count = table_[kind * kTypes + static_cast<std::uint8_t>(record.user_type)];
  ++count.records;
  count.bytes += record.length_bytes;
}

RecordCounts RecordCounter::counts() const {
  RecordCounts result;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].records == 0) continue;
    result[{journal::kKinds[i / kTypes].kind, static_cast<std::int8_t>(i % kTypes)}] = table_[i];
  }
  return result;
}

MessageHistograms measure_messages(const LoadedStore& store) {
  MessageHistograms result;
  const Model& model = store.model();
  for (std::size_t i = 0; i < model.messages().size(); ++i) {
    const Message& message = model.messages()[i];
    if (message.has(Message::kDead) || message.first_reference == kNone) continue;
    result.body_bytes.add(message.body_bytes);
    const bool known = message.timestamp_ms != 0 && message.timestamp_ms <= store.now_ms();
    const std::int64_t age_ms = known ? store.now_ms() - message.timestamp_ms : 0;
    result.age_seconds.add(static_cast<std::uint64_t>(age_ms / 1000));
  }
  return result;
}

}  // namespace saranga::store
