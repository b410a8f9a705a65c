#include "libstore/import/duplicate_index.h"

#include <optional>

#include "saranga/bytes/encoder.h"
#include "saranga/message/record_ids.h"
#include "saranga/store/kept_records.h"

namespace saranga::store {
namespace {

constexpr std::string_view kDuplicateProperty = "_AMQ_DUPL_ID";
constexpr char kByDuplicateId = 'd';
constexpr char kByUserId = 'u';

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A duplicate id is bytes, or a text, which stands for its UTF-16: so a broker keeps it in its
// cache.
std::string id_of(const Text& text) {
  constexpr std::size_t kSizeBytes = 4;
  Encoder encoder;
  encoder.simple_string(text);
  return text_of(encoder.view().subspan(kSizeBytes));
}

std::optional<std::string> duplicate_id(const message::StoredMessage& message) {
  if (message.core) {
    const auto value = message.core->headers.properties.find(kDuplicateProperty);
    if (!value) return std::nullopt;
    if (value->type == message::PropertyType::kBytes) return text_of(value->bytes);
    if (value->type == message::PropertyType::kString) return id_of(value->text);
    return std::nullopt;
  }
  if (!message.amqp) return std::nullopt;
  namespace amqp = message::amqp;
  const amqp::Message scanned = amqp::Message::of(*message.amqp);
  auto entries = scanned.section(amqp::SectionKind::kApplicationProperties).value.elements();
  while (const auto entry = entries.next_entry()) {
    if (entry->key.type() != amqp::Type::kString || !entry->key.text().equals(kDuplicateProperty)) {
      continue;
    }
    if (entry->value.type() == amqp::Type::kString) return id_of(entry->value.text());
  }
  return std::nullopt;
}

std::string cache_key(std::string_view id, std::string_view address) {
  std::string key(address);
  key += '\0';
  key += id;
  return key;
}

// Of a record.
std::optional<std::string> cache_key(Bytes body) {
  Cursor cursor(body);
  const Text address = cursor.simple_string();
  const Bytes id = cursor.sized_bytes();
  if (!cursor.ok()) return std::nullopt;
  return cache_key(text_of(id), address.str());
}

/// Takes note of every message on every queue.
class Reader final : public WholeMessageVisitor {
 public:
  explicit Reader(DuplicateIndex& index) : index_(index) {}
  bool message(const LiveMessage& message, std::span<const MessageOnQueue> queues,
               bool /*more*/) override {
    const std::string key = DuplicateIndex::key_of(message.message);
    for (const MessageOnQueue& on : queues) (void)index_.add(key, on.queue_id);
    return true;
  }

 private:
  DuplicateIndex& index_;
};

}  // namespace

void DuplicateIndex::read(const LoadedStore& store, FindingSink& sink) {
  Reader reader(*this);
  visit_whole_messages(store, reader, sink);
  read_cached(store, sink);
}

void DuplicateIndex::read_cached(const LoadedStore& store, FindingSink& sink) {
  visit_standing_records(
      store,
      [&](const journal::Record& record) {
        if (record.user_type != message::kDuplicateId) return;
        if (auto key = cache_key(record.body)) cached_.insert(std::move(*key));
      },
      sink);
}

bool DuplicateIndex::cached(Bytes body) const {
  const auto key = cache_key(body);
  return key && cached_.contains(*key);
}

std::string DuplicateIndex::key_of(const message::StoredMessage& message) {
  if (const auto id = duplicate_id(message)) return kByDuplicateId + *id;
  if (const auto id = user_id(message)) return kByUserId + *id;
  return {};
}

bool DuplicateIndex::cached(const std::string& key, std::string_view address) const {
  return key.starts_with(kByDuplicateId) && cached_.contains(cache_key(key.substr(1), address));
}

bool DuplicateIndex::add(const std::string& key, std::int64_t queue) {
  if (key.empty()) return true;
  std::string entry(8, '\0');
  store_be(reinterpret_cast<std::byte*>(entry.data()), queue);
  return known_.insert(entry + key).second;
}

}  // namespace saranga::store
