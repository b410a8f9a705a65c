#include "tools/cli/humanise.h"

#include <fmt/format.h>

#include <iterator>

namespace saranga::cli {

std::string human_bytes(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 1023.5 would print as 1024 of the smaller unit.
  while (value >= 1023.5 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, digits);
  while (digits > 0 && text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + " " + kUnits[unit];
}

std::string human_count(std::uint64_t count) {
  std::string text = fmt::format("{}", count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string human_age(std::int64_t age_ms) {
  struct Unit {
    std::uint64_t ms;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{std::uint64_t{365} * 24 * 3600 * 1000, "y"},
                                    {24 * 3600 * 1000, "d"},
                                    {3600 * 1000, "h"},
                                    {60 * 1000, "m"},
                                    {1000, "s"}};
  // Negating the most negative number would overflow.
  const std::uint64_t span =
      age_ms < 0 ? 0 - static_cast<std::uint64_t>(age_ms) : static_cast<std::uint64_t>(age_ms);
  const std::string ahead = age_ms < 0 ? "in " : "";
  for (std::size_t i = 0; i < std::size(kUnits); ++i) {
    if (span < kUnits[i].ms) continue;
    std::string text = fmt::format("{}{}{}", ahead, span / kUnits[i].ms, kUnits[i].name);
    if (i + 1 == std::size(kUnits)) return text;
    const std::uint64_t rest = span % kUnits[i].ms / kUnits[i + 1].ms;
    return rest == 0 ? text : text + fmt::format(" {}{}", rest, kUnits[i + 1].name);
  }
  return fmt::format("{}{}ms", ahead, span);
}

std::string human_plural(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", human_count(count), noun, count == 1 ? "" : "s");
}

}  // namespace saranga::cli
