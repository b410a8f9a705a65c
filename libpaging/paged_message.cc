#include "saranga/paging/paged_message.h"

namespace saranga::paging {
namespace {

constexpr std::uint8_t kNotLarge = 0x00;
constexpr std::uint8_t kCoreLarge = 0x01;
constexpr std::uint8_t kAmqpLarge = 0x02;
constexpr std::uint8_t kOldCoreLarge = 0xFF;  // before 2.12 the kind was a boolean

// The headers of a Core large message stand behind their length, which Artemis ignores.
void read_core_large(Cursor& cursor, PagedMessage& paged) {
  (void)cursor.i32();
  paged.large = LargeKind::kCore;
  paged.message.core = message::read_large_message(cursor);
}

// Before 2.0 a length stands in front of the message; its first byte is zero, which no persister
// is.
void read_old(Cursor& cursor, PagedMessage& paged) {
  paged.old_layout = true;
  Cursor inner(cursor.sized_bytes());
  paged.message.core = message::read_old_message(inner);
  if (!inner.ok()) cursor.fail(inner.problem());
}

}  // namespace

PagedMessage read_paged_message(Cursor& cursor) {
  PagedMessage paged;
  paged.tx_id = cursor.i64();
  const std::uint8_t kind = cursor.u8();
  if (kind == kCoreLarge || kind == kOldCoreLarge) {
    read_core_large(cursor, paged);
    paged.old_kind = kind == kOldCoreLarge;
  } else if (kind == kNotLarge && cursor.ok() && !cursor.at_end() &&
             cursor.data()[cursor.position()] == std::byte{0}) {
    read_old(cursor, paged);
  } else if (kind == kNotLarge || kind == kAmqpLarge) {
    if (kind == kAmqpLarge) paged.large = LargeKind::kAmqp;
    paged.message = message::read_stored_message(cursor);
  } else {
    cursor.fail("has an unknown kind of message");
  }
  const std::int32_t count = cursor.i32();
  if (count < 0) cursor.fail("has a negative count of queues");
  paged.queues = QueueIds(cursor.take(static_cast<std::uint64_t>(count) * 8));
  return paged;
}

}  // namespace saranga::paging
