// Values as Java prints them: Artemis' text is the sum of its classes' toString() methods.
#pragma once

#include <cstdint>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/text.h"
#include "saranga/bytes/text_buffer.h"

namespace saranga::print {

/// The characters as a UTF-8 print stream writes them: a surrogate without partner becomes '?'.
void append_java_string(TextBuffer& out, const Text& text);

/// java.util.Date.toString() in the local time zone, "Tue Nov 14 22:13:22 UTC 2023".
void append_java_date(TextBuffer& out, std::int64_t milliseconds);

/// Double.toString(): the shortest digits that read back, decimal between 1e-3 and 1e7.
void append_java_double(TextBuffer& out, double value);
/// Float.toString(), by the same rule.
void append_java_float(TextBuffer& out, float value);

/// A Java char; one half of a surrogate pair on its own prints as '?'.
void append_java_char(TextBuffer& out, std::uint16_t unit);

/// ByteUtil's hexadecimal text of a byte value: upper case, a blank after every two bytes.
void append_java_hex(TextBuffer& out, Bytes bytes);

}  // namespace saranga::print
