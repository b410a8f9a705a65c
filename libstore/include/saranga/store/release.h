// Releases of Artemis by number.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "saranga/bytes/error.h"

namespace saranga::store {

/// "2.19.1". What came before 1.0 (HornetQ) is 0.
struct ReleaseNumber {
  int major_number = 0;
  int minor_number = 0;
  int patch_number = 0;

  friend auto operator<=>(const ReleaseNumber&, const ReleaseNumber&) = default;
};

/// Reads "2.19.1", "2.19" or "2"; "hornetq" is release 0.
[[nodiscard]] SARANGA_API Result<ReleaseNumber> parse_release(std::string_view text);

/// "2.19.1".
[[nodiscard]] SARANGA_API std::string release_text(const ReleaseNumber& release);

}  // namespace saranga::store
