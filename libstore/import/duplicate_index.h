// Which messages queues have already, by the ids that senders gave them. Private to this folder.
#pragma once

#include <string>
#include <unordered_set>

#include "saranga/store/loader.h"
#include "saranga/store/whole_messages.h"

namespace saranga::store {

/// Remembers a key a message and queue, of about 30 bytes and the id.
class DuplicateIndex {
 public:
  /// Takes note of all messages of a store, and of the duplicate ids that it has cached.
  void read(const LoadedStore& store, FindingSink& sink);

  /// Only the duplicate ids.
  void read_cached(const LoadedStore& store, FindingSink& sink);

  /// What tells the message from others: its duplicate id, else the sender's id. Empty when it has
  /// neither, and then it is never a duplicate.
  [[nodiscard]] static std::string key_of(const message::StoredMessage& message);
  /// Whether the address has the duplicate id in its cache.
  [[nodiscard]] bool cached(const std::string& key, std::string_view address) const;
  /// The same for what a record of that kind says.
  [[nodiscard]] bool cached(Bytes body) const;
  /// Takes note that the queue has the message; false when it was known.
  [[nodiscard]] bool add(const std::string& key, std::int64_t queue);

 private:
  std::unordered_set<std::string> known_;
  std::unordered_set<std::string> cached_;  // duplicate ids, by address
};

}  // namespace saranga::store
