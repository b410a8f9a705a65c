// One page file for `data show`: its entries, and how far each queue has come.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/store/pages.h"

namespace saranga::show {

/// An entry of the page.
struct PageLine {
  std::int32_t number = 0;
  std::uint64_t offset = 0;
  std::int64_t message_id = 0;
  std::int64_t tx_id = -1;  ///< page transaction, -1 for none
  std::uint64_t body_bytes = 0;
  std::vector<store::PagedReference> references{};
};

/// How far one queue has come.
struct PageCursor {
  std::uint64_t routed = 0;    ///< entries for it
  std::uint64_t consumed = 0;  ///< of these
  std::uint64_t in_doubt = 0;  ///< likewise
  bool complete = false;       ///< a record says that the whole page is consumed
};

/// All of it.
struct PageAnswer {
  std::string label;
  std::string address;
  std::int64_t number = 0;
  std::uint64_t size_bytes = 0;
  std::vector<PageLine> lines{};
  std::map<std::int64_t, PageCursor> cursors{};  ///< by queue id
};

/// "pending", "acknowledged", "prepared_ack", "prepared_send", "uncommitted" or "unbound".
[[nodiscard]] std::string_view paged_state_name(store::PagedState state);

/// Reads the page; damage goes to `sink`.
[[nodiscard]] PageAnswer read_page(const store::LoadedStore& store,
                                   const paging::PageStore& page_store, const paging::Page& page,
                                   FindingSink& sink);

}  // namespace saranga::show
