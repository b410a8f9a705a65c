// Taking UTF-8 apart, character by character.
#pragma once

#include <cstdint>
#include <string_view>

#include "saranga/bytes/export.h"

namespace saranga {

/// Set in what take_code_point() gives for a byte that is no UTF-8; the byte is in the low bits.
inline constexpr std::uint32_t kNotUtf8 = 0x80000000U;

/// Takes the first character off a text that is not empty. Surrogates that stand as three bytes are
/// taken as such; a byte that is no UTF-8 is taken alone, marked with kNotUtf8.
[[nodiscard]] SARANGA_API std::uint32_t take_code_point(std::string_view& text);

}  // namespace saranga
