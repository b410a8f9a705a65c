#include "libstore/verify/section_ends.h"

#include <algorithm>
#include <vector>

#include "saranga/bytes/cursor.h"

namespace saranga::store {
namespace {

// Small sections are stepped over many at a time, large ones read nothing but this.
constexpr std::size_t kWindowBytes = std::size_t{4} << 10;
// A descriptor is a number as a rule; one that is a text is told by its size, too.
constexpr std::size_t kLongestHead = 512;

constexpr std::uint8_t kDescribed = 0x00;

// What follows the constructor of a value: so many bytes, or as many as a size of one or four bytes
// in front of them says (docs/format/amqp.md#amqp-values).
std::optional<std::uint64_t> content_bytes(std::uint8_t constructor, Cursor& cursor) {
  constexpr std::uint8_t kFixed[] = {0, 1, 2, 4, 8, 16};
  const unsigned kind = constructor >> 4;
  if (kind >= 4 && kind <= 9) return kFixed[kind - 4];
  if (kind == 0xA || kind == 0xC || kind == 0xE) return cursor.u8();
  if (kind == 0xB || kind == 0xD || kind == 0xF) return static_cast<std::uint32_t>(cursor.i32());
  return std::nullopt;
}

/// What the first bytes of a section say.
struct Head {
  bool is_section = true;
  bool is_whole = true;          // the bytes reach to the size of its value
  std::uint64_t size_bytes = 0;  // of the section, when they do
};

Head read_head(Bytes bytes) {
  constexpr Head kNoSection{.is_section = false};
  constexpr Head kCut{.is_whole = false};
  Cursor cursor(bytes);
  if (cursor.u8() != kDescribed) return kNoSection;
  const std::uint8_t descriptor = cursor.u8();
  if (!cursor.ok()) return kCut;
  const auto named = content_bytes(descriptor, cursor);
  if (!named) return kNoSection;
  if (!cursor.ok() || cursor.remaining() < *named) return kCut;
  (void)cursor.take(*named);
  const std::uint8_t constructor = cursor.u8();
  if (!cursor.ok()) return kCut;
  const auto content = content_bytes(constructor, cursor);
  // A described value again has its size further behind; nobody writes such a body.
  if (!content) return kNoSection;
  if (!cursor.ok()) return kCut;
  return {.size_bytes = bytes.size() - cursor.remaining() + *content};
}

}  // namespace

std::optional<CutSection> find_cut_section(const ReadableFile& file, std::uint64_t size_bytes,
                                           std::uint64_t from) {
  std::vector<std::byte> window(kWindowBytes);
  std::uint64_t begin = 0;  // of the window
  std::size_t filled = 0;
  for (std::uint64_t at = from; at < size_bytes;) {
    const std::uint64_t left = size_bytes - at;
    const bool held =
        at >= begin && begin + filled >= at + std::min<std::uint64_t>(left, kLongestHead);
    if (!held) {
      const auto got = file.read_at(at, window);
      if (!got || *got == 0) return std::nullopt;
      begin = at;
      filled = *got;
    }
    const Head head = read_head(Bytes(window).subspan(at - begin, filled - (at - begin)));
    if (!head.is_section) return std::nullopt;
    if (!head.is_whole) {
      if (left > kLongestHead) return std::nullopt;
      return CutSection{.offset = at, .end = size_bytes + 1, .needs_bytes = 1};
    }
    if (head.size_bytes > left) {
      return CutSection{
          .offset = at, .end = at + head.size_bytes, .needs_bytes = head.size_bytes - left};
    }
    at += head.size_bytes;
  }
  return std::nullopt;
}

}  // namespace saranga::store
