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

// Where the number of a digit stands in a group's 24 bits, by its place in the group; other
// characters have a bit above these. A group is the sum of four, and one look tells whether it is
// right.
constexpr std::uint32_t kNoGroup = std::uint32_t{1} << 24;
using Places = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr Places make_places() {
  Places places{};
  for (std::size_t place = 0; place < places.size(); ++place) {
    for (std::size_t c = 0; c < kNumbers.size(); ++c) {
      const std::uint32_t number = kNumbers[c];
      places[place][c] = number > 63 ? kNoGroup : number << (18 - 6 * place);
    }
  }
  return places;
}

constexpr Places kPlaces = make_places();

}  // namespace

bool Base64Sections::feed(std::string_view text, std::vector<std::byte>& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto placed = [](std::size_t place, char c) {
    return kPlaces[place][static_cast<unsigned char>(c)];
  };
  while (at != end) {
    if (digits_ == 0 && padding_ == 0 && !padded_ && end - at >= 4) {
      const std::size_t old_size = out.size();
      const std::size_t groups = std::min(static_cast<std::size_t>(end - at), kAtOnce) / 4;
      const char* const stop = at + groups * 4;
      out.resize(old_size + groups * 3 + 1);  // a group is written as four bytes
      std::byte* to = out.data() + old_size;
      for (; at != stop; at += 4) {
        const std::uint32_t group =
            placed(0, at[0]) | placed(1, at[1]) | placed(2, at[2]) | placed(3, at[3]);
        if (group >= kNoGroup) break;
        store_be(to, group << 8);
        to += 3;
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
