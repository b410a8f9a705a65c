// Every message of a loaded store once, with all the queues that it is on: what an export needs,
// where listings go queue by queue.
#pragma once

#include <cstdint>
#include <span>

#include "saranga/store/live_messages.h"

namespace saranga::store {

/// A message's place on one queue.
struct MessageOnQueue {
  std::int64_t queue_id = 0;
  const bindings::Queue* queue = nullptr;  ///< null when the id has no binding
  MessageState state = MessageState::kPending;
  std::int64_t tx_id = -1;  ///< prepared transaction that has it in doubt, or -1
  std::int32_t delivery_count = 0;
  std::int64_t scheduled_ms = 0;  ///< when it will be delivered, 0 = at once
  /// When a record of the broker's says so, and not the message itself; 0 = there is none.
  std::int64_t set_scheduled_ms = 0;
};

/// In which order the messages of the journal are visited.
enum class WholeOrder : std::uint8_t {
  kId,
  /// In which they came onto their queues. A message that came onto one of them later than others
  /// that are visited behind it is split: see WholeMessageVisitor::later().
  kArrival,
};

/// The message as it is on that queue.
[[nodiscard]] SARANGA_API LiveMessage on_queue(LiveMessage message, const MessageOnQueue& place);

/// Receives messages; returns false to end the walk.
class SARANGA_API WholeMessageVisitor {
 public:
  virtual ~WholeMessageVisitor() = default;
  /// The members of `message` that tell of a queue say nothing. `queues` is not empty and in the
  /// order in which the message came onto them. `more` says that later() will tell of others. Views
  /// hold until it returns.
  virtual bool message(const LiveMessage& message, std::span<const MessageOnQueue> queues,
                       bool more) = 0;
  /// One more queue of a message that was visited before; only with WholeOrder::kArrival.
  virtual bool later(const LiveMessage& message, const MessageOnQueue& place) {
    (void)message;
    (void)place;
    return true;
  }
  /// Asked before the record of a message in the journal is read again.
  virtual bool wants_message(const Message& message) {
    (void)message;
    return true;
  }
};

/// Visits the messages of the journal by ascending id or in that other order, then those of the
/// pages in the order of addresses, pages and positions. Messages that are on no queue are not
/// among them. What cannot be read again goes to `sink`.
SARANGA_API void visit_whole_messages(const LoadedStore& store, WholeMessageVisitor& visitor,
                                      FindingSink& sink, WholeOrder order = WholeOrder::kId);

}  // namespace saranga::store
