// Prints the paging folder: every entry of every page, with what the journals say of it.
#pragma once

#include <cstdint>
#include <set>

#include "saranga/io/directory.h"
#include "saranga/journal/scanner.h"
#include "tools/print/print_session.h"

namespace saranga::print {

struct PagesRequest {
  std::string label;            ///< "paging"
  std::int64_t max_pages = -1;  ///< of each address; -1 = all
  const paging::Cursors* cursors = nullptr;
  const std::set<std::int64_t>* queues = nullptr;  ///< that have a binding
};

/// What the pages hold in sum.
struct PagesFacts {
  std::uint64_t stores = 0;
  std::uint64_t pages = 0;
  std::uint64_t messages = 0;
  std::uint64_t entry_bytes = 0;
  std::uint64_t unreadable_bytes = 0;
  std::set<std::int64_t> transactions;  ///< page transactions that an entry names
  std::set<std::int64_t> large_bodies;  ///< message ids with a body file
  std::set<std::int64_t> queues;        ///< routed to
};

[[nodiscard]] Result<PagesFacts> print_pages(PrintSession& session,
                                             const ReadableDirectory& directory,
                                             const PagesRequest& request);

/// Prints the entries of one page file that was named by itself.
[[nodiscard]] Result<PagesFacts> print_page(PrintSession& session,
                                            const ReadableDirectory& directory,
                                            const paging::Page& page, const PagesRequest& request);

}  // namespace saranga::print
