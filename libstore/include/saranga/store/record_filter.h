// The one filter, asked of records and page entries instead of messages on queues: for verbs that
// show what is in the files, live or not.
#pragma once

#include <string_view>

#include "saranga/bindings/catalog.h"
#include "saranga/bytes/finding.h"
#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/format.h"
#include "saranga/paging/page_file.h"
#include "saranga/store/filter.h"

namespace saranga::store {

/// Whether a record fits a filter. Everything that is said has to be true of the record: one that
/// names no queue fits no --queue, one that holds no message fits no --where. Used by one thread.
class SARANGA_API RecordFilter {
 public:
  /// Selects everything.
  RecordFilter() = default;
  /// `catalog` tells the names of queues.
  RecordFilter(Filter filter, bindings::Catalog catalog, std::int64_t now_ms)
      : filter_(std::move(filter)), catalog_(std::move(catalog)), now_ms_(now_ms) {
    filter_.survey(catalog_);
  }

  [[nodiscard]] bool selects_all() const { return filter_.selects_all(); }
  /// `label` is the file's name in findings: "journal/activemq-data-1.amq".
  [[nodiscard]] bool wants_file(std::string_view label) { return filter_.wants_file(label); }
  [[nodiscard]] bool wants(journal::JournalKind journal, std::string_view label,
                           const journal::Record& record);
  /// An entry of a page; `address` is that of its folder.
  [[nodiscard]] bool wants(std::string_view label, std::string_view address,
                           const paging::PageEntry& entry);
  /// The body file of the message with this id.
  [[nodiscard]] bool wants_body(std::string_view label, std::int64_t message_id);

  [[nodiscard]] const Filter& filter() const { return filter_; }

 private:
  [[nodiscard]] bool wants_binding(const journal::Record& record);
  [[nodiscard]] bool wants_fact(const journal::Record& record);
  [[nodiscard]] bool wants_named_queue(std::int64_t id);
  [[nodiscard]] bool wants_transaction_of(const journal::Record& record, std::int64_t page_tx_id);

  Filter filter_;
  bindings::Catalog catalog_;
  std::int64_t now_ms_ = 0;
};

/// The catalog of a bindings folder, read on its own. What is wrong in it is reported by whoever
/// reads the bindings for themselves. Errors are failures to list the folder.
[[nodiscard]] SARANGA_API Result<bindings::Catalog> load_catalog(const ReadableDirectory& bindings);

}  // namespace saranga::store
