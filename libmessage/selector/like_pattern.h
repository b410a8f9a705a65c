// The patterns of LIKE (docs/format/selectors.md#like), matched without backtracking.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

#include "libmessage/selector/units.h"
#include "saranga/bytes/text.h"

namespace saranga::message::selector {

/// A compiled pattern; immutable. A pattern is a row of segments with a % between each two. Each
/// segment is looked for once, where it comes first: there is no need to ever go back over a %.
class LikePattern {
 public:
  /// `escape` is the one UTF-16 unit behind ESCAPE, kEndOfText without one. The error says what is
  /// wrong with the pattern; a constant.
  [[nodiscard]] static std::expected<LikePattern, const char*> compile(std::string_view pattern,
                                                                       std::int32_t escape);

  /// Whether the whole text fits. Linear in the text, but for segments with a `_` that follow a %:
  /// these take at worst the product of the lengths of segment and text.
  [[nodiscard]] bool matches(const Text& text) const;

 private:
  struct Segment {
    std::vector<std::int32_t> code_points;   // kAnyOne for _
    std::vector<std::uint32_t> fallbacks{};  // of the Knuth-Morris-Pratt search; empty with a _
    bool has_any_one = false;
  };
  friend class LikeCompiler;

  [[nodiscard]] static bool follows(const Segment& segment, UnitReader& reader);
  [[nodiscard]] static bool find(const Segment& segment, UnitReader& reader);
  [[nodiscard]] static bool find_with_any_one(const Segment& segment, UnitReader& reader);
  [[nodiscard]] static bool ends_with(const Segment& segment, UnitReader reader);

  std::vector<Segment> segments_;  // one more than there are %
};

}  // namespace saranga::message::selector
