// The payload of one entry of a page file (docs/format/paging.md#paged-message).
#pragma once

#include <cstdint>

#include "saranga/bytes/cursor.h"
#include "saranga/message/stored_message.h"

namespace saranga::paging {

/// Queue ids a paged message was routed to; a view.
class QueueIds {
 public:
  QueueIds() = default;
  explicit QueueIds(Bytes encoded) : encoded_(encoded) {}
  [[nodiscard]] std::size_t size() const { return encoded_.size() / 8; }
  [[nodiscard]] std::int64_t operator[](std::size_t index) const {
    return load_be<std::int64_t>(encoded_.data() + 8 * index);
  }

 private:
  Bytes encoded_{};
};

/// Where the body of a paged message is.
enum class LargeKind : std::uint8_t {
  kNone,  ///< in the entry
  kCore,  ///< a Core message with a body file
  kAmqp,  ///< an AMQP message with a body file
};

/// A decoded entry; views of the payload.
struct PagedMessage {
  std::int64_t tx_id = -1;  ///< page transaction; -1 outside of one
  LargeKind large = LargeKind::kNone;
  bool old_kind = false;    ///< of a release before 2.12: a Core large message is told by FF
  bool old_layout = false;  ///< of a release before 2.0
  message::StoredMessage message{};
  QueueIds queues{};
};

/// Decodes a payload. On damage the cursor has failed and what was read before stays.
[[nodiscard]] SARANGA_API PagedMessage read_paged_message(Cursor& cursor);

}  // namespace saranga::paging
