// The paged messages of a loaded store, one after the other, with what the journals say of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saranga/paging/page_file.h"
#include "saranga/store/loader.h"

namespace saranga::store {

/// What a paged message is to one of the queues it was routed to.
enum class PagedState : std::uint8_t {
  kPending,      ///< to be delivered, behind the journal's messages
  kConsumed,     ///< acknowledged, by itself or with its whole page
  kInDoubtAck,   ///< a prepared transaction has acknowledged it
  kInDoubtSend,  ///< sent by a prepared transaction
  kUncommitted,  ///< sent by a transaction that never committed
  kUnbound,      ///< not consumed, but the queue has no binding on this address
};

struct PagedReference {
  std::int64_t queue = 0;
  PagedState state = PagedState::kPending;
  /// Of kUnbound: what it would be if the queue had its binding: pending or in doubt. Otherwise the
  /// state.
  PagedState if_bound = PagedState::kPending;
};

/// One paged message; views hold until the visitor returns.
struct VisitedEntry {
  const paging::PageStore* page_store = nullptr;
  const paging::Page* page = nullptr;
  std::string_view label;  ///< "paging/<folder>/000000001.page"
  paging::PageEntry entry{};
  paging::PagedMessage paged{};
  MessageFacts facts{};
  std::vector<PagedReference> references{};
  std::size_t trailing_bytes = 0;  ///< behind the fields that are known
};

/// Receives the entries in the order of addresses, pages and positions.
class SARANGA_API PageVisitor {
 public:
  virtual ~PageVisitor() = default;
  virtual void entry(const VisitedEntry& entry) = 0;
  /// Whether a page is to be read at all.
  virtual bool wants_page(const paging::PageStore& page_store, const paging::Page& page) {
    (void)page_store;
    (void)page;
    return true;
  }
  /// Asked behind every entry: whether nothing more is wanted. The page then has no end_page().
  virtual bool done() { return false; }
  /// The end of a page, with its account.
  virtual void end_page(const paging::PageStore& page_store, const paging::Page& page,
                        const paging::PageScanner& scanner) {
    (void)page_store;
    (void)page;
    (void)scanner;
  }
};

/// Visits every entry of every page of the addresses that `only_address` names; empty = all. Damage
/// goes to `sink`; an entry that does not decode is reported and left out.
SARANGA_API void visit_pages(const LoadedStore& store, std::string_view only_address,
                             PageVisitor& visitor, FindingSink& sink);

/// Visits the entries of one page. Several threads may visit different pages of a loaded store,
/// each with a visitor and a sink of its own.
SARANGA_API void visit_page(const LoadedStore& store, const paging::PageStore& page_store,
                            const paging::Page& page, PageVisitor& visitor, FindingSink& sink);

}  // namespace saranga::store
