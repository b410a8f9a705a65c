#include "saranga/bytes/utf8.h"

#include <cstddef>

namespace saranga {

std::uint32_t take_code_point(std::string_view& text) {
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto byte = [&](std::size_t at) -> std::uint32_t {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const std::uint32_t lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t character = length == 1 ? lead : lead & (0x7FU >> length);
  bool whole = lead < 0x80 || (lead >= 0xC2 && lead < 0xF5);
  for (std::size_t i = 1; i < length && whole; ++i) {
    whole = (byte(i) & 0xC0U) == 0x80;
    character = character << 6 | (byte(i) & 0x3FU);
  }
  whole = whole && character >= kLeast[length] && character <= 0x10FFFF;
  text.remove_prefix(whole ? length : 1);
  return whole ? character : kNotUtf8 | lead;
}

}  // namespace saranga
