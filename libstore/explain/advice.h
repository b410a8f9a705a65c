// What to do, and what it gives. Private to this folder.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "libstore/explain/journal.h"

namespace saranga::store {

/// Fills Explanation::queues and ::advice from everything else in it.
class Adviser {
 public:
  Adviser(const LoadedStore& store, JournalExplainer& journal, const HolderFinder& finder,
          const ExplainOptions& options, Explanation& explanation);

  void advise();

 private:
  /// What alone keeps a file, besides what a start removes.
  struct Sole {
    enum class Kind : std::uint8_t { kNothing, kQueue, kTransaction, kMore };
    Kind kind = Kind::kNothing;
    std::int64_t id = 0;
    void add(Kind added, std::int64_t added_id);
  };

  [[nodiscard]] Sole sole_of_file(std::size_t file) const;
  [[nodiscard]] static Sole sole_of(const std::vector<std::int64_t>& queues,
                                    const std::vector<std::int64_t>& transactions);
  void find_soles();
  /// What goes besides what a start lets go anyway, when the files that `released` names hold
  /// nothing.
  [[nodiscard]] Freed freed_when(const std::function<bool(std::size_t)>& released) const;
  void add_bodies(const PreparedTransaction& prepared, bool commit, Freed& freed) const;
  [[nodiscard]] Freed freed_by_commit(const PreparedTransaction& prepared) const;
  [[nodiscard]] Freed freed_by_rollback(const PreparedTransaction& prepared) const;
  [[nodiscard]] bool is_sole(std::size_t file, Sole::Kind kind, std::int64_t id) const;
  void count_usage();
  void count_when_empty();
  void count_pages(std::map<std::int64_t, Freed>& freed) const;
  void advise_checks();
  void advise_start();
  void advise_acknowledging();
  void advise_queues();
  void advise_transactions();
  void advise_compaction();

  const LoadedStore& store_;
  JournalExplainer& journal_;
  const HolderFinder& finder_;
  const ExplainOptions& options_;
  Explanation& out_;
  std::vector<Sole> soles_;           // by journal file
  std::vector<bool> freed_at_start_;  // by journal file
  std::uint64_t edges_ = 0;
};

}  // namespace saranga::store
