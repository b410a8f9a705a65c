// What an export could not carry, counted by kind.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace saranga::exporting {

/// A kind says what was lost, in the plural: "delivery counts".
class Losses {
 public:
  void add(std::string_view kind, std::uint64_t count = 1) {
    auto known = counts_.find(kind);
    if (known == counts_.end()) known = counts_.emplace(kind, 0).first;
    known->second += count;
  }
  [[nodiscard]] const auto& counts() const { return counts_; }

 private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

}  // namespace saranga::exporting
