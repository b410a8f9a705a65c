#include "saranga/bytes/base64.h"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace saranga {
namespace {

constexpr char kStandardDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kUrlDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr const char* digits_of(Base64Alphabet alphabet) {
  return alphabet == Base64Alphabet::kUrl ? kUrlDigits : kStandardDigits;
}

#if defined(__x86_64__)

constexpr std::size_t kGroupBytes = 12;   // that one step turns into sixteen characters
constexpr std::size_t kLoadedBytes = 16;  // that it reads

// Twelve bytes at a time: each is moved beside its neighbours, the four six-bit numbers of three
// bytes are shifted to the low ends of four, and the distance from number to character is looked
// up.
__attribute__((target("ssse3"))) std::size_t encode_groups(char* to, const std::byte* from,
                                                           std::size_t size, char last_but_one,
                                                           char last) {
  const __m128i spread = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
  const __m128i distances =
      _mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                    '0' - 52, '0' - 52, '0' - 52, static_cast<char>(last_but_one - 62),
                    static_cast<char>(last - 63), 'A', 0, 0);
  std::size_t done = 0;
  for (; size - done >= kLoadedBytes; done += kGroupBytes) {
    const __m128i bytes =
        _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + done)), spread);
    const __m128i odd = _mm_mulhi_epu16(_mm_and_si128(bytes, _mm_set1_epi32(0x0FC0FC00)),
                                        _mm_set1_epi32(0x04000040));
    const __m128i even = _mm_mullo_epi16(_mm_and_si128(bytes, _mm_set1_epi32(0x003F03F0)),
                                         _mm_set1_epi32(0x01000010));
    const __m128i numbers = _mm_or_si128(odd, even);
    // 0 for 26 to 51, 1 to 12 above, 13 below.
    const __m128i above = _mm_subs_epu8(numbers, _mm_set1_epi8(51));
    const __m128i below =
        _mm_and_si128(_mm_cmpgt_epi8(_mm_set1_epi8(26), numbers), _mm_set1_epi8(13));
    const __m128i characters =
        _mm_add_epi8(numbers, _mm_shuffle_epi8(distances, _mm_or_si128(above, below)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), characters);
    to += 16;
  }
  return done;
}

#endif

// Encodes as much as whole steps of the processor allow; gives how many bytes that were.
std::size_t encode_fast(char* to, Bytes bytes, const char* digits) {
#if defined(__x86_64__)
  if (bytes.size() >= kLoadedBytes && __builtin_cpu_supports("ssse3")) {
    return encode_groups(to, bytes.data(), bytes.size(), digits[62], digits[63]);
  }
#endif
  (void)to, (void)bytes, (void)digits;
  return 0;
}

constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> numbers_of(Base64Alphabet alphabet) {
  std::array<std::uint8_t, 256> numbers{};
  numbers.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 64; ++i) {
    numbers[static_cast<unsigned char>(digits_of(alphabet)[i])] = i;
  }
  return numbers;
}

constexpr std::array<std::uint8_t, 256> kStandardNumbers = numbers_of(Base64Alphabet::kStandard);
constexpr std::array<std::uint8_t, 256> kUrlNumbers = numbers_of(Base64Alphabet::kUrl);

// The padding characters at the end of the text, at most two.
std::size_t padding_of(std::string_view text) {
  if (text.empty() || text.back() != '=') return 0;
  return text.size() > 1 && text[text.size() - 2] == '=' ? 2 : 1;
}

}  // namespace

void append_base64(TextBuffer& out, Bytes bytes, Base64Alphabet alphabet) {
  const char* digits = digits_of(alphabet);
  char* to = out.reserve((bytes.size() + 2) / 3 * 4);
  char* const start = to;
  std::size_t at = encode_fast(to, bytes, digits);
  to += at / 3 * 4;
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

std::expected<void, std::size_t> append_base64_bytes(std::vector<std::byte>& out,
                                                     std::string_view text,
                                                     Base64Alphabet alphabet) {
  const auto& numbers = alphabet == Base64Alphabet::kUrl ? kUrlNumbers : kStandardNumbers;
  const std::size_t digits = text.size() - padding_of(text);
  const std::size_t old_size = out.size();
  const auto number = [&](std::size_t i) { return numbers[static_cast<unsigned char>(text[i])]; };
  const auto wrong = [&](std::size_t at) {
    out.resize(old_size);
    while (at < digits && number(at) != kNoDigit) ++at;
    return std::unexpected(at);
  };
  out.resize(old_size + digits / 4 * 3 + (digits % 4 == 0 ? 0 : digits % 4 - 1));
  std::byte* to = out.data() + old_size;
  std::size_t at = 0;
  for (; at + 4 <= digits; at += 4) {
    const std::uint8_t a = number(at), b = number(at + 1), c = number(at + 2), d = number(at + 3);
    if ((a | b | c | d) > 63) return wrong(at);
    *to++ = static_cast<std::byte>(a << 2 | b >> 4);
    *to++ = static_cast<std::byte>(b << 4 | c >> 2);
    *to++ = static_cast<std::byte>(c << 6 | d);
  }
  if (text.size() % 4 != 0) return wrong(at);
  if (at == digits) return at == text.size() ? std::expected<void, std::size_t>{} : wrong(at);
  const bool two = digits - at == 3;
  const std::uint8_t a = number(at), b = number(at + 1), c = two ? number(at + 2) : std::uint8_t{0};
  if (digits - at == 1 || (a | b | c) > 63) return wrong(at);
  if (two ? (c & 3) != 0 : (b & 15) != 0) {
    out.resize(old_size);
    return std::unexpected(digits - 1);
  }
  *to++ = static_cast<std::byte>(a << 2 | b >> 4);
  if (two) *to++ = static_cast<std::byte>(b << 4 | c >> 2);
  return {};
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

void append_uuid(TextBuffer& out, Bytes bytes) {
  static constexpr std::size_t kGroups[] = {4, 2, 2, 2, 6};
  std::size_t at = 0;
  for (const std::size_t group : kGroups) {
    if (at != 0) out.put('-');
    append_hex(out, bytes.subspan(at, group));
    at += group;
  }
}

}  // namespace saranga
