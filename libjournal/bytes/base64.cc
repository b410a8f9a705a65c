#include "saranga/bytes/base64.h"

namespace saranga {
namespace {
constexpr char kStandardDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kUrlDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
}  // namespace

void append_base64(TextBuffer& out, Bytes bytes, Base64Alphabet alphabet) {
  const char* digits = alphabet == Base64Alphabet::kUrl ? kUrlDigits : kStandardDigits;
  char* to = out.reserve((bytes.size() + 2) / 3 * 4);
  char* const start = to;
  std::size_t at = 0;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
  for (; at + 3 <= bytes.size(); at += 3) {
    const std::uint32_t group = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    *to++ = digits[group >> 18];
    *to++ = digits[group >> 12 & 63];
    *to++ = digits[group >> 6 & 63];
    *to++ = digits[group & 63];
  }
  if (at < bytes.size()) {
    const bool two = at + 1 < bytes.size();
    const std::uint32_t group = byte(at) << 16 | (two ? byte(at + 1) << 8 : 0);
    *to++ = digits[group >> 18];
    *to++ = digits[group >> 12 & 63];
    *to++ = two ? digits[group >> 6 & 63] : '=';
    *to++ = '=';
  }
  out.commit(static_cast<std::size_t>(to - start));
}

void append_hex(TextBuffer& out, Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  char* to = out.reserve(bytes.size() * 2);
  for (const std::byte b : bytes) {
    *to++ = kDigits[static_cast<unsigned>(b) >> 4];
    *to++ = kDigits[static_cast<unsigned>(b) & 15];
  }
  out.commit(bytes.size() * 2);
}

}  // namespace saranga
