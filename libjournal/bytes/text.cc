#include "saranga/bytes/text.h"

namespace saranga {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

bool is_high(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

std::uint32_t combine(std::uint32_t high, std::uint32_t low) {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

// Turns a sequence of UTF-16 units, delivered one by one, into code points.
class UnitJoiner {
 public:
  explicit UnitJoiner(TextBuffer& out) : out_(out) {}
  void unit(std::uint32_t unit) {
    if (pending_ != 0) {
      const std::uint32_t high = pending_;
      pending_ = 0;
      if (is_low(unit)) return append_code_point(out_, combine(high, unit));
      append_code_point(out_, high);
    }
    if (is_high(unit)) {
      pending_ = unit;
    } else {
      append_code_point(out_, unit);
    }
  }
  void finish() {
    if (pending_ != 0) append_code_point(out_, pending_);
    pending_ = 0;
  }

 private:
  TextBuffer& out_;
  std::uint32_t pending_ = 0;
};

// Copies the leading ASCII part of little-endian UTF-16, four units at a time; returns bytes taken.
std::size_t copy_ascii_prefix(Bytes raw, TextBuffer& out) {
  static_assert(std::endian::native == std::endian::little);
  char* to = out.reserve(raw.size() / 2 + 8);
  std::size_t at = 0;
  for (; at + 8 <= raw.size(); at += 8) {
    std::uint64_t units;
    std::memcpy(&units, raw.data() + at, 8);
    if ((units & 0xFF80FF80FF80FF80U) != 0) break;
    units = (units | (units >> 8)) & 0x0000FFFF0000FFFFU;
    units = units | (units >> 16);
    std::memcpy(to + at / 2, &units, 4);
  }
  for (; at + 2 <= raw.size() && raw[at + 1] == std::byte{0} && raw[at] < std::byte{0x80};
       at += 2) {
    to[at / 2] = static_cast<char>(raw[at]);
  }
  out.commit(at / 2);
  return at;
}

void append_utf16(Bytes raw, bool little, TextBuffer& out) {
  std::size_t at = little ? copy_ascii_prefix(raw, out) : 0;
  UnitJoiner joiner(out);
  for (; at + 2 <= raw.size(); at += 2) {
    const auto first = static_cast<std::uint32_t>(raw[at]);
    const auto second = static_cast<std::uint32_t>(raw[at + 1]);
    joiner.unit(little ? (first | (second << 8)) : ((first << 8) | second));
  }
  joiner.finish();
}

// Length of a UTF-8 sequence by its first byte, 0 when it can't start one.
std::size_t sequence_length(std::uint32_t lead, bool utf8) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC0 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (utf8 && lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

struct Decoded {
  std::uint32_t value = kReplacement;
  std::size_t length = 1;
  bool good = false;
};

Decoded decode_sequence(Bytes raw, std::size_t at, bool utf8) {
  const auto lead = static_cast<std::uint32_t>(raw[at]);
  const std::size_t length = sequence_length(lead, utf8);
  if (length == 0 || at + length > raw.size()) return {};
  if (length == 1) return {lead, 1, true};
  std::uint32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<std::uint32_t>(raw[at + i]);
    if ((next & 0xC0U) != 0x80U) return {};
    value = (value << 6) | (next & 0x3FU);
  }
  // UTF-8 knows one form for a character, the shortest; Java reads its UTF blocks without that
  // rule.
  static constexpr std::uint32_t kLowest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value > 0x10FFFF || (utf8 && value < kLowest[length])) return {};
  return {value, length, true};
}

void append_cesu8(Bytes raw, TextBuffer& out) {
  UnitJoiner joiner(out);
  for (std::size_t at = 0; at < raw.size();) {
    const Decoded decoded = decode_sequence(raw, at, false);
    joiner.unit(decoded.value);
    at += decoded.length;
  }
  joiner.finish();
}

void append_utf8(Bytes raw, TextBuffer& out) {
  for (std::size_t at = 0; at < raw.size();) {
    std::size_t end = at;
    while (end < raw.size() && raw[end] < std::byte{0x80}) ++end;
    out.put(as_text(raw.subspan(at, end - at)));
    if ((at = end) == raw.size()) break;
    const Decoded decoded = decode_sequence(raw, at, true);
    append_code_point(out, decoded.value);
    at += decoded.length;
  }
}

}  // namespace

void append_code_point(TextBuffer& out, std::uint32_t c) {
  char* to = out.reserve(4);
  std::size_t n = 0;
  if (c < 0x80) {
    to[n++] = static_cast<char>(c);
  } else if (c < 0x800) {
    to[n++] = static_cast<char>(0xC0 | (c >> 6));
    to[n++] = static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    to[n++] = static_cast<char>(0xE0 | (c >> 12));
    to[n++] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    to[n++] = static_cast<char>(0x80 | (c & 0x3F));
  } else {
    to[n++] = static_cast<char>(0xF0 | (c >> 18));
    to[n++] = static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    to[n++] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    to[n++] = static_cast<char>(0x80 | (c & 0x3F));
  }
  out.commit(n);
}

void Text::append_to(TextBuffer& out) const {
  switch (encoding_) {
    case TextEncoding::kUtf16Le: return append_utf16(raw_, true, out);
    case TextEncoding::kUtf16Be: return append_utf16(raw_, false, out);
    case TextEncoding::kCesu8: return append_cesu8(raw_, out);
    case TextEncoding::kUtf8: return append_utf8(raw_, out);
  }
}

std::string Text::str() const {
  TextBuffer out;
  append_to(out);
  return out.str();
}

bool Text::equals(std::string_view ascii) const {
  if (encoding_ == TextEncoding::kUtf8 || encoding_ == TextEncoding::kCesu8) {
    return as_text(raw_) == ascii;
  }
  if (raw_.size() / 2 != ascii.size()) return false;
  const std::size_t low = encoding_ == TextEncoding::kUtf16Le ? 0 : 1;
  for (std::size_t i = 0; i < ascii.size(); ++i) {
    if (raw_[2 * i + low] != static_cast<std::byte>(ascii[i])) return false;
    if (raw_[2 * i + 1 - low] != std::byte{0}) return false;
  }
  return true;
}

bool Text::well_formed() const {
  if (encoding_ == TextEncoding::kUtf16Le || encoding_ == TextEncoding::kUtf16Be) {
    return raw_.size() % 2 == 0;
  }
  const bool utf8 = encoding_ == TextEncoding::kUtf8;
  for (std::size_t at = 0; at < raw_.size();) {
    const Decoded decoded = decode_sequence(raw_, at, utf8);
    if (!decoded.good) return false;
    if (utf8 && decoded.value >= 0xD800 && decoded.value < 0xE000) return false;
    at += decoded.length;
  }
  return true;
}

}  // namespace saranga
