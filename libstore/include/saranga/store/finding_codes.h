// Every code of a finding about a store: at which level of checking it comes up, and which command
// helps (docs/findings.md says of each what it means and what to do).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "saranga/bytes/finding.h"

namespace saranga::store {

/// How deep a check goes; each level includes those before it.
enum class CheckLevel : std::uint8_t {
  kHeader,        ///< names, sizes and headers of files
  kFraming,       ///< every byte is a record, a page entry, a remnant, fill, or damage
  kTransactions,  ///< which records have an outcome, and whether their numbers agree
  kBodies,        ///< every body decodes to its last byte
  kCross,         ///< what records, pages, bodies and bindings say of each other
};

/// "header", "framing", "transactions", "bodies" or "cross". A constant.
[[nodiscard]] SARANGA_API std::string_view level_name(CheckLevel level);

/// One code.
struct FindingCode {
  std::string_view code;
  CheckLevel level;
};

/// All of them, by level.
[[nodiscard]] SARANGA_API std::span<const FindingCode> finding_codes();
/// Null for a code that is not in the list.
[[nodiscard]] SARANGA_API const FindingCode* find_finding_code(std::string_view code);

/// A word as a shell takes it for one: quoted if it has to be.
[[nodiscard]] SARANGA_API std::string shell_quoted(std::string_view word);

/// A command that shows more about the finding; empty when there is none. `store` is how the
/// command line names the store, ready for a shell.
[[nodiscard]] SARANGA_API std::string suggest_next(const Finding& finding, std::string_view store);

}  // namespace saranga::store
