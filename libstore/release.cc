#include "saranga/store/release.h"

#include <fmt/format.h>

#include <charconv>

namespace saranga::store {

Result<ReleaseNumber> parse_release(std::string_view text) {
  ReleaseNumber release;
  if (text == "hornetq") return release;
  const std::string problem =
      fmt::format("\"{}\" is no release: expected something like 2.19.1", text);
  const char* at = text.data();
  const char* const end = at + text.size();
  int* const numbers[] = {&release.major_number, &release.minor_number, &release.patch_number};
  for (int* number : numbers) {
    const auto [rest, code] = std::from_chars(at, end, *number);
    if (code != std::errc{} || *number < 0) return fail(ErrorCode::kInvalidArgument, problem);
    if (rest == end) return release;
    if (*rest != '.') break;
    at = rest + 1;
  }
  return fail(ErrorCode::kInvalidArgument, problem);
}

std::string release_text(const ReleaseNumber& release) {
  return fmt::format("{}.{}.{}", release.major_number, release.minor_number, release.patch_number);
}

}  // namespace saranga::store
