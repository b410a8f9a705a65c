#include "saranga/bytes/encoder.h"

#include <algorithm>
#include <array>
#include <string>

namespace saranga {
namespace {

constexpr std::size_t kShortUnits = 8;      // up to so many units, a String is plain UTF-16
constexpr std::size_t kMiddleUnits = 4094;  // up to so many, a UTF block
constexpr std::size_t kMaximumUtfBytes = 0xFFFF;

// The code points of well-formed WTF-8, as Text::str() gives them, as UTF-16 units.
std::u16string units_of_wtf8(std::string_view text) {
  std::u16string units;
  units.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<std::uint32_t>(static_cast<unsigned char>(text[at]));
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    std::uint32_t point = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length && at + i < text.size(); ++i) {
      point = (point << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    at += length;
    if (point < 0x10000) {
      units.push_back(static_cast<char16_t>(point));
    } else {
      units.push_back(static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10)));
      units.push_back(static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF)));
    }
  }
  return units;
}

std::u16string units_of(const Text& text) {
  const bool little = text.encoding() == TextEncoding::kUtf16Le;
  if (!little && text.encoding() != TextEncoding::kUtf16Be) {
    TextBuffer utf8;
    text.append_to(utf8);
    return units_of_wtf8(utf8.view());
  }
  std::u16string units;
  const Bytes raw = text.raw();
  for (std::size_t at = 0; at + 2 <= raw.size(); at += 2) {
    const auto first = static_cast<std::uint32_t>(raw[at]);
    const auto second = static_cast<std::uint32_t>(raw[at + 1]);
    units.push_back(
        static_cast<char16_t>(little ? (first | (second << 8)) : ((first << 8) | second)));
  }
  return units;
}

bool is_ascii(Bytes raw) {
  std::byte all{0};
  for (const std::byte byte : raw) all |= byte;
  return all < std::byte{0x80};
}

// Each unit on its own, also the halves of a pair: so Java writes it. U+0000 is one byte.
void put_cesu8(std::u16string_view units, std::vector<std::byte>& out) {
  for (const char16_t unit : units) {
    const auto value = static_cast<std::uint32_t>(unit);
    if (value < 0x80) {
      out.push_back(static_cast<std::byte>(value));
    } else if (value < 0x800) {
      out.push_back(static_cast<std::byte>(0xC0 | (value >> 6)));
      out.push_back(static_cast<std::byte>(0x80 | (value & 0x3F)));
    } else {
      out.push_back(static_cast<std::byte>(0xE0 | (value >> 12)));
      out.push_back(static_cast<std::byte>(0x80 | ((value >> 6) & 0x3F)));
      out.push_back(static_cast<std::byte>(0x80 | (value & 0x3F)));
    }
  }
}

}  // namespace

Encoder& Encoder::put(std::uint64_t value, std::size_t bytes) {
  std::array<std::byte, sizeof(value)> big{};
  store_be(big.data(), value);
  data_.insert(data_.end(), big.end() - static_cast<std::ptrdiff_t>(bytes), big.end());
  return *this;
}

std::byte* Encoder::grow(std::size_t bytes) {
  const std::size_t begin = data_.size();
  data_.resize(begin + bytes);
  return data_.data() + begin;
}

Encoder& Encoder::bytes(Bytes bytes) {
  data_.insert(data_.end(), bytes.begin(), bytes.end());
  return *this;
}

Encoder& Encoder::size(std::size_t size) {
  if (size > INT32_MAX) fail("is longer than the format can hold");
  return i32(static_cast<std::int32_t>(std::min<std::size_t>(size, INT32_MAX)));
}

Encoder& Encoder::sized_bytes(Bytes all) {
  size(all.size());
  return bytes(all);
}

Encoder& Encoder::simple_string(const Text& text) {
  if (text.encoding() == TextEncoding::kUtf16Le) return sized_bytes(text.raw());
  if (text.encoding() == TextEncoding::kUtf8 && is_ascii(text.raw())) {
    size(text.raw().size() * 2);
    std::byte* to = grow(text.raw().size() * 2);
    for (const std::byte unit : text.raw()) {
      *to++ = unit;
      *to++ = std::byte{0};
    }
    return *this;
  }
  const std::u16string units = units_of(text);
  size(units.size() * 2);
  std::byte* to = grow(units.size() * 2);
  for (const char16_t unit : units) {
    *to++ = static_cast<std::byte>(unit & 0xFF);
    *to++ = static_cast<std::byte>(unit >> 8);
  }
  return *this;
}

Encoder& Encoder::nullable_simple_string(const std::optional<Text>& text) {
  flag(text.has_value());
  return text ? simple_string(*text) : *this;
}

Encoder& Encoder::utf(const Text& text) {
  std::vector<std::byte> block;
  if (text.encoding() == TextEncoding::kCesu8) {
    block.assign(text.raw().begin(), text.raw().end());
  } else {
    put_cesu8(units_of(text), block);
  }
  if (block.size() > kMaximumUtfBytes) fail("is a string of more than 65535 bytes");
  u16(static_cast<std::uint16_t>(std::min(block.size(), kMaximumUtfBytes)));
  return bytes(block);
}

Encoder& Encoder::string(const Text& text) {
  const std::u16string units = units_of(text);
  size(units.size());
  if (units.size() > kMiddleUnits) return simple_string(text);
  if (units.size() > kShortUnits) return utf(text);
  for (const char16_t unit : units) u16(static_cast<std::uint16_t>(unit));
  return *this;
}

Encoder& Encoder::nullable_string(const std::optional<Text>& text) {
  flag(text.has_value());
  return text ? string(*text) : *this;
}

Result<std::vector<std::byte>> Encoder::take() {
  auto taken = std::exchange(data_, {});
  if (problem_ != nullptr) {
    return std::unexpected(
        Error{.code = ErrorCode::kInvalidArgument,
              .text = std::string("cannot be encoded: ") + std::exchange(problem_, nullptr)});
  }
  return taken;
}

}  // namespace saranga
