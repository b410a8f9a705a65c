// The pages that an import writes. Private to this folder.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libstore/import/import_journals.h"
#include "saranga/paging/page_writer.h"

namespace saranga::store {

/// A message for a page of its address.
struct NewEntry {
  std::string_view address;
  Bytes encoded;  ///< body of a record of type 45, or of 30 when `core_large`
  bool core_large = false;
  bool amqp_large = false;
  std::int64_t tx_id = -1;  ///< prepared transaction that has sent it
  std::span<const std::int64_t> queues;
};

/// Writes entries, address by address, and remembers what the journal has to say of them.
class ImportPages {
 public:
  explicit ImportPages(WritableDirectory& folder) : folder_(folder) {}

  [[nodiscard]] Result<paging::PagePosition> append(const NewEntry& entry);
  /// A prepared transaction has acknowledged an entry.
  void acknowledge(std::int64_t tx_id, std::int64_t queue, paging::PagePosition position) {
    acknowledgements_[tx_id].push_back({queue, position});
  }
  /// Writes the records of a prepared transaction about pages. `next_id` gives ids.
  [[nodiscard]] Result<void> prepare(std::int64_t tx_id, ImportJournal& journal,
                                     std::int64_t& next_id);
  /// Writes the counters, which releases before 2.28 believe, and syncs.
  [[nodiscard]] Result<void> finish(ImportJournal& journal, std::int64_t& next_id);

 private:
  struct Acknowledgement {
    std::int64_t queue;
    paging::PagePosition position;
  };
  struct Counter {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
  };
  [[nodiscard]] Result<void> open(std::string_view address);
  [[nodiscard]] Result<void> close();

  WritableDirectory& folder_;
  std::map<std::string, std::string, std::less<>> folders_;  // by address
  std::string address_;                                      // of the pages that are open
  std::unique_ptr<WritableDirectory> directory_;
  std::unique_ptr<paging::PageWriter> writer_;
  std::map<std::int64_t, std::vector<Acknowledgement>> acknowledgements_;  // by transaction
  std::map<std::int64_t, std::int64_t> sends_;  // references, by transaction
  std::map<std::int64_t, Counter> counters_;    // by queue
};

}  // namespace saranga::store
