// Bodies of the records that small stores are made of (docs/format/messages.md, bindings.md,
// old-releases.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tests/support/journal_builder.h"

namespace saranga::test {

/// The headers block of a durable Core message without properties.
inline BodyBuilder headers_block(std::int64_t id, std::string_view address, bool old = false) {
  BodyBuilder block;
  block.i64(id).nullable_simple_string(address).u8(0).u8(0).u8(old ? 0xFF : 1);
  return block.i64(0).i64(1'700'000'000'000).u8(4).u8(0);
}

/// Type 45: a Core message with a body of raw bytes.
inline Buffer core_message(std::int64_t id, std::string_view address, Bytes body) {
  BodyBuilder buffer;
  buffer.i32(static_cast<std::int64_t>(13 + body.size())).raw(body);
  buffer.raw(headers_block(id, address).bytes());
  BodyBuilder record;
  record.u8(1).i64(id).nullable_simple_string(address).sized(buffer.bytes());
  return record;
}

/// Type 31: a message of HornetQ or Artemis 1.x.
inline Buffer old_message(std::int64_t id, std::string_view address, Bytes body) {
  const Buffer block = headers_block(id, address, true);
  BodyBuilder record;
  record.i32(static_cast<std::int64_t>(17 + body.size())).raw(body);
  record.i32(static_cast<std::int64_t>(4 + body.size() + 4 + block.size() + 13));
  return record.raw(block);
}

/// Types 32 and 33: a reference to a queue, and its acknowledgement.
inline Buffer queue_id(std::int64_t queue) { return BodyBuilder().i64(queue); }

/// Type 21, ending behind the given number of fields: each line of releases ends somewhere else.
inline Buffer queue_binding(std::string_view name, int fields,
                            std::optional<std::string_view> filter = {}) {
  BodyBuilder body;
  body.simple_string(name).simple_string(name).nullable_simple_string(filter);
  if (fields >= 5) body.nullable_simple_string("user=ann;").boolean(false);
  if (fields >= 8) body.i32(-1).boolean(false).u8(1);
  if (fields >= 9) body.boolean(false);
  if (fields >= 10) body.boolean(false);
  if (fields >= 20) {
    body.boolean(true).i32(0).i64(-1).nullable_simple_string({}).boolean(false).boolean(false);
    body.i32(-1).boolean(false).i64(0).i64(0);
  }
  if (fields >= 21) body.nullable_simple_string({});
  if (fields >= 22) body.i64(-1);
  if (fields >= 23) body.boolean(true);
  if (fields >= 24) body.boolean(false);
  if (fields >= 25) body.boolean(false);
  return body;
}

/// The extra data of a PREPARE.
inline Buffer xid(std::string_view branch, std::string_view global) {
  return BodyBuilder().i32(1).sized(as_bytes(branch)).sized(as_bytes(global));
}

}  // namespace saranga::test
