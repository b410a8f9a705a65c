// Core messages for the tests: built from their parts, and the worked examples of the formats.
#pragma once

#include <optional>
#include <string_view>

#include "tests/support/journal_builder.h"

namespace saranga::test {

/// The parts of a Core message.
struct CoreSpec {
  std::int64_t id = 1000;
  std::optional<std::string_view> address = "q1";
  Buffer user_id{};  ///< none when empty
  unsigned type = 4;
  unsigned durable = 1;  ///< the byte as it is stored
  std::int64_t expiration_ms = 0;
  std::int64_t timestamp_ms = 0;
  unsigned priority = 4;
  Buffer properties = hex_bytes("00");  ///< a whole block
  Buffer body{};
};

/// Headers and properties: all there is of a large message's record.
inline Buffer headers_block(const CoreSpec& spec) {
  BodyBuilder out;
  out.i64(spec.id).nullable_simple_string(spec.address);
  out.u8(spec.user_id.empty() ? 0 : 1).raw(spec.user_id);
  out.u8(spec.type).u8(spec.durable).i64(spec.expiration_ms).i64(spec.timestamp_ms);
  return out.u8(spec.priority).raw(spec.properties).bytes();
}

/// Body, headers and properties, as clients send them.
inline Buffer core_buffer(const CoreSpec& spec) {
  BodyBuilder out;
  out.i32(static_cast<std::int64_t>(spec.body.size()) + 13).raw(spec.body);
  return out.raw(headers_block(spec)).bytes();
}

/// A message as records of type 45 hold it.
inline Buffer stored_core(const CoreSpec& spec) {
  BodyBuilder out;
  out.u8(1).i64(spec.id).nullable_simple_string(spec.address);
  return out.sized(core_buffer(spec)).bytes();
}

/// A message as records of type 31 hold it: of releases before 2.0.
inline Buffer old_core(const CoreSpec& spec) {
  const Buffer headers = headers_block(spec);
  BodyBuilder out;
  out.i32(static_cast<std::int64_t>(spec.body.size()) + 17).raw(spec.body);
  const auto total = static_cast<std::int64_t>(spec.body.size() + headers.size()) + 8;
  return out.i32(total + 13).raw(headers).bytes();
}

/// One entry of a block of properties.
inline Buffer property(std::string_view key, unsigned type, std::string_view value_hex = "") {
  return BodyBuilder().simple_string(key).u8(type).raw(hex_bytes(value_hex)).bytes();
}

/// A block of properties.
inline Buffer properties_block(const std::vector<Buffer>& entries) {
  BodyBuilder out;
  out.u8(1).i32(static_cast<std::int64_t>(entries.size()));
  for (const Buffer& entry : entries) out.raw(entry);
  return out.bytes();
}

// Written by release 2.56.0: a text message "hi" with the property n = 7, id 1000.
inline constexpr std::string_view kTextMessageHex =
    "01 00000000000003e8 01 00000004 71003100 00000042"
    "00000016 01 00000004 68006900"
    "00000000000003e8 01 00000004 71003100 00 03 01 0000000000000000 0000018000000000 04"
    "01 00000001 00000002 6e00 06 00000007";

// Written by release 2.56.0: the record of a large message, id 2000, 200000 bytes.
inline constexpr std::string_view kLargeMessageHex =
    "00000000000007d0 01 00000004 71003100 00 04 01 0000000000000000 0000000000000000 04"
    "01 00000001 0000001e 5f0041004d0051005f004c0041005200470045005f00530049005a004500"
    "07 0000000000030d40";

// Written by release 1.5.6: a bytes message without body, id 70.
inline constexpr std::string_view kOldMessageHex =
    "00000011 00000063 0000000000000046 01 0000002c"
    "6a006d0073002e00710075006500750065002e006f00720064006500720073002e0074007900700065007300"
    "00 04 ff 0000000000000000 0000018bcfe577a0 04 00";

// Written by release 2.56.0: an AMQP message, body value "hi", id 3000.
inline constexpr std::string_view kAmqpV3Hex =
    "05 0000000000000bb8 0000000000000000 01 00000004 71003100"
    "00000025 005370c00402415007 005373d00000000d00000003a1026d3140a1027131 005377a1026869"
    "00000000 0000000000000000";

// The same as a large message, id 4000.
inline constexpr std::string_view kAmqpLargeHex =
    "04 0000000000000fa0 ff 0000000000000000 01 00000004 71003100"
    "00000020 01 00000001 0000000e 5f0041004d0051005f0041004400 0a 00000004 71003100"
    "00000000 00000009 005370c00402415007 ffffffff 00000000 ffffffff 40"
    "00000009 005373d00000000d00000003a1026d3140a1027131 ffffffff 0000001e 40"
    "0000000000000000 00";

}  // namespace saranga::test
