// How much room there is on a disk.
#pragma once

#include <cstdint>
#include <string>

#include "saranga/bytes/error.h"

namespace saranga {

/// The bytes that this process may still write to the file system of a file or folder.
[[nodiscard]] SARANGA_API Result<std::uint64_t> free_disk_bytes(const std::string& path);

}  // namespace saranga
