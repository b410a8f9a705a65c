// The search for the few messages whose acknowledgement frees most files. Private to this folder.
#pragma once

#include <vector>

#include "libstore/explain/journal.h"

namespace saranga::store {

/// Greedy: takes the files that free most bytes for each message, again and again.
class AcknowledgementSearch {
 public:
  /// `freed_at_start` tells of each file whether the next start lets it go anyway.
  AcknowledgementSearch(const LoadedStore& store, const JournalExplainer& journal,
                        const HolderFinder& finder, const std::vector<bool>& freed_at_start,
                        const ExplainOptions& options);

  /// The steps, best first; each counts what it frees besides the ones before.
  [[nodiscard]] std::vector<Advice> find();

 private:
  /// Files that wait for the same ones.
  struct Group {
    std::uint32_t set = 0;
    std::vector<std::uint32_t> files{};
    std::uint64_t bytes = 0;
    bool freed = false;
  };
  struct Gain {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;

    [[nodiscard]] bool better_than(const Gain& other) const;
  };

  [[nodiscard]] bool can_acknowledge(std::size_t file) const;
  void make_groups(const std::vector<bool>& freed_at_start);
  void choose_candidates();
  [[nodiscard]] std::uint64_t messages_left(std::uint32_t set);
  [[nodiscard]] bool goes_with(const Group& group, const Group& chosen) const;
  [[nodiscard]] Gain gain_of(const Group& chosen);
  [[nodiscard]] Advice take(Group& chosen, std::size_t step);
  void list_messages(std::vector<Advice>& steps) const;

  const LoadedStore& store_;
  const JournalExplainer& journal_;
  const HolderFinder& finder_;
  const ExplainOptions& options_;
  std::vector<Group> groups_;
  std::vector<std::size_t> candidates_;      // indexes in groups_
  std::vector<bool> released_;               // by file: holds nothing any more
  std::vector<std::uint32_t> step_of_file_;  // which step released it
  std::vector<bool> acknowledged_;           // by cohort
  std::vector<std::uint32_t> seen_;          // by cohort: the last sum that counted it
  std::uint32_t counting_ = 0;
  std::uint64_t work_ = 0;  // looks at cohorts so far
};

}  // namespace saranga::store
