// Text as the stores hold it: a view over encoded characters that is converted only when printed.
// The encodings are described in docs/format/messages.md#primitive-encodings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/text_buffer.h"

namespace saranga {

/// How the characters of a Text are stored.
enum class TextEncoding : std::uint8_t {
  kUtf16Le,  ///< SimpleString: two bytes a unit, low byte first
  kUtf16Be,  ///< short Strings: two bytes a unit, high byte first
  kCesu8,    ///< UTF blocks: each UTF-16 unit on its own as one to three bytes
  kUtf8,     ///< AMQP strings and symbols
};

/// A view of encoded text; the bytes belong to whoever was decoded. Java strings may hold
/// surrogates without their partner: those come out as three-byte sequences ("WTF-8"), so nothing
/// is lost.
class Text {
 public:
  Text() = default;
  Text(Bytes raw, TextEncoding encoding) : raw_(raw), encoding_(encoding) {}
  /// A view of UTF-8 characters, for constants.
  explicit Text(std::string_view utf8) : raw_(as_bytes(utf8)), encoding_(TextEncoding::kUtf8) {}

  [[nodiscard]] Bytes raw() const { return raw_; }
  [[nodiscard]] TextEncoding encoding() const { return encoding_; }
  [[nodiscard]] bool empty() const { return raw_.empty(); }

  /// Appends the characters as WTF-8. Bytes that are not text in the encoding become U+FFFD.
  SARANGA_API void append_to(TextBuffer& out) const;
  [[nodiscard]] SARANGA_API std::string str() const;
  /// Whether the text equals these ASCII characters; no conversion, no allocation.
  [[nodiscard]] SARANGA_API bool equals(std::string_view ascii) const;
  /// False when the bytes are not valid in their encoding (an odd byte of UTF-16, malformed UTF-8).
  [[nodiscard]] SARANGA_API bool well_formed() const;

 private:
  Bytes raw_{};
  TextEncoding encoding_ = TextEncoding::kUtf8;
};

/// Appends one code point as UTF-8; surrogates become three bytes like any other.
SARANGA_API void append_code_point(TextBuffer& out, std::uint32_t code_point);

}  // namespace saranga
