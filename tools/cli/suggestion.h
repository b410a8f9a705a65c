// "Did you mean": the known word that a mistyped one comes nearest to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saranga::cli {

/// The candidate that begins with `word`, or is at most two typing mistakes away from it; nothing
/// when none is that near. Of several the nearest, of those the first.
[[nodiscard]] std::optional<std::string> suggest(std::string_view word,
                                                 const std::vector<std::string>& candidates);

}  // namespace saranga::cli
