#include "saranga/store/glob.h"

#include <algorithm>
#include <optional>
#include <span>

#include "saranga/bytes/utf8.h"

namespace saranga::store {

Result<Glob> Glob::compile(std::string_view pattern) {
  if (pattern.size() > kMaximumPatternBytes) {
    return fail(ErrorCode::kInvalidArgument, "the pattern is longer than 4096 bytes");
  }
  Glob glob;
  std::string_view rest = pattern;
  while (!rest.empty()) {
    std::uint32_t character = take_code_point(rest);
    if (character == '[') {
      if (auto added = glob.add_set(rest); !added) return std::unexpected(added.error());
      continue;
    }
    Element element;
    if (character == '*') {
      element.kind = Element::Kind::kStar;
    } else if (character == '?') {
      element.kind = Element::Kind::kAny;
    } else {
      if (character == '\\' && !rest.empty()) character = take_code_point(rest);
      element.character = character;
    }
    glob.wildcards_ |= element.kind != Element::Kind::kCharacter;
    const bool second_star = element.kind == Element::Kind::kStar && !glob.elements_.empty() &&
                             glob.elements_.back().kind == Element::Kind::kStar;
    if (!second_star) glob.elements_.push_back(element);
  }
  return glob;
}

// Reads a set up to its bracket; `rest` is behind the opening one.
Result<void> Glob::add_set(std::string_view& rest) {
  Element element{.kind = Element::Kind::kSet,
                  .first_range = static_cast<std::uint32_t>(ranges_.size())};
  if (!rest.empty() && (rest.front() == '!' || rest.front() == '^')) {
    element.negated = true;
    rest.remove_prefix(1);
  }
  for (bool first = true;; first = false) {
    if (rest.empty()) return fail(ErrorCode::kInvalidArgument, "a '[' without its ']'");
    std::uint32_t from = take_code_point(rest);
    if (from == ']' && !first) break;
    if (from == '\\' && !rest.empty()) from = take_code_point(rest);
    Range range{from, from};
    if (rest.size() > 1 && rest[0] == '-' && rest[1] != ']') {
      rest.remove_prefix(1);
      range.last = take_code_point(rest);
      if (range.last == '\\' && !rest.empty()) range.last = take_code_point(rest);
    }
    ranges_.push_back(range);
  }
  element.range_count = static_cast<std::uint32_t>(ranges_.size()) - element.first_range;
  elements_.push_back(element);
  wildcards_ = true;
  return {};
}

bool Glob::fits(const Element& element, std::uint32_t character) const {
  if (element.kind == Element::Kind::kCharacter) return element.character == character;
  if (element.kind == Element::Kind::kAny) return true;
  const auto ranges = std::span(ranges_).subspan(element.first_range, element.range_count);
  const bool inside = std::ranges::any_of(
      ranges, [&](Range r) { return r.first <= character && character <= r.last; });
  return inside != element.negated;
}

// When something does not fit, only the last star may take one character more: what came before it
// fits anyhow.
bool Glob::matches(std::string_view name) const {
  std::size_t at = 0;
  std::optional<std::size_t> star{};
  std::string_view retry{};
  while (!name.empty()) {
    if (at < elements_.size() && elements_[at].kind == Element::Kind::kStar) {
      star = at++;
      retry = name;
      continue;
    }
    std::string_view behind = name;
    const std::uint32_t character = take_code_point(behind);
    if (at < elements_.size() && fits(elements_[at], character)) {
      ++at;
      name = behind;
    } else if (star) {
      at = *star + 1;
      (void)take_code_point(retry);
      name = retry;
    } else {
      return false;
    }
  }
  if (at < elements_.size() && elements_[at].kind == Element::Kind::kStar) ++at;
  return at == elements_.size();
}

}  // namespace saranga::store
