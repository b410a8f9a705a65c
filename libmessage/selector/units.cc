#include "libmessage/selector/units.h"

#include <cstring>

namespace saranga::message::selector {
namespace {

constexpr std::int32_t kReplacement = 0xFFFD;

bool is_high(std::int32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::int32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

struct Sequence {
  std::int32_t code_point = kReplacement;
  std::size_t length = 1;
  bool good = false;
};

// One sequence of UTF-8 out of at least one byte.
Sequence read_sequence(const std::byte* at, std::size_t left) {
  const auto lead = static_cast<std::uint32_t>(*at);
  if (lead < 0x80) return {static_cast<std::int32_t>(lead), 1, true};
  std::size_t length = 0;
  if (lead >= 0xC2 && lead < 0xE0) length = 2;
  if (lead >= 0xE0 && lead < 0xF0) length = 3;
  if (lead >= 0xF0 && lead < 0xF5) length = 4;
  if (length == 0 || length > left) return {};
  std::uint32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<std::uint32_t>(at[i]);
    if ((next & 0xC0U) != 0x80U) return {};
    value = (value << 6) | (next & 0x3FU);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF) return {};
  return {static_cast<std::int32_t>(value), length, true};
}

}  // namespace

std::int32_t UnitReader::decode_utf8() {
  const Sequence sequence = read_sequence(at_, static_cast<std::size_t>(end_ - at_));
  at_ += sequence.length;
  return sequence.code_point;
}

std::int32_t UnitReader::next_unit_slowly() {
  if (encoding_ == TextEncoding::kUtf16Be) {
    if (end_ - at_ < 2) return kEndOfText;
    const auto unit = (static_cast<std::int32_t>(at_[0]) << 8) | static_cast<std::int32_t>(at_[1]);
    at_ += 2;
    return unit;
  }
  if (low_surrogate_ != kEndOfText) {
    const std::int32_t unit = low_surrogate_;
    low_surrogate_ = kEndOfText;
    return unit;
  }
  if (at_ == end_) return kEndOfText;
  const std::int32_t code_point = decode_utf8();
  if (code_point < 0x10000) return code_point;
  low_surrogate_ = 0xDC00 + ((code_point - 0x10000) & 0x3FF);
  return 0xD800 + ((code_point - 0x10000) >> 10);
}

std::int32_t UnitReader::next_code_point() {
  const std::int32_t unit = next_unit();
  if (!is_high(unit)) return unit;
  UnitReader ahead = *this;
  const std::int32_t low = ahead.next_unit();
  if (!is_low(low)) return unit;
  *this = ahead;
  return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

int compare_texts(const Text& left, const Text& right) {
  UnitReader left_units(left);
  UnitReader right_units(right);
  while (true) {
    const std::int32_t left_unit = left_units.next_unit();
    const std::int32_t right_unit = right_units.next_unit();
    if (left_unit != right_unit) return left_unit < right_unit ? -1 : 1;
    if (left_unit == kEndOfText) return 0;
  }
}

bool equal_texts(const Text& left, const Text& right) {
  if (left.encoding() != right.encoding()) return compare_texts(left, right) == 0;
  const std::size_t size = left.raw().size();
  if (size != right.raw().size()) return false;
  return size == 0 || std::memcmp(left.raw().data(), right.raw().data(), size) == 0;
}

std::string to_utf16(std::string_view utf8) {
  std::string out;
  out.reserve(2 * utf8.size());
  UnitReader units{Text(utf8)};
  for (std::int32_t unit; (unit = units.next_unit()) != kEndOfText;) append_utf16(out, unit);
  return out;
}

void append_utf8(std::string& out, std::int32_t code_point) {
  const auto c = static_cast<std::uint32_t>(code_point);
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      put(0xE0 | (c >> 12));
    } else {
      put(0xF0 | (c >> 18));
      put(0x80 | ((c >> 12) & 0x3F));
    }
    put(0x80 | ((c >> 6) & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

std::size_t find_malformed(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  for (std::size_t at = 0; at < bytes.size();) {
    const Sequence sequence = read_sequence(bytes.data() + at, bytes.size() - at);
    if (!sequence.good) return at;
    at += sequence.length;
  }
  return std::string_view::npos;
}

}  // namespace saranga::message::selector
