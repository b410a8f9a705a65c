// What is on the queues of a loaded store, counted: one pass over the references of the journal,
// and one over the pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saranga/store/loader.h"

namespace saranga::store {

/// Counts of messages. Those in doubt are only in the two counts of their own.
struct MessageTotals {
  std::uint64_t messages = 0;        ///< that consumers can get: now, or at their time
  std::uint64_t scheduled = 0;       ///< of these: their time is still to come
  std::uint64_t paged = 0;           ///< of these: in page files
  std::uint64_t delivered = 0;       ///< of these: with a delivery count
  std::uint64_t expired = 0;         ///< of these: with an expiration that has passed
  std::uint64_t large = 0;           ///< of these: with a body that is a file of its own
  std::uint64_t prepared_acks = 0;   ///< acknowledged by a prepared transaction: back at a rollback
  std::uint64_t prepared_sends = 0;  ///< sent by a prepared transaction: there after a commit
  std::uint64_t body_bytes = 0;      ///< of `messages`, with bodies in files
  std::int64_t oldest_ms = 0;        ///< when the oldest of `messages` was sent; 0: no message says
  std::int64_t newest_ms = 0;

  SARANGA_API void add(const MessageTotals& other);
};

/// One queue, or an id that only messages name. What was paged for such an id counts as messages: a
/// broker does not deliver them, but they are there.
struct QueueSummary {
  std::int64_t id = 0;
  const bindings::Queue* queue = nullptr;  ///< null when the id has no binding
  std::string address{};  ///< of the queue; without a binding, of one of its messages
  MessageTotals totals{};
  bool paused = false;  ///< the queue itself, or its address with all of its queues
};

/// One address: of the catalog, of a queue, or of a page store.
struct AddressSummary {
  std::string name;
  const bindings::Address* address = nullptr;  ///< null when no record says that it exists
  std::uint64_t queues = 0;
  MessageTotals totals{};        ///< of its queues
  std::uint64_t pages = 0;       ///< page files, but for empty ones: brokers leave those behind
  std::uint64_t page_bytes = 0;  ///< their sizes together
};

/// Everything, sorted: queues by address, name and id, those without binding at the end by id;
/// addresses by name. Views of the loaded store.
struct StoreSummary {
  std::vector<QueueSummary> queues;
  std::vector<AddressSummary> addresses;
};

/// Counts. Pages are read by `jobs`; what is wrong with them goes to `sink`.
[[nodiscard]] SARANGA_API StoreSummary summarise_queues(const LoadedStore& store, JobRunner& jobs,
                                                        FindingSink& sink);

}  // namespace saranga::store
