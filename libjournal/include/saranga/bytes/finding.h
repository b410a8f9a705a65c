// Damage and oddities are data: readers report them to a sink and go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/bytes/export.h"

namespace saranga {

/// How bad a finding is; the exit code of a command follows from the worst one.
enum class Severity : std::uint8_t {
  kInfo,     ///< worth knowing, nothing is wrong
  kWarning,  ///< normal after a crash, or an oddity somebody should look at
  kDamage,   ///< data is damaged, lost or cannot be read
};

/// One observation. `code` is a constant in kebab-case that scripts may rely on.
struct Finding {
  std::string_view code;
  Severity severity = Severity::kInfo;
  std::string file = {};  ///< relative to the store, e.g. "journal/x.amq"
  std::optional<std::uint64_t> offset = {};
  std::optional<std::uint64_t> length_bytes = {};
  std::optional<std::int64_t> id = {};  ///< record, message or transaction id concerned
  std::string text;                     ///< what is, what should be
  std::string next = {};                ///< a command that helps, empty when none is known
  bool at_tail = false;                 ///< where a running broker writes: there it is no fault
};

/// Receives findings, in the order in which a reader meets them. What to do with them (go on, stop
/// at the first, collect) is the policy of the sink, not of the reader.
class SARANGA_API FindingSink {
 public:
  virtual ~FindingSink() = default;
  virtual void finding(Finding finding) = 0;
};

}  // namespace saranga
