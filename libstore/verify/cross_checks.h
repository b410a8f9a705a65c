// What records, pages, bodies and bindings say of each other, once all of them have been read.
// Private to this folder.
#pragma once

#include "libstore/verify/page_checker.h"
#include "libstore/verify/record_checker.h"

namespace saranga::store {

/// All that the checks work on.
struct CrossInput {
  const LoadedStore& store;
  const VerifyOptions& options;
  const GatheredRecords& records;
  const GatheredPages& pages;
};

/// Transactions without outcome, and those in doubt.
void check_transactions(const CrossInput& input, FindingSink& sink);

/// Messages, references and bodies of the journal. Returns the bytes of the body files that a
/// message or page entry refers to.
std::uint64_t check_messages(const CrossInput& input, FindingSink& sink);

/// Cursors, counters and transactions of pages.
void check_paging(const CrossInput& input, FindingSink& sink);

/// Queues, addresses, the id counter, and what else is configured.
void check_bindings(const CrossInput& input, FindingSink& sink);

/// Generations of messages, the target release, caches of duplicate ids.
void check_releases(const CrossInput& input, FindingSink& sink);

}  // namespace saranga::store
