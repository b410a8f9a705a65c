#include "libstore/import/base64_sections.h"

#include <algorithm>
#include <array>

namespace saranga::store {
namespace {

constexpr std::uint8_t kNoDigit = 0xFF;
constexpr std::uint8_t kBlank = 0xFE;
// Characters; room is made for these, and blanks may stand between any two groups.
constexpr std::size_t kAtOnce = 4096;

constexpr std::array<std::uint8_t, 256> make_numbers() {
  std::array<std::uint8_t, 256> numbers{};
  numbers.fill(kNoDigit);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    numbers[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  numbers['+'] = numbers['-'] = 62;
  numbers['/'] = numbers['_'] = 63;
  numbers[' '] = numbers['\t'] = numbers['\r'] = numbers['\n'] = kBlank;
  return numbers;
}

constexpr std::array<std::uint8_t, 256> kNumbers = make_numbers();

}  // namespace

bool Base64Sections::feed(std::string_view text, std::vector<std::byte>& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [](char c) { return kNumbers[static_cast<unsigned char>(c)]; };
  while (at != end) {
    if (digits_ == 0 && padding_ == 0 && !padded_ && end - at >= 4) {
      const std::size_t old_size = out.size();
      const std::size_t groups = std::min(static_cast<std::size_t>(end - at), kAtOnce) / 4;
      const char* const stop = at + groups * 4;
      out.resize(old_size + groups * 3);
      std::byte* to = out.data() + old_size;
      for (; at != stop; at += 4) {
        const std::uint32_t a = number(at[0]), b = number(at[1]), c = number(at[2]),
                            d = number(at[3]);
        if ((a | b | c | d) > 63) break;
        *to++ = static_cast<std::byte>(a << 2 | b >> 4);
        *to++ = static_cast<std::byte>(b << 4 | c >> 2);
        *to++ = static_cast<std::byte>(c << 6 | d);
      }
      out.resize(static_cast<std::size_t>(to - out.data()));
      if (at == stop) continue;
    }
    if (!one(static_cast<unsigned char>(*at++), out)) return false;
  }
  return true;
}

bool Base64Sections::one(unsigned char c, std::vector<std::byte>& out) {
  const std::uint8_t number = kNumbers[c];
  if (number == kBlank) {
    if (padding_ == 0) padded_ = false;
    return true;
  }
  if (c == '=') {
    if (padding_ == 0) {
      if (digits_ < 2) return false;
      padding_ = 4 - digits_;
      if (!end(out)) return false;
    }
    padded_ = --padding_ == 0;
    return true;
  }
  if (number == kNoDigit || padding_ != 0 || padded_) return false;
  bits_ = bits_ << 6 | number;
  if (++digits_ < 4) return true;
  out.push_back(static_cast<std::byte>(bits_ >> 16));
  out.push_back(static_cast<std::byte>(bits_ >> 8));
  out.push_back(static_cast<std::byte>(bits_));
  digits_ = 0;
  bits_ = 0;
  return true;
}

bool Base64Sections::end(std::vector<std::byte>& out) {
  const unsigned digits = digits_;
  const std::uint32_t bits = bits_;
  const bool in_padding = padding_ != 0 && digits == 0;
  digits_ = 0;
  bits_ = 0;
  if (digits == 0) {
    padding_ = 0;
    padded_ = false;
    return !in_padding;
  }
  if (digits == 1 || (bits & (digits == 2 ? 15U : 3U)) != 0) return false;
  if (digits == 2) {
    out.push_back(static_cast<std::byte>(bits >> 4));
  } else {
    out.push_back(static_cast<std::byte>(bits >> 10));
    out.push_back(static_cast<std::byte>(bits >> 2));
  }
  return true;
}

}  // namespace saranga::store
