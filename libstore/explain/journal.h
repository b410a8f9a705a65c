// One journal explained: its files, what holds them and what has to happen. Private to this folder.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "libstore/explain/graph.h"
#include "libstore/explain/pins.h"

namespace saranga::store {

/// Shares while they are counted; there can be very many queues.
struct ShareCount {
  std::map<std::int64_t, QueueShare> queues{};
  std::map<std::int64_t, TransactionShare> transactions{};

  QueueShare& queue(std::int64_t id) {
    QueueShare& share = queues[id];
    share.queue_id = id;
    return share;
  }
  TransactionShare& transaction(std::int64_t tx_id, bool prepared) {
    TransactionShare& share = transactions[tx_id];
    share.tx_id = tx_id;
    share.prepared = prepared;
    return share;
  }
  /// Most messages first.
  [[nodiscard]] std::vector<QueueShare> by_messages() const;
  /// Most bytes first.
  [[nodiscard]] std::vector<QueueShare> by_bytes() const;
  /// Ascending.
  [[nodiscard]] std::vector<TransactionShare> by_id() const;
};

/// A journal with the sums by file and holder. Views of the store and its accounting.
class JournalExplainer {
 public:
  /// `finder` is null for the bindings journal.
  JournalExplainer(const LoadedJournal& loaded, journal::JournalKind kind,
                   const journal::Liveness& liveness, const HolderFinder* finder);
  JournalExplainer(const JournalExplainer&) = delete;
  JournalExplainer& operator=(const JournalExplainer&) = delete;

  [[nodiscard]] std::vector<JournalFileReport> reports(const Model& model);
  /// What has to happen for the files of a set; nothing when counting it would take too long.
  [[nodiscard]] std::optional<Needs> needs_of(std::uint32_t set);

  [[nodiscard]] const LoadedJournal& loaded() const { return loaded_; }
  [[nodiscard]] const journal::Liveness& liveness() const { return liveness_; }
  [[nodiscard]] const std::vector<journal::FileVerdict>& verdicts() const { return verdicts_; }
  [[nodiscard]] const PinTable& pins() const { return pins_; }
  [[nodiscard]] const FileGraph& graph() const { return graph_; }
  /// Transactions without outcome that wrote to a file.
  [[nodiscard]] const std::vector<TransactionShare>& open_in(std::size_t file) const {
    return open_[file];
  }
  [[nodiscard]] std::uint64_t size_of(std::size_t file) const {
    return loaded_.folder.files[file].size_bytes;
  }
  /// A positive that nothing will ever cancel.
  [[nodiscard]] bool is_stuck(std::size_t file) const {
    return liveness_.file(file).replaced_records + verdicts_[file].cancelled_too_early > 0;
  }

 private:
  [[nodiscard]] JournalFileReport report(std::size_t file, const Model& model);
  void add_holders(JournalFileReport& report, std::size_t file) const;
  void add_cohort(Needs& needs, ShareCount& count, const Cohort& cohort) const;

  const LoadedJournal& loaded_;
  journal::JournalKind kind_;
  const journal::Liveness& liveness_;
  std::vector<journal::FileVerdict> verdicts_;
  PinTable pins_;
  FileGraph graph_;
  std::vector<std::vector<TransactionShare>> open_;  // by file
  std::vector<std::uint32_t> seen_;                  // by cohort: the last set that counted it
  std::uint32_t counting_ = 0;
  std::uint64_t work_ = 0;
};

/// The share of a type in a list that has one for each type.
RecordShare& share_of(std::vector<RecordShare>& shares, journal::JournalKind journal,
                      std::int8_t user_type);

}  // namespace saranga::store
