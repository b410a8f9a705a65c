#include "saranga/message/core_message.h"

namespace saranga::message {
namespace {

constexpr std::size_t kUserIdBytes = 16;
// The first field of a message is the end of its body, counted as if the 13 bytes of a packet
// header stood before it; the old layout counts the four bytes of a second end field as well.
constexpr std::int32_t kPacketBytes = 13;
constexpr std::int32_t kOldPacketBytes = 17;
// Where headers start, counted from the end of the body that the first field gives.
constexpr std::int32_t kHeadersBack = 9;

/// The body: from the cursor to `end`, which counts as if `packet_bytes` stood before the body.
Bytes take_body(Cursor& cursor, std::int32_t end, std::int32_t packet_bytes) {
  if (end < packet_bytes) {
    cursor.fail("ends before its body begins");
    return {};
  }
  return cursor.take(static_cast<std::uint64_t>(end - packet_bytes));
}

}  // namespace

std::string_view core_type_name(CoreType type) {
  switch (type) {
    case CoreType::kDefault: return "default";
    case CoreType::kObject: return "object";
    case CoreType::kText: return "text";
    case CoreType::kBytes: return "bytes";
    case CoreType::kMap: return "map";
    case CoreType::kStream: return "stream";
    case CoreType::kEmbedded: return "embedded";
    case CoreType::kLargeEmbedded: return "large_embedded";
  }
  return "unknown";
}

CoreHeaders read_core_headers(Cursor& cursor) {
  CoreHeaders headers;
  headers.id = cursor.i64();
  headers.address = cursor.nullable_simple_string();
  // Only the value 1 announces a user id; every other byte means that there is none.
  if (cursor.u8() == 1) headers.user_id = cursor.take(kUserIdBytes);
  headers.type = static_cast<CoreType>(cursor.u8());
  headers.durable = cursor.boolean();
  headers.expiration_ms = cursor.i64();
  headers.timestamp_ms = cursor.i64();
  headers.priority = cursor.u8();
  headers.properties = TypedProperties::read(cursor);
  return headers;
}

CoreMessage read_core_message(Cursor& cursor) {
  CoreMessage message;
  message.id = cursor.i64();
  message.address = cursor.nullable_simple_string();
  message.buffer = cursor.sized_bytes();
  if (!cursor.ok()) return message;
  Cursor inner(message.buffer);
  const std::int32_t end_of_body = inner.i32();
  message.body = take_body(inner, end_of_body, kPacketBytes);
  message.headers = read_core_headers(inner);
  if (!inner.ok()) cursor.fail(inner.problem());
  return message;
}

CoreMessage read_old_message(Cursor& cursor) {
  CoreMessage message;
  message.old_layout = true;
  message.buffer = cursor.data().subspan(cursor.position());
  const std::int32_t end_of_body = cursor.i32();
  message.body = take_body(cursor, end_of_body, kOldPacketBytes);
  static_assert(kOldPacketBytes - kPacketBytes == 4, "the second end field lies behind the body");
  static_assert(kPacketBytes - kHeadersBack == 4, "headers follow the fields before them directly");
  (void)cursor.i32();
  message.headers = read_core_headers(cursor);
  message.id = message.headers.id;
  message.address = message.headers.address;
  return message;
}

CoreMessage read_large_message(Cursor& cursor) {
  CoreMessage message;
  const std::size_t from = cursor.position();
  message.headers = read_core_headers(cursor);
  message.buffer = cursor.data().subspan(from, cursor.position() - from);
  message.id = message.headers.id;
  message.address = message.headers.address;
  return message;
}

}  // namespace saranga::message
