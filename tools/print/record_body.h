// What the printers of record bodies get: the user record of a journal record.
#pragma once

#include <cstdint>

#include "saranga/bytes/bytes.h"

namespace saranga::print {

/// A view; the body belongs to the window of the scanner.
struct RecordBody {
  std::int64_t id = 0;        ///< record id
  std::int8_t user_type = 0;  ///< user record type
  bool is_update = false;     ///< from an update (plain or in a transaction)
  Bytes body{};
};

}  // namespace saranga::print
