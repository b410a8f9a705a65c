// What an export could not carry, counted by kind.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace saranga::exporting {

/// Kinds are constants that say what was lost, in the plural: "delivery counts".
class Losses {
 public:
  void add(std::string_view kind, std::uint64_t count = 1) { counts_[kind] += count; }
  [[nodiscard]] const std::map<std::string_view, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<std::string_view, std::uint64_t> counts_;
};

}  // namespace saranga::exporting
