// The messages of a loaded store as a broker would deliver them: queue by queue, the journal's in
// order of priority and arrival, then those of the pages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/store/loader.h"
#include "saranga/store/pages.h"

namespace saranga::store {

/// Where a message is in its life on a queue.
enum class MessageState : std::uint8_t {
  kPending,      ///< to be delivered
  kScheduled,    ///< to be delivered at a time that is still to come
  kInDoubtAck,   ///< acknowledged by a prepared transaction: not delivered until that is settled
  kInDoubtSend,  ///< sent by a prepared transaction: not visible until that is settled
};

/// "pending", "scheduled", "prepared_ack" or "prepared_send". A constant.
[[nodiscard]] SARANGA_API std::string_view state_name(MessageState state);

/// One message on one queue. Views hold until the visitor returns.
struct LiveMessage {
  std::int64_t id = 0;
  std::int64_t queue_id = 0;
  const bindings::Queue* queue = nullptr;  ///< null when the queue has no binding
  MessageState state = MessageState::kPending;
  std::string_view file{};         ///< label of the file that holds it
  std::uint64_t offset = 0;        ///< of the record or page entry
  std::uint32_t length_bytes = 0;  ///< likewise
  std::int8_t record_type = 0;     ///< of the record that holds it, 0 for a paged message
  std::int64_t tx_id = -1;         ///< prepared transaction that has it in doubt, or -1
  bool paged = false;
  std::int64_t page = 0;         ///< of a paged message
  std::int32_t page_index = 0;   ///< position in the page
  std::int64_t page_tx_id = -1;  ///< page transaction, -1 for none
  std::int32_t delivery_count = 0;
  std::int64_t scheduled_ms = 0;  ///< when it will be delivered, 0 = at once
  bool core_large = false;        ///< a Core message whose body is a file
  /// The message as it is stored, all of it: the body of a record of the type that
  /// encoded_type() tells.
  Bytes encoded{};
  MessageFacts facts{};
  message::StoredMessage message{};
};

/// The record type that would hold the encoded message in the journal, wherever it is:
/// ADD_MESSAGE_PROTOCOL, ADD_LARGE_MESSAGE or the ADD_MESSAGE of releases before 2.0.
[[nodiscard]] SARANGA_API std::int8_t encoded_type(const LiveMessage& message);

/// The id that the sender gave: the UUID of a Core message, the message-id of an AMQP message as
/// text.
[[nodiscard]] SARANGA_API std::optional<std::string> user_id(const message::StoredMessage& message);

/// Receives messages; returns false to end the walk.
class SARANGA_API MessageVisitor {
 public:
  virtual ~MessageVisitor() = default;
  virtual bool message(const LiveMessage& message) = 0;
  /// Whether the messages of a queue are wanted at all; `queue` is null when it has no binding.
  virtual bool wants_queue(std::int64_t queue_id, const bindings::Queue* queue) {
    (void)queue_id;
    (void)queue;
    return true;
  }
  /// Whether messages are wanted that were paged for queue ids without a binding. They come at the
  /// end, in the order of the pages; a broker forgets them with their page.
  virtual bool wants_unbound_pages() { return false; }
  /// Asked before the record of a message in the journal is read again: whether it can be wanted.
  virtual bool wants_message(const Message& message) {
    (void)message;
    return true;
  }
};

/// Walks all queues by id: those with a binding and those that only have references. A record that
/// cannot be read again goes to `sink`.
SARANGA_API void visit_messages(const LoadedStore& store, MessageVisitor& visitor,
                                FindingSink& sink);

/// References by queue index, each in delivery order; made once for a walk over all queues.
class SARANGA_API DeliveryOrder {
 public:
  explicit DeliveryOrder(const Model& model);
  /// The references of the queue at this index of Model::queue_ids().
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t queue_index) const {
    return std::span(order_).subspan(begin_[queue_index],
                                     begin_[queue_index + 1] - begin_[queue_index]);
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> begin_;
};

}  // namespace saranga::store
