// Base64 (RFC 4648) and hexadecimal text.
#pragma once

#include <cstdint>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/text_buffer.h"

namespace saranga {

enum class Base64Alphabet : std::uint8_t {
  kStandard,  ///< with + and /, as JSON output has it
  kUrl,       ///< with - and _, as Artemis prints it
};

/// Appends the padded base64 text of the bytes.
SARANGA_API void append_base64(TextBuffer& out, Bytes bytes, Base64Alphabet alphabet);

/// Appends two lower-case hexadecimal digits a byte.
SARANGA_API void append_hex(TextBuffer& out, Bytes bytes);

}  // namespace saranga
