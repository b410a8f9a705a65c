// The inverse of Cursor: values put behind each other in the way that Artemis stores them
// (docs/format/messages.md#primitive-encodings).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/error.h"
#include "saranga/bytes/text.h"

namespace saranga {

/// Owns what it has encoded. The first value that the format cannot hold stops it; whoever encodes
/// checks once, when the bytes are taken. What is longer than 2 GiB cannot be held.
class Encoder {
 public:
  Encoder& u8(std::uint8_t value) { return scalar(value); }
  Encoder& i8(std::int8_t value) { return scalar(value); }
  Encoder& u16(std::uint16_t value) { return scalar(value); }
  Encoder& i16(std::int16_t value) { return scalar(value); }
  Encoder& i32(std::int32_t value) { return scalar(value); }
  Encoder& u32(std::uint32_t value) { return scalar(value); }
  Encoder& i64(std::int64_t value) { return scalar(value); }
  Encoder& f64(double value) { return scalar(std::bit_cast<std::uint64_t>(value)); }
  /// FF or 00: the booleans of everything but the headers and properties of Core messages.
  Encoder& boolean(bool value) { return u8(value ? 0xFF : 0x00); }
  /// 01 or 00: those of Core messages from 2.0 on, and the flags of nullable strings.
  Encoder& flag(bool value) { return u8(value ? 0x01 : 0x00); }
  /// The bytes as they are.
  SARANGA_API Encoder& bytes(Bytes bytes);
  /// i32 length, then the bytes.
  SARANGA_API Encoder& sized_bytes(Bytes bytes);
  /// i32 length, then the bytes; for a count that is no count of bytes, see i32().
  SARANGA_API Encoder& size(std::size_t size);

  /// SimpleString: i32 byte count, then UTF-16LE. Text that is stored so already is copied.
  SARANGA_API Encoder& simple_string(const Text& text);
  SARANGA_API Encoder& nullable_simple_string(const std::optional<Text>& text);
  /// UTF block; at most 65535 bytes.
  SARANGA_API Encoder& utf(const Text& text);
  /// The three-mode String. Its middle mode is a UTF block and shares the limit.
  SARANGA_API Encoder& string(const Text& text);
  SARANGA_API Encoder& nullable_string(const std::optional<Text>& text);

  /// Makes room for this many more bytes, where the caller knows of many.
  Encoder& reserve(std::size_t bytes) {
    data_.reserve(data_.size() + bytes);
    return *this;
  }
  [[nodiscard]] std::size_t position() const { return data_.size(); }
  [[nodiscard]] Bytes view() const { return data_; }
  [[nodiscard]] bool ok() const { return problem_ == nullptr; }
  /// What the format cannot hold, a constant; empty when all went well.
  [[nodiscard]] const char* problem() const { return problem_ == nullptr ? "" : problem_; }
  void fail(const char* problem) {
    if (problem_ == nullptr) problem_ = problem;
  }
  /// Hands over the bytes; kInvalidArgument when there was a problem. The encoder is empty then.
  [[nodiscard]] SARANGA_API Result<std::vector<std::byte>> take();

 private:
  template <class T>
  Encoder& scalar(T value) {
    return put(static_cast<std::uint64_t>(value), sizeof(T));
  }
  /// The last `bytes` bytes of the value, big-endian.
  SARANGA_API Encoder& put(std::uint64_t value, std::size_t bytes);
  /// Where so many bytes are to be written, behind the others.
  [[nodiscard]] std::byte* grow(std::size_t bytes);

  std::vector<std::byte> data_;
  const char* problem_ = nullptr;
};

}  // namespace saranga
