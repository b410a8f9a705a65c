// Asking about the locks of a broker without taking or touching them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "saranga/bytes/error.h"

namespace saranga {

/// The process that holds a POSIX record lock on any byte of a file; nothing when nobody does or
/// the file is not there. A holder in another container is reported as process 0, one that holds it
/// by an open file, as FileLock does, as process -1. Opens the file for reading only. Closing it
/// would drop this process' own record locks on it, but not a FileLock.
[[nodiscard]] SARANGA_API Result<std::optional<int>> lock_holder(const std::string& path);
/// The same of some bytes of it; 0 bytes: to its end.
[[nodiscard]] SARANGA_API Result<std::optional<int>> lock_holder(const std::string& path,
                                                                 std::uint64_t offset,
                                                                 std::uint64_t length_bytes);

/// A lock of a broker, and who holds it.
struct HeldBrokerLock {
  std::string path;  ///< the file
  int process = 0;   ///< as lock_holder() tells it
};

/// Who holds what BrokerLocks::take() would take: serverlock.1 in `folder` (from 2.10 on), or the
/// second byte of server.lock (before). Nothing when nobody does. A broker that only changes its
/// state holds the latter for milliseconds; this waits for it to let go, a quarter of a second at
/// most.
[[nodiscard]] SARANGA_API Result<std::optional<HeldBrokerLock>> held_broker_lock(
    const std::string& folder);

}  // namespace saranga
