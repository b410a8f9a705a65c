// Whether a broker is running on a store, asked without touching its locks.
#pragma once

#include <optional>
#include <string>

#include "saranga/bytes/error.h"
#include "saranga/io/locks.h"
#include "saranga/store/location.h"

namespace saranga::cli {

/// The folder that the lock files of a store are in; empty when nobody knows.
[[nodiscard]] const std::string& lock_folder(const store::Location& location);

/// Who holds its lock, for a message: "process 7".
[[nodiscard]] std::string holder_of(const HeldBrokerLock& held);

/// The lock of a running broker, of whichever release, in that folder; nothing when nobody holds
/// one. An error when the system does not tell.
[[nodiscard]] Result<std::optional<HeldBrokerLock>> running_broker(const std::string& lock_folder);

}  // namespace saranga::cli
