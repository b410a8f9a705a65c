// Base64 (RFC 4648) and hexadecimal text.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/text_buffer.h"

namespace saranga {

enum class Base64Alphabet : std::uint8_t {
  kStandard,  ///< with + and /, as JSON output has it
  kUrl,       ///< with - and _, as Artemis prints it
};

/// Appends the padded base64 text of the bytes.
SARANGA_API void append_base64(TextBuffer& out, Bytes bytes, Base64Alphabet alphabet);

/// Appends the bytes of padded base64 text to `out`. Only the form that append_base64() gives is
/// accepted: no blanks, no missing padding, no stray bits in the last character. Otherwise `out` is
/// left as it was, and the result is the position of the first character that is wrong; the
/// length of the text, when characters are missing.
[[nodiscard]] SARANGA_API std::expected<void, std::size_t> append_base64_bytes(
    std::vector<std::byte>& out, std::string_view text, Base64Alphabet alphabet);

/// Appends two lower-case hexadecimal digits a byte.
SARANGA_API void append_hex(TextBuffer& out, Bytes bytes);

/// Appends UUID text, 8-4-4-4-12 lower-case digits; `bytes` must hold 16.
SARANGA_API void append_uuid(TextBuffer& out, Bytes bytes);

}  // namespace saranga
