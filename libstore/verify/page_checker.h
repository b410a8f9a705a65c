// The checks of pages, one job a page, and what they gather for the checks across the store.
// Private to this folder.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libstore/verify/record_checker.h"
#include "saranga/bytes/id_hash.h"
#include "saranga/store/pages.h"

namespace saranga::store {

/// References that pages hold of one page transaction, by what became of them.
struct PageTransactionUse {
  std::uint64_t alive = 0;     ///< to be acknowledged still, in doubt or not
  std::uint64_t unbound = 0;   ///< of queues that are gone: whether they were counted is not known
  std::uint64_t messages = 0;  ///< entries
};

// A page can name as many queue ids as it likes; those without a binding are kept up to here.
inline constexpr std::size_t kMostUnboundIds = std::size_t{1} << 16;

/// One page as it was read.
struct CheckedPage {
  std::int64_t entry_count = 0;
  std::uint64_t size_bytes = 0;
  bool damaged = false;  ///< entries may be missing
};

struct GatheredPages {
  /// By address, then page number; of the two stores of a doubled address both.
  std::map<std::string, std::map<std::int64_t, CheckedPage>, std::less<>> pages{};
  /// Of page transactions that the journal knows.
  IdMap<PageTransactionUse> transactions{};
  IdMap<std::uint64_t> counted_by_queue{};
  journal::IdSet large_ids{};
  UsedId highest_id;  ///< of messages and transactions
  TargetTally target;
  /// Messages that are still to be consumed by queue ids without a binding on the address, in the
  /// order of page stores and ids; at most kMostUnboundIds of them.
  std::map<std::pair<const paging::PageStore*, std::int64_t>, std::uint64_t> unbound{};
  bool too_many_unbound = false;
  PartAccount account{.part = "paging"};
  std::uint64_t message_count = 0;
  std::uint64_t live_message_count = 0;  ///< of these: somebody is still to consume them
};

/// Submits a job for each page.
class PageChecker {
 public:
  /// All must outlive the jobs.
  PageChecker(const LoadedStore& store, const VerifyOptions& options, FindingSink& sink,
              JobRunner& jobs)
      : store_(store), options_(options), sink_(sink), jobs_(jobs) {}

  /// Submits the next page; false when there is none left.
  [[nodiscard]] bool step();
  [[nodiscard]] GatheredPages& gathered() { return gathered_; }

 private:
  class PageJob;

  const LoadedStore& store_;
  const VerifyOptions& options_;
  FindingSink& sink_;
  JobRunner& jobs_;
  GatheredPages gathered_;
  std::size_t next_store_ = 0;
  std::size_t next_page_ = 0;
};

}  // namespace saranga::store
