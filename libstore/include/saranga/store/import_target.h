// What the readers of exports hand on, and whoever makes a store of it takes: addresses, queues and
// messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/message/message_encoder.h"
#include "saranga/store/live_messages.h"

namespace saranga::store {

/// How an address routes. An address may do both, a queue does one of them.
struct Routing {
  bool anycast = false;
  bool multicast = false;
};

/// An address that is to be there.
struct ImportedAddress {
  std::string name;  ///< UTF-8, with surrogates that have no partner kept as three bytes
  Routing routing{};
};

/// A queue that is to be there; its address as well.
struct ImportedQueue {
  std::string name;
  std::string address;
  std::optional<std::string> filter{};
  Routing routing{};  ///< exactly one of the two, or neither when the export does not say
};

/// A new Core message, as an export describes it.
struct ImportedCoreMessage {
  /// Id and address are those of the export; the target sets them when it gives out others. Of a
  /// message with a body file, `body` is not looked at.
  message::NewCoreMessage message{};
  bool large = false;                     ///< its body was given to append_body()
  std::span<const std::string> queues{};  ///< names of the queues that it goes to
};

/// Takes what an export holds, in its order: bindings before the messages that need them. Errors
/// end the import, but kInvalidArgument of end_message(): that message alone cannot be taken, and
/// the reader decides; after any of them nothing of the message is there. One thread.
class SARANGA_API ImportTarget {
 public:
  virtual ~ImportTarget() = default;
  /// The same address or queue may come more than once.
  [[nodiscard]] virtual Result<void> address(const ImportedAddress& address) = 0;
  [[nodiscard]] virtual Result<void> queue(const ImportedQueue& queue) = 0;
  /// Begins a message; `id` is the one in the export. A message that was begun and not ended is
  /// dropped by the next one.
  [[nodiscard]] virtual Result<void> begin_message(std::optional<std::int64_t> id) = 0;
  /// A piece of the body file of a large message. The view need not outlive the call.
  [[nodiscard]] virtual Result<void> append_body(Bytes piece) = 0;
  /// Everything else that is known of the message. Views need not outlive the call.
  [[nodiscard]] virtual Result<void> end_message(const ImportedCoreMessage& message) = 0;
};

/// A record of the bindings journal. A view.
struct ImportedBinding {
  std::int64_t id = 0;
  std::int8_t type = 0;
  bool is_update = false;
  Bytes body{};
};

/// A message's place on a queue, as an archive has it. A view.
struct ImportedPlace {
  std::int64_t queue_id = -1;     ///< in the archive
  std::string_view queue_name{};  ///< empty when the id has no binding
  MessageState state = MessageState::kPending;
  std::int64_t tx_id = -1;  ///< of the prepared transaction that has it in doubt
  std::int32_t delivery_count = 0;
  std::int64_t set_scheduled_ms = 0;  ///< as the broker has set it; 0 = it has not
};

/// A message as it was stored. A view.
struct ImportedStoredMessage {
  std::int8_t record_type = 0;  ///< that its bytes are the body of: 45, 30 or 31
  Bytes encoded{};
  bool paged = false;
  bool more = false;  ///< reference() will tell of more queues
  std::span<const ImportedPlace> places{};
};

/// Another record of the message journal. A view.
struct ImportedRecord {
  enum class Kind : std::uint8_t { kAdd, kUpdate, kDelete };
  Kind kind = Kind::kAdd;
  std::int64_t id = 0;
  std::int64_t tx_id = -1;  ///< of a prepared transaction, or -1
  std::int8_t type = 0;
  Bytes body{};
};

/// Takes an archive as well, which has messages as they were stored. Errors as of ImportTarget,
/// with end_stored_message() and reference() like end_message().
class SARANGA_API ArchiveTarget : public ImportTarget {
 public:
  /// Ids up to this one are in use where the archive comes from.
  virtual void reserve_ids(std::int64_t counter) = 0;
  /// Bindings come before the first message.
  [[nodiscard]] virtual Result<void> binding(const ImportedBinding& binding) = 0;
  /// Ends a message that was begun. It has a body file when append_body() was called, be it with
  /// nothing.
  [[nodiscard]] virtual Result<void> end_stored_message(const ImportedStoredMessage& message) = 0;
  /// One more queue of a message that came with `more`.
  [[nodiscard]] virtual Result<void> reference(std::int64_t message_id,
                                               const ImportedPlace& place) = 0;
  [[nodiscard]] virtual Result<void> record(const ImportedRecord& record) = 0;
  /// Prepares a transaction that messages and records named before; `xid` as the record has it.
  [[nodiscard]] virtual Result<void> transaction(std::int64_t tx_id, Bytes xid) = 0;
};

}  // namespace saranga::store
