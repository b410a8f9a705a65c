// Patterns for names, as a shell has them: * any characters, ? one, [a-z] one of a set, [!a-z] one
// not of it, \ takes the next character as it is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "saranga/bytes/error.h"

namespace saranga::store {

/// A compiled pattern. Immutable. Matching takes at most the product of pattern and name; there is
/// no backtracking beyond the last star, and the pattern is limited, so it is linear in the name.
class SARANGA_API Glob {
 public:
  static constexpr std::size_t kMaximumPatternBytes = 4096;

  /// Compiles a pattern of UTF-8. kInvalidArgument when a set is not closed or the pattern is too
  /// long.
  [[nodiscard]] static Result<Glob> compile(std::string_view pattern);

  /// Whether the whole name fits. A byte that is no UTF-8 counts as one character.
  [[nodiscard]] bool matches(std::string_view name) const;
  /// Whether the pattern is more than a name.
  [[nodiscard]] bool has_wildcards() const { return wildcards_; }

 private:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  struct Element {
    enum class Kind : std::uint8_t { kCharacter, kAny, kSet, kStar };
    Kind kind = Kind::kCharacter;
    bool negated = false;
    std::uint32_t character = 0;
    std::uint32_t first_range = 0;  ///< of a set, in ranges_
    std::uint32_t range_count = 0;
  };

  [[nodiscard]] Result<void> add_set(std::string_view& rest);
  [[nodiscard]] bool fits(const Element& element, std::uint32_t character) const;

  std::vector<Element> elements_;
  std::vector<Range> ranges_;
  bool wildcards_ = false;
};

}  // namespace saranga::store
