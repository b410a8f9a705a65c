// The logical difference of two stores: which messages one has and the other has not, whatever
// their files look like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saranga/store/digest.h"
#include "saranga/store/filter.h"

namespace saranga::store {

/// How a message differs.
enum class Difference : std::uint8_t {
  kMissing,    ///< in the first store, not in the second
  kExtra,      ///< in the second store, not in the first
  kDifferent,  ///< the same id on the same queue, with another content
  kMoved,      ///< the same message on another queue
};

/// "missing", "extra", "different" or "moved". A constant.
[[nodiscard]] SARANGA_API std::string_view difference_name(Difference difference);

/// One message that differs.
struct MessageDifference {
  Difference difference = Difference::kMissing;
  std::string queue;  ///< where the first store has it; where the second has it, when it is extra
  std::string other_queue;  ///< of a moved message: where the second store has it
  std::int64_t id = 0;
  std::int64_t other_id = 0;  ///< in the second store, when it has it
  std::string place;          ///< file:offset in the store that `queue` speaks of
};

/// A queue or address that only one of the stores has, or whose settings differ.
struct CatalogDifference {
  Difference difference = Difference::kMissing;
  bool is_address = false;
  std::string name;
  std::string detail;  ///< "routing type: ANYCAST, MULTICAST"
};

struct StoreDifference {
  std::vector<CatalogDifference> catalog;
  std::vector<MessageDifference> messages;  ///< by queue and position
  std::uint64_t equal = 0;                  ///< messages that are the same in both
  [[nodiscard]] bool empty() const { return catalog.empty() && messages.empty(); }
};

/// What is compared. A filter remembers what it has seen of a store, so each store has its own;
/// without them everything is compared.
struct DiffOptions {
  DigestOptions digest{};
  Filter* first_filter = nullptr;
  Filter* second_filter = nullptr;
};

/// Compares what is live. Messages are the same when queue, id and content are; with `ids` off, a
/// message with another id but the same content on the same queue is the same as well.
[[nodiscard]] SARANGA_API StoreDifference diff_stores(const LoadedStore& first,
                                                      const LoadedStore& second,
                                                      const DiffOptions& options,
                                                      FindingSink& sink);

}  // namespace saranga::store
