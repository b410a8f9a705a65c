// Whether the bodies of large messages are what their records say. Private to the library.
#pragma once

#include <string_view>
#include <vector>

#include "saranga/store/loader.h"

namespace saranga::store {

/// The record or page entry that refers to a body.
struct LargeReference {
  const message::StoredMessage* message = nullptr;
  std::string_view file{};  ///< label
  std::uint64_t offset = 0;
  bool durable = true;
  bool paged = false;
  bool inflate = false;  ///< read a compressed body to its end
  bool open = true;      ///< look into the file, and not only at its length
};

/// Checks the body file of one message. Several threads may do so at the same time.
void check_large_body(const LoadedStore& store, const LargeReference& reference,
                      std::vector<Finding>& findings);

}  // namespace saranga::store
