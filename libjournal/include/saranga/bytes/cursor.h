// A bounds-checked reader of big-endian values. The first read that does not fit stops it: from
// then on every read yields zero or nothing, so a decoder checks once, at its end.
#pragma once

#include <cstdint>
#include <optional>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/error.h"
#include "saranga/bytes/text.h"

namespace saranga {

/// Reads a span from front to back. Copies are cheap and independent. Owns nothing.
class Cursor {
 public:
  explicit Cursor(Bytes data) : data_(data) {}

  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] std::size_t remaining() const { return data_.size() - at_; }
  [[nodiscard]] bool at_end() const { return at_ == data_.size(); }
  [[nodiscard]] Bytes data() const { return data_; }
  /// True until a read failed.
  [[nodiscard]] bool ok() const { return problem_ == nullptr; }
  /// What the first failed read missed; valid when !ok(). A string constant.
  [[nodiscard]] const char* problem() const { return problem_ == nullptr ? "" : problem_; }
  /// The failure as an error whose offset counts from the start of the span.
  [[nodiscard]] SARANGA_API Error error() const;
  /// Marks the cursor as failed: a value read makes no sense. `problem` must be a constant.
  void fail(const char* problem) {
    if (problem_ == nullptr) problem_ = problem;
  }

  [[nodiscard]] std::uint8_t u8() { return scalar<std::uint8_t>(); }
  [[nodiscard]] std::int8_t i8() { return scalar<std::int8_t>(); }
  [[nodiscard]] std::uint16_t u16() { return scalar<std::uint16_t>(); }
  [[nodiscard]] std::int16_t i16() { return scalar<std::int16_t>(); }
  [[nodiscard]] std::uint32_t u32() { return scalar<std::uint32_t>(); }
  [[nodiscard]] std::int32_t i32() { return scalar<std::int32_t>(); }
  [[nodiscard]] std::int64_t i64() { return scalar<std::int64_t>(); }
  [[nodiscard]] std::uint64_t u64() { return scalar<std::uint64_t>(); }
  [[nodiscard]] float f32() { return std::bit_cast<float>(u32()); }
  [[nodiscard]] double f64() { return std::bit_cast<double>(u64()); }
  /// Both boolean writers' output: any non-zero byte is true.
  [[nodiscard]] bool boolean() { return u8() != 0; }

  /// The next `count` bytes, as a view of the span.
  [[nodiscard]] Bytes take(std::uint64_t count) {
    if (problem_ != nullptr || count > remaining()) {
      fail("runs past its end");
      return {};
    }
    const Bytes taken = data_.subspan(at_, static_cast<std::size_t>(count));
    at_ += taken.size();
    return taken;
  }
  /// i32 length, then so many bytes; a negative length is a failure.
  [[nodiscard]] Bytes sized_bytes() {
    const std::int32_t count = i32();
    if (count < 0) fail("has a negative length");
    return take(static_cast<std::uint32_t>(count));
  }

  /// SimpleString: i32 byte count, then UTF-16LE.
  [[nodiscard]] Text simple_string() { return {sized_bytes(), TextEncoding::kUtf16Le}; }
  /// Flag byte, then a SimpleString when it is not zero.
  [[nodiscard]] std::optional<Text> nullable_simple_string() {
    if (!boolean()) return std::nullopt;
    return simple_string();
  }
  /// UTF block: u16 byte count, then one to three bytes a UTF-16 unit.
  [[nodiscard]] Text utf() { return {take(u16()), TextEncoding::kCesu8}; }
  /// The three-mode String: i32 count of UTF-16 units decides how they are stored.
  [[nodiscard]] SARANGA_API Text string();
  [[nodiscard]] std::optional<Text> nullable_string() {
    if (!boolean()) return std::nullopt;
    return string();
  }

 private:
  template <class T>
  [[nodiscard]] T scalar() {
    if (problem_ != nullptr || remaining() < sizeof(T)) {
      fail("runs past its end");
      return 0;
    }
    const T value = load_be<T>(data_.data() + at_);
    at_ += sizeof(T);
    return value;
  }

  Bytes data_;
  std::size_t at_ = 0;
  const char* problem_ = nullptr;
};

}  // namespace saranga
