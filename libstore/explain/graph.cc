#include "libstore/explain/graph.h"

#include <algorithm>
#include <iterator>

namespace saranga::store {

FileGraph::FileGraph(const journal::Liveness& liveness,
                     std::span<const journal::FileVerdict> verdicts)
    : verdicts_(verdicts),
      holds_(verdicts.size()),
      needs_closing_(verdicts.size()),
      holding_(verdicts.size(), kTooMany) {
  for (std::size_t file = 0; file < verdicts.size(); ++file) {
    if (!kept(file)) continue;
    const journal::FileVerdict& verdict = verdicts[file];
    const std::uint64_t left = verdict.uncancelled(liveness.file(file));
    holds_[file] = left > verdict.cancelled_by_current || verdict.retention_pending;
    needs_closing_[file] = left > 0 && verdict.cancelled_by_current > 0;
    for (const journal::Cancelling& earlier : verdict.needed_for) {
      if (needs_closing_[earlier.file]) needs_closing_[file] = true;
    }
    holding_[file] = chain_of(file);
  }
}

// Earlier files come first, so what their chains hold is known already.
std::uint32_t FileGraph::chain_of(std::size_t file) {
  std::vector<std::uint32_t> parts;
  for (const journal::Cancelling& earlier : verdicts_[file].needed_for) {
    const std::uint32_t set = holding_[earlier.file];
    if (set == kTooMany) return kTooMany;
    parts.push_back(set);
  }
  std::ranges::sort(parts);
  const auto rest = std::ranges::unique(parts);
  parts.erase(rest.begin(), rest.end());
  std::vector<std::uint32_t> files;
  if (holds_[file]) files.push_back(static_cast<std::uint32_t>(file));
  for (const std::uint32_t part : parts) {
    std::vector<std::uint32_t> both;
    std::ranges::set_union(files, sets_[part], std::back_inserter(both));
    if (both.size() > kMostHolding) return kTooMany;
    files = std::move(both);
  }
  return intern(std::move(files));
}

std::uint32_t FileGraph::intern(std::vector<std::uint32_t> files) {
  const auto [found, fresh] = numbers_.try_emplace(files, static_cast<std::uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(std::move(files));
  return found->second;
}

std::vector<std::uint32_t> FileGraph::freed_if(
    const std::function<bool(std::size_t)>& released) const {
  std::vector<std::uint32_t> freed;
  std::vector<bool> stays(verdicts_.size());
  for (std::size_t file = 0; file < verdicts_.size(); ++file) {
    if (!kept(file)) continue;
    bool goes = !holds_[file] || released(file);
    for (const journal::Cancelling& earlier : verdicts_[file].needed_for) {
      if (stays[earlier.file]) goes = false;
    }
    if (goes) freed.push_back(static_cast<std::uint32_t>(file));
    stays[file] = !goes;
  }
  return freed;
}

}  // namespace saranga::store
