// Spans of bytes and big-endian loads; everything in the stores is big-endian
// (docs/format/journal.md) but the characters inside a SimpleString.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace saranga {

/// A view of bytes that somebody else owns.
using Bytes = std::span<const std::byte>;

/// Loads a big-endian integer from `at`; the caller has checked that sizeof(T) bytes are there.
template <class T>
[[nodiscard]] inline T load_be(const std::byte* at) {
  std::make_unsigned_t<T> value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::little && sizeof(T) > 1) {
    if constexpr (sizeof(T) == 2) value = __builtin_bswap16(value);
    if constexpr (sizeof(T) == 4) value = __builtin_bswap32(value);
    if constexpr (sizeof(T) == 8) value = __builtin_bswap64(value);
  }
  return static_cast<T>(value);
}

/// Stores a big-endian integer at `at`; the caller has checked that sizeof(T) bytes are there.
template <class T>
inline void store_be(std::byte* at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    at[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * (sizeof(T) - 1 - i)));
  }
}

/// The bytes of a text, without copying.
[[nodiscard]] inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// The bytes as a text view, for ASCII or UTF-8 content.
[[nodiscard]] inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace saranga
