// Counts findings by code, and tells which of them are still to be shown.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "saranga/bytes/finding.h"

namespace saranga::verify {

class FindingCounts {
 public:
  /// Without a limit all are shown.
  explicit FindingCounts(std::optional<std::uint64_t> limit) : limit_(limit) {}

  /// Counts a finding; whether it is to be shown.
  [[nodiscard]] bool takes(const Finding& finding) {
    ++severities_[static_cast<std::size_t>(finding.severity)];
    const std::uint64_t count = ++codes_[finding.code];
    return !limit_ || count <= *limit_;
  }
  /// By code; codes are constants.
  [[nodiscard]] const std::map<std::string_view, std::uint64_t>& codes() const { return codes_; }
  [[nodiscard]] std::uint64_t of(Severity severity) const {
    return severities_[static_cast<std::size_t>(severity)];
  }
  [[nodiscard]] std::uint64_t left_out(std::string_view code) const {
    const auto found = codes_.find(code);
    if (!limit_ || found == codes_.end() || found->second <= *limit_) return 0;
    return found->second - *limit_;
  }

 private:
  std::optional<std::uint64_t> limit_;
  std::map<std::string_view, std::uint64_t> codes_;
  std::uint64_t severities_[3] = {};
};

}  // namespace saranga::verify
