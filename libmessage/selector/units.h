// Texts in any encoding, read as the UTF-16 units or the code points that a Java string is made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "saranga/bytes/text.h"

namespace saranga::message::selector {

inline constexpr std::int32_t kEndOfText = -1;

/// Walks a text from front to back. A copy goes on from the same place. Bytes that are no text in
/// their encoding read as U+FFFD.
class UnitReader {
 public:
  explicit UnitReader(const Text& text)
      : at_(text.raw().data()),
        end_(text.raw().data() + text.raw().size()),
        encoding_(text.encoding()) {}

  /// The next UTF-16 unit, kEndOfText behind the last one.
  [[nodiscard]] std::int32_t next_unit() {
    if (encoding_ != TextEncoding::kUtf16Le) return next_unit_slowly();
    if (end_ - at_ < 2) return kEndOfText;
    const auto unit = static_cast<std::int32_t>(at_[0]) | (static_cast<std::int32_t>(at_[1]) << 8);
    at_ += 2;
    return unit;
  }

  /// The next code point; a surrogate without its partner stands for itself.
  [[nodiscard]] std::int32_t next_code_point();

 private:
  [[nodiscard]] std::int32_t next_unit_slowly();
  [[nodiscard]] std::int32_t decode_utf8();

  const std::byte* at_;
  const std::byte* end_;
  TextEncoding encoding_;
  std::int32_t low_surrogate_ = kEndOfText;  // of a code point whose high one was handed out
};

/// Less than, equal to or greater than zero: the order of the UTF-16 units, as in Java.
[[nodiscard]] int compare_texts(const Text& left, const Text& right);
[[nodiscard]] bool equal_texts(const Text& left, const Text& right);

/// A view of little-endian UTF-16.
[[nodiscard]] inline Text utf16_text(std::string_view bytes) {
  return {as_bytes(bytes), TextEncoding::kUtf16Le};
}

/// The units of UTF-8 text as little-endian UTF-16.
[[nodiscard]] std::string to_utf16(std::string_view utf8);

/// Appends a unit as little-endian UTF-16.
inline void append_utf16(std::string& out, std::int32_t unit) {
  out += static_cast<char>(unit & 0xFF);
  out += static_cast<char>(unit >> 8);
}

/// Appends a code point as UTF-8; surrogates become three bytes like any other.
void append_utf8(std::string& out, std::int32_t code_point);

/// The offset of the first byte that is not UTF-8 (single surrogates are let through); npos if all
/// of them are.
[[nodiscard]] std::size_t find_malformed(std::string_view text);

}  // namespace saranga::message::selector
