#include "tools/cli/suggestion.h"

#include <algorithm>

namespace saranga::cli {
namespace {

constexpr std::size_t kMostMistakes = 2;
constexpr std::size_t kShortestPrefix = 2;

// Letters to insert, delete or change to get from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> suggest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = kMostMistakes + 1;
  for (const std::string& candidate : candidates) {
    const std::string_view letters =
        word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const bool begins = letters.size() >= kShortestPrefix && candidate.starts_with(word);
    const std::size_t mistakes = begins ? 0 : distance(word, candidate);
    if (mistakes >= best_distance || mistakes >= word.size()) continue;
    best = candidate;
    best_distance = mistakes;
  }
  return best;
}

}  // namespace saranga::cli
