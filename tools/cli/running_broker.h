// Whether a broker is running on a store, asked without touching its locks.
#pragma once

#include <optional>
#include <string>

#include "saranga/bytes/error.h"
#include "saranga/store/location.h"

namespace saranga::cli {

/// The folder that the lock files of a store are in; empty when nobody knows.
[[nodiscard]] const std::string& lock_folder(const store::Location& location);

/// The file in it that a running broker holds a lock on.
[[nodiscard]] std::string broker_lock(const std::string& lock_folder);

/// Who holds that lock, for a message: "process 7 holds /x/serverlock.1"; nothing when nobody does.
/// An error when the system does not tell.
[[nodiscard]] Result<std::optional<std::string>> running_broker(const std::string& lock_folder);

}  // namespace saranga::cli
