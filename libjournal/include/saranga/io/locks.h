// Asking about the locks of a broker without taking or touching them.
#pragma once

#include <optional>
#include <string>

#include "saranga/bytes/error.h"

namespace saranga {

/// The process that holds a POSIX record lock on any byte of a file; nothing when nobody does or
/// the file is not there. A holder in another container is reported as process 0. Opens the file
/// for reading only. Closing it would drop this process' own locks on it: a writer must not call
/// this for a file that it has locked.
[[nodiscard]] SARANGA_API Result<std::optional<int>> lock_holder(const std::string& path);

}  // namespace saranga
