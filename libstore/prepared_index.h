// Which prepared transaction has what in doubt. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "saranga/store/model.h"

namespace saranga::store {

/// Made once from a loaded model; small, because little is in doubt at a time.
class PreparedIndex {
 public:
  explicit PreparedIndex(const Model& model);

  /// The transaction that has sent or acknowledged a message of the journal; -1 for none.
  [[nodiscard]] std::int64_t of_reference(std::int64_t message, std::int64_t queue) const;
  /// The transaction that has acknowledged a paged message; -1 for none.
  [[nodiscard]] std::int64_t of_paged(std::int64_t queue, std::int64_t page,
                                      std::int64_t number) const;
  /// The transaction that a page transaction belongs to; -1 for none.
  [[nodiscard]] std::int64_t of_page_transaction(std::int64_t page_tx) const;

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> references_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t> paged_;
  std::map<std::int64_t, std::int64_t> page_transactions_;
};

}  // namespace saranga::store
