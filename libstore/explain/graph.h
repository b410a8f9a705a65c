// Which journal files have to go before which others. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "saranga/journal/liveness.h"

namespace saranga::store {

/// The files of a journal after a check, and the chains between them: a kept file waits for every
/// earlier kept file whose records it deletes, and that one for others.
class FileGraph {
 public:
  static constexpr std::uint32_t kTooMany = UINT32_MAX;
  static constexpr std::size_t kMostHolding = 256;

  FileGraph(const journal::Liveness& liveness, std::span<const journal::FileVerdict> verdicts);

  [[nodiscard]] std::size_t size() const { return verdicts_.size(); }
  [[nodiscard]] bool kept(std::size_t file) const {
    return verdicts_[file].state == journal::FileState::kKept;
  }
  [[nodiscard]] const journal::FileVerdict& verdict(std::size_t file) const {
    return verdicts_[file];
  }
  /// Number of the set of files that hold something of their own and have to go before this file or
  /// with it; kTooMany when there are more than kMostHolding. Only of kept files.
  [[nodiscard]] std::uint32_t holding_set(std::size_t file) const { return holding_[file]; }
  [[nodiscard]] std::span<const std::uint32_t> files_of(std::uint32_t set) const {
    return sets_[set];
  }
  [[nodiscard]] std::size_t set_count() const { return sets_.size(); }
  /// Some cancelling records in the chain are in the current file.
  [[nodiscard]] bool needs_closing(std::size_t file) const { return needs_closing_[file]; }
  /// Holds something of its own: live records, open transactions, what nothing cancels, a copy to
  /// make.
  [[nodiscard]] bool holds(std::size_t file) const { return holds_[file]; }

  /// The kept files that would go if those that `released` names held nothing any more.
  [[nodiscard]] std::vector<std::uint32_t> freed_if(
      const std::function<bool(std::size_t)>& released) const;

 private:
  [[nodiscard]] std::uint32_t chain_of(std::size_t file);
  [[nodiscard]] std::uint32_t intern(std::vector<std::uint32_t> files);

  std::span<const journal::FileVerdict> verdicts_;
  std::vector<bool> holds_;
  std::vector<bool> needs_closing_;
  std::vector<std::uint32_t> holding_;
  std::vector<std::vector<std::uint32_t>> sets_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
};

}  // namespace saranga::store
