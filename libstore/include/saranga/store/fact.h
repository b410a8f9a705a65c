// What one record of the message journal says, without its body: the events that the model is
// folded from (docs/format/messages.md#record-types).
#pragma once

#include <cstdint>

#include "saranga/journal/format.h"
#include "saranga/journal/survivors.h"
#include "saranga/message/stored_message.h"

namespace saranga::store {

/// What listings and order need to know of a message.
struct MessageFacts {
  std::int64_t timestamp_ms = 0;   ///< 0 = unset
  std::int64_t expiration_ms = 0;  ///< 0 = never
  std::int64_t scheduled_ms = 0;   ///< the message's own schedule; 0 = none
  std::uint32_t body_bytes = 0;    ///< encoded; 0 when the body is a file of its own
  std::uint8_t priority = 4;
  bool large = false;  ///< the body is a large-message file
  bool amqp = false;
  bool durable = true;
  bool damaged = false;  ///< the body of the record does not decode
};

/// The facts of a message as a starting broker at `now_ms` takes them: a delay counts from then.
[[nodiscard]] SARANGA_API MessageFacts message_facts(const message::StoredMessage& message,
                                                     std::int64_t now_ms);

/// Reads the message in a record of type 45, 30 or 31, whichever `user_type` says.
[[nodiscard]] SARANGA_API message::StoredMessage read_message_record(Cursor& cursor,
                                                                     std::int8_t user_type);

/// One record.
struct Fact {
  journal::RecordKind kind = journal::RecordKind::kAdd;
  std::int8_t user_type = 0;
  bool damaged = false;     ///< the body is too short for its type
  std::int32_t number = 0;  ///< of PREPARE and COMMIT
  std::uint32_t length_bytes = 0;
  std::int64_t id = 0;  ///< record id
  std::int64_t tx_id = 0;
  journal::Place place{};
  std::int64_t queue = 0;  ///< queue id; of a page transaction its transaction id
  std::int64_t value = 0;  ///< page number, schedule, counter value, message id of a pending body
  std::int32_t count = 0;  ///< delivery count, message number, count of a page transaction
  MessageFacts message{};  ///< of types that hold messages

  [[nodiscard]] bool is_update() const {
    return kind == journal::RecordKind::kUpdate || kind == journal::RecordKind::kUpdateTx;
  }
};

/// What was decoded of a record that holds a message, for those who want to know more than the
/// facts.
struct DecodedMessage {
  message::StoredMessage message{};  ///< views of the record
  std::size_t trailing_bytes = 0;    ///< behind the message
  const char* problem = nullptr;     ///< why it does not decode to its end; a constant
};

/// Reads a record. A pure function: windows of records may be read on several threads. `decoded`
/// receives the message, if the record holds one.
[[nodiscard]] SARANGA_API Fact read_fact(const journal::Record& record, std::size_t file,
                                         std::int64_t now_ms, DecodedMessage* decoded = nullptr);

/// Whether records of that type hold a message.
[[nodiscard]] SARANGA_API bool holds_message(std::int8_t user_type);

}  // namespace saranga::store
