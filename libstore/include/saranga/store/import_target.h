// What the readers of exports hand on, and whoever makes a store of it takes: addresses, queues and
// new Core messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/message/message_encoder.h"

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

}  // namespace saranga::store
