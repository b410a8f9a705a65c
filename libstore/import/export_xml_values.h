// The values of attributes in an export (docs/format/export-xml.md#elements).
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/bytes/bytes.h"
#include "saranga/message/core_message.h"
#include "saranga/message/typed_properties.h"
#include "saranga/store/import_target.h"

namespace saranga::store {

/// A decimal number as Java reads it, from `least` to `most`.
[[nodiscard]] std::optional<std::int64_t> read_integer(std::string_view text, std::int64_t least,
                                                       std::int64_t most);

/// Floating-point text as Java writes it, NaN and Infinity included.
[[nodiscard]] std::optional<double> read_double(std::string_view text);
[[nodiscard]] std::optional<float> read_float(std::string_view text);

/// "true" or "false", in letters of any size.
[[nodiscard]] std::optional<bool> read_boolean(std::string_view text);

/// A UUID: 8-4-4-4-12 hexadecimal digits, with "ID:" in front or without; or its Base64.
[[nodiscard]] std::optional<std::array<std::byte, 16>> read_user_id(std::string_view text);

/// The routing types of an address, in any order, with commas between them.
[[nodiscard]] std::optional<Routing> read_routing_types(std::string_view text);

[[nodiscard]] std::optional<message::CoreType> read_message_type(std::string_view text);

/// Appends the bytes of Base64 text of either alphabet, with padding or without; false when it is
/// none, with `out` in any state.
[[nodiscard]] bool append_any_base64(std::vector<std::byte>& out, std::string_view text);

/// The text of an attribute x-<name>-utf16, as UTF-8 with surrogates of three bytes.
[[nodiscard]] std::optional<std::string> read_utf16(std::string_view base64);

/// The one UTF-16 unit that a text consists of.
[[nodiscard]] std::optional<char16_t> read_char(std::string_view text);

}  // namespace saranga::store
