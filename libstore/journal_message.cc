#include "libstore/journal_message.h"

#include "saranga/message/record_ids.h"
#include "saranga/store/cross_findings.h"

namespace saranga::store {

std::optional<LiveMessage> JournalMessageReader::read(const Message& message) {
  const auto record = fetcher_.fetch(message.place);
  const std::string& label = store_.journal().labels[message.place.file()];
  if (!record || record->id != message.id) {
    sink_.finding(record_changed(label, message.place.offset(), message.id));
    return std::nullopt;
  }
  LiveMessage live{.id = message.id};
  live.file = label;
  live.offset = record->offset;
  live.length_bytes = record->length_bytes;
  live.record_type = record->user_type;
  live.encoded = record->body;
  Cursor cursor(record->body);
  live.core_large = record->user_type == message::kAddLargeMessage;
  live.message = read_message_record(cursor, record->user_type);
  live.facts = message_facts(live.message, store_.now_ms());
  live.facts.large = live.facts.large || live.core_large;
  live.facts.damaged = !cursor.ok();
  return live;
}

}  // namespace saranga::store
