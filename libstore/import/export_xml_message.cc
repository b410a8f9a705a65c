#include "libstore/import/export_xml_message.h"

namespace saranga::store {
namespace {

// Up to so many properties, looking at each is faster than a table.
constexpr std::size_t kFew = 32;
// What a message keeps for the next one.
constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;

}  // namespace

void ExportXmlMessage::clear() {
  std::vector<message::NewProperty> properties = std::move(made.message.properties);
  properties.clear();
  made = {};
  made.message.properties = std::move(properties);
  body.clear();
  kept_.clear();
  entries_.clear();
  by_key_.clear();
  queue_count_ = 0;
  if (head_bytes_ > kMostKeptBytes) {
    kept_.shrink_to_fit();
    entries_.shrink_to_fit();
    made.message.properties.shrink_to_fit();
    queues_.clear();
    by_key_ = {};
  }
  if (body.capacity() > kMostKeptBytes) body.shrink_to_fit();
  head_bytes_ = 0;
}

std::size_t ExportXmlMessage::keep(std::string_view bytes) {
  const std::size_t at = kept_.size();
  kept_ += bytes;
  head_bytes_ += bytes.size();
  return at;
}

ExportXmlMessage::Entry* ExportXmlMessage::find(std::string_view key) {
  if (entries_.size() <= kFew) {
    for (Entry& entry : entries_) {
      if (key_of(entry) == key) return &entry;
    }
    return nullptr;
  }
  if (by_key_.empty()) {
    for (std::size_t i = 0; i < entries_.size(); ++i) by_key_.emplace(key_of(entries_[i]), i);
  }
  const auto found = by_key_.find(std::string(key));
  return found == by_key_.end() ? nullptr : &entries_[found->second];
}

void ExportXmlMessage::put(std::string_view key, Entry entry) {
  head_bytes_ += sizeof(Entry) + sizeof(message::NewProperty);
  if (Entry* const before = find(key); before != nullptr) {
    // As in a map: the last value counts.
    entry.key_at = before->key_at;
    entry.key_size = before->key_size;
    *before = entry;
    return;
  }
  entry.key_at = keep(key);
  entry.key_size = key.size();
  if (!by_key_.empty()) {
    by_key_.emplace(key, entries_.size());
    head_bytes_ += key.size() + sizeof(Entry);
  }
  entries_.push_back(entry);
}

void ExportXmlMessage::number_property(std::string_view key, message::PropertyValue value) {
  put(key, {.value = value});
}

void ExportXmlMessage::string_property(std::string_view key, std::string_view text) {
  const std::size_t at = keep(text);
  put(key, {.value = message::string_value({}), .value_at = at, .value_size = text.size()});
}

void ExportXmlMessage::bytes_property(std::string_view key, Bytes bytes) {
  const std::size_t at =
      bytes.empty() ? keep({}) : keep({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  put(key, {.value = message::bytes_value({}), .value_at = at, .value_size = bytes.size()});
}

void ExportXmlMessage::queue(std::string_view name) {
  head_bytes_ += name.size() + sizeof(std::string);
  if (queue_count_ == queues_.size()) queues_.emplace_back();
  queues_[queue_count_++] = name;
}

const ImportedCoreMessage& ExportXmlMessage::finish() {
  made.message.properties.clear();
  for (const Entry& entry : entries_) {
    message::NewProperty property{.key = Text(key_of(entry)), .value = entry.value};
    const std::string_view value = std::string_view(kept_).substr(entry.value_at, entry.value_size);
    if (property.value.type == message::PropertyType::kString) property.value.text = Text(value);
    if (property.value.type == message::PropertyType::kBytes)
      property.value.bytes = as_bytes(value);
    made.message.properties.push_back(property);
  }
  made.message.body = body;
  made.queues = std::span<const std::string>(queues_).first(queue_count_);
  return made;
}

}  // namespace saranga::store
