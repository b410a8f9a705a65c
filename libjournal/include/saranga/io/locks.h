// Asking about the locks of a broker without taking or touching them.
#pragma once

#include <optional>
#include <string>

#include "saranga/bytes/error.h"

namespace saranga {

/// The process that holds a POSIX record lock on any byte of a file; nothing when nobody does or
/// the file is not there. A holder in another container is reported as process 0, one that holds it
/// by an open file, as FileLock does, as process -1. Opens the file for reading only. Closing it
/// would drop this process' own record locks on it, but not a FileLock.
[[nodiscard]] SARANGA_API Result<std::optional<int>> lock_holder(const std::string& path);

}  // namespace saranga
