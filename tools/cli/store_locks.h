// The locks that a verb holds while it writes to a store that is there.
#pragma once

#include <string_view>
#include <vector>

#include "saranga/io/broker_locks.h"
#include "saranga/store/location.h"
#include "tools/cli/context.h"

namespace saranga::cli {

/// The lock of Artemis' own commands, when the store belongs to an instance, and those of a broker.
/// Held until it is destroyed.
class StoreLocks {
 public:
  struct Options {
    bool ignore_commands = false;  ///< leaves the first one alone (--f)
    bool quiet = false;
    std::string_view instead{};  ///< ends the advice when the folder of the locks is not known
  };

  /// Waits a second for whoever may only be changing the state of the store, and says so. kBusy
  /// when somebody holds one of them for longer.
  [[nodiscard]] static Result<StoreLocks> take(const Context& context,
                                               const store::Location& location,
                                               const Options& options);

 private:
  std::vector<FileLock> commands_;
  std::vector<BrokerLocks> broker_;
};

}  // namespace saranga::cli
