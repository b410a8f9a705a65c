#include "libstore/prepared_index.h"

#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

template <class Map>
std::int64_t find_in(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? -1 : found->second;
}

}  // namespace

PreparedIndex::PreparedIndex(const Model& model) {
  for (const PreparedTransaction& transaction : model.prepared()) {
    for (const Fact& fact : transaction.records) {
      switch (fact.user_type) {
        case message::kAddReference:
        case message::kAcknowledgeReference:
          references_.insert_or_assign({fact.id, fact.queue}, transaction.tx_id);
          break;
        case message::kAcknowledgeCursor:
          paged_.insert_or_assign({fact.queue, fact.value, fact.count}, transaction.tx_id);
          break;
        case message::kPageTransaction:
          page_transactions_.insert_or_assign(fact.queue, transaction.tx_id);
          break;
        default: break;
      }
    }
  }
}

std::int64_t PreparedIndex::of_reference(std::int64_t message, std::int64_t queue) const {
  return find_in(references_, {message, queue});
}

std::int64_t PreparedIndex::of_paged(std::int64_t queue, std::int64_t page,
                                     std::int64_t number) const {
  return find_in(paged_, {queue, page, number});
}

std::int64_t PreparedIndex::of_page_transaction(std::int64_t page_tx) const {
  return find_in(page_transactions_, page_tx);
}

}  // namespace saranga::store
