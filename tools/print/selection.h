// Which records, page entries and bodies are printed: the filter, --offset and --limit.
#pragma once

#include <string_view>
#include <utility>

#include "saranga/store/record_filter.h"
#include "tools/cli/filter_options.h"

namespace saranga::print {

/// Asked once for each thing that could be printed, in the order of printing. One thread.
class Selection {
 public:
  /// Takes everything.
  Selection() = default;
  Selection(store::RecordFilter filter, const cli::FilterOptions& options)
      : filter_(std::move(filter)), window_(options) {
    all_ = filter_.selects_all() && !options.limit && options.offset == 0;
  }

  /// Everything is printed, so nobody needs to ask.
  [[nodiscard]] bool all() const { return all_; }
  /// Whether the headings of a file are printed.
  [[nodiscard]] bool takes_file(std::string_view label) {
    return filter_.wants_file(label) && !window_.full();
  }
  [[nodiscard]] bool takes(journal::JournalKind journal, std::string_view label,
                           const journal::Record& record) {
    return all_ || (filter_.wants(journal, label, record) && window_.takes());
  }
  [[nodiscard]] bool takes(std::string_view label, std::string_view address,
                           const paging::PageEntry& entry) {
    return all_ || (filter_.wants(label, address, entry) && window_.takes());
  }
  [[nodiscard]] bool takes_body(std::string_view label, std::int64_t message_id) {
    return all_ || (filter_.wants_body(label, message_id) && window_.takes());
  }

  [[nodiscard]] const store::Filter& filter() const { return filter_.filter(); }
  [[nodiscard]] std::uint64_t taken() const { return window_.taken(); }
  [[nodiscard]] bool full() const { return window_.full(); }

 private:
  store::RecordFilter filter_;
  cli::Window window_{{}};
  bool all_ = true;
};

}  // namespace saranga::print
