#include "libmessage/selector/like_pattern.h"

#include <utility>

namespace saranga::message::selector {
namespace {

constexpr std::int32_t kAnyOne = -2;
constexpr std::int32_t kNothing = -1;
constexpr char kBadEscape[] = "Artemis cannot handle a doubled escape character below U+0010 there";

std::int32_t hex_digit(std::int32_t c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return kNothing;
}

}  // namespace

/// Splits a pattern into segments. Artemis turns patterns into regular expressions and writes an
/// escaped character as \x and its hexadecimal digits, of which the expression takes exactly two;
/// that shows for doubled escape characters of one, three or four digits, and is done here, too.
class LikeCompiler {
 public:
  explicit LikeCompiler(std::int32_t escape) : escape_(escape) {
    pattern_.segments_.emplace_back();
  }

  std::expected<LikePattern, const char*> run(std::string_view text) {
    UnitReader reader{Text(text)};
    for (std::int32_t c; !bad_ && (c = reader.next_code_point()) != kEndOfText;) {
      UnitReader ahead = reader;
      const std::int32_t next = ahead.next_code_point();
      if (c == escape_ && (next == '%' || next == '_' || next == escape_)) {
        reader = ahead;
        put_escaped(next);
      } else {
        put(c);
      }
    }
    if (bad_ || half_ != kNothing) return std::unexpected(kBadEscape);
    for (LikePattern::Segment& segment : pattern_.segments_) prepare(segment);
    return std::move(pattern_);
  }

 private:
  void put(std::int32_t c) {
    if (half_ != kNothing) return finish_half(c);
    if (c == '%') {
      pattern_.segments_.emplace_back();
      return;
    }
    pattern_.segments_.back().code_points.push_back(c == '_' ? kAnyOne : c);
    if (c == '_') pattern_.segments_.back().has_any_one = true;
  }

  void put_literal(std::int32_t c) { pattern_.segments_.back().code_points.push_back(c); }

  void put_escaped(std::int32_t c) {
    static constexpr char kDigits[] = "0123456789abcdef";
    if (half_ != kNothing) {
      bad_ = true;
    } else if (c < 0x10) {
      half_ = c;
    } else if (c <= 0xFF) {
      put_literal(c);
    } else {
      const int unread = c <= 0xFFF ? 4 : 8;  // bits of the digits that the expression leaves over
      put_literal(c >> unread);
      for (int shift = unread - 4; shift >= 0; shift -= 4) put_literal(kDigits[(c >> shift) & 15]);
    }
  }

  // A single digit takes the next character for its second one.
  void finish_half(std::int32_t c) {
    const std::int32_t digit = hex_digit(c);
    if (digit == kNothing) {
      bad_ = true;
      return;
    }
    put_literal(half_ * 16 + digit);
    half_ = kNothing;
  }

  static void prepare(LikePattern::Segment& segment) {
    if (segment.has_any_one) return;
    const std::vector<std::int32_t>& wanted = segment.code_points;
    segment.fallbacks.assign(wanted.size(), 0);
    std::uint32_t matched = 0;
    for (std::size_t i = 1; i < wanted.size(); ++i) {
      while (matched > 0 && wanted[i] != wanted[matched]) matched = segment.fallbacks[matched - 1];
      if (wanted[i] == wanted[matched]) ++matched;
      segment.fallbacks[i] = matched;
    }
  }

  LikePattern pattern_;
  std::int32_t escape_;
  std::int32_t half_ = kNothing;
  bool bad_ = false;
};

std::expected<LikePattern, const char*> LikePattern::compile(std::string_view pattern,
                                                             std::int32_t escape) {
  return LikeCompiler(escape).run(pattern);
}

bool LikePattern::matches(const Text& text) const {
  UnitReader reader(text);
  if (!follows(segments_.front(), reader)) return false;
  if (segments_.size() == 1) return reader.next_code_point() == kEndOfText;
  for (std::size_t i = 1; i + 1 < segments_.size(); ++i) {
    if (!find(segments_[i], reader)) return false;
  }
  return ends_with(segments_.back(), reader);
}

// Whether the segment comes next; the reader is behind it then.
bool LikePattern::follows(const Segment& segment, UnitReader& reader) {
  for (const std::int32_t wanted : segment.code_points) {
    const std::int32_t c = reader.next_code_point();
    if (c == kEndOfText || (c != wanted && wanted != kAnyOne)) return false;
  }
  return true;
}

// Moves the reader behind the first place where the segment stands.
bool LikePattern::find(const Segment& segment, UnitReader& reader) {
  const std::vector<std::int32_t>& wanted = segment.code_points;
  if (segment.has_any_one) return find_with_any_one(segment, reader);
  for (std::size_t matched = 0; matched < wanted.size();) {
    const std::int32_t c = reader.next_code_point();
    if (c == kEndOfText) return false;
    while (matched > 0 && c != wanted[matched]) matched = segment.fallbacks[matched - 1];
    if (c == wanted[matched]) ++matched;
  }
  return true;
}

bool LikePattern::find_with_any_one(const Segment& segment, UnitReader& reader) {
  while (true) {
    UnitReader start = reader;
    if (follows(segment, start)) {
      reader = start;
      return true;
    }
    if (reader.next_code_point() == kEndOfText) return false;
  }
}

bool LikePattern::ends_with(const Segment& segment, UnitReader reader) {
  if (segment.code_points.empty()) return true;
  std::size_t left = 0;
  for (UnitReader counter = reader; counter.next_code_point() != kEndOfText;) ++left;
  if (left < segment.code_points.size()) return false;
  for (; left > segment.code_points.size(); --left) (void)reader.next_code_point();
  return follows(segment, reader);
}

}  // namespace saranga::message::selector
