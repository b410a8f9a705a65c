// The locks that a verb holds while it writes to a store that is there.
#pragma once

#include <string_view>
#include <vector>

#include "saranga/io/broker_locks.h"
#include "saranga/store/location.h"

namespace saranga::cli {

/// The lock of Artemis' own commands, when the store belongs to an instance, and those of a broker.
/// Held until it is destroyed.
class StoreLocks {
 public:
  /// kBusy when somebody holds one of them. `ignore_commands` leaves the first one alone (--f).
  /// `instead` ends the advice when the folder of the locks is not known.
  [[nodiscard]] static Result<StoreLocks> take(const store::Location& location,
                                               bool ignore_commands, std::string_view instead);

 private:
  std::vector<FileLock> commands_;
  std::vector<BrokerLocks> broker_;
};

}  // namespace saranga::cli
