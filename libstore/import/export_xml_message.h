// A message of an export while it is being read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "saranga/store/import_target.h"

namespace saranga::store {

/// Gathers properties and queue names, and owns what the message that it makes views. Reused from
/// message to message. One thread.
class ExportXmlMessage {
 public:
  void clear();

  /// Headers and `large` are set by the reader, the rest by finish().
  ImportedCoreMessage made{};
  std::vector<std::byte> body{};

  /// `value` is a number or null; strings and bytes are copied.
  void number_property(std::string_view key, message::PropertyValue value);
  void string_property(std::string_view key, std::string_view text);
  void bytes_property(std::string_view key, Bytes bytes);
  void queue(std::string_view name);

  /// Of properties and queue names, with what it costs to keep them.
  [[nodiscard]] std::uint64_t head_bytes() const { return head_bytes_; }
  /// `made`, whose views hold until this object is changed.
  [[nodiscard]] const ImportedCoreMessage& finish();

 private:
  struct Entry {
    std::size_t key_at = 0;
    std::size_t key_size = 0;
    message::PropertyValue value{};
    std::size_t value_at = 0;
    std::size_t value_size = 0;
  };

  void put(std::string_view key, Entry entry);
  [[nodiscard]] Entry* find(std::string_view key);
  [[nodiscard]] std::size_t keep(std::string_view bytes);
  [[nodiscard]] std::string_view key_of(const Entry& entry) const {
    return std::string_view(kept_).substr(entry.key_at, entry.key_size);
  }

  std::string kept_;  // keys, strings and bytes, referred to by their place
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> by_key_;  // once there are many
  std::vector<std::string> queues_;
  std::size_t queue_count_ = 0;
  std::uint64_t head_bytes_ = 0;
};

}  // namespace saranga::store
