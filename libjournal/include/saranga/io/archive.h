// A folder inside of a .tar, .tar.gz or .zip: a support case is read without unpacking it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "saranga/io/directory.h"

namespace saranga {

/// Whether a file's name says that it is an archive that open_archive() reads.
[[nodiscard]] SARANGA_API bool is_archive_name(std::string_view name);

struct ArchiveLimits {
  /// What compressed members may take in memory, runs of zeros not counted.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t members = 1000000;
  /// What one compressed member may be long, runs of zeros counted.
  std::uint64_t member_bytes = std::uint64_t{1} << 36;
};

/// Opens an archive as a folder. Members that lie in the file as they are (tar, stored zip members)
/// are read from there; compressed ones are inflated into memory once, of which zeros take none:
/// the unused part of journal files costs nothing. Links stand for what they lead to; one that
/// leads out of the archive is listed as unreadable. Names that leave the archive ("../x") are
/// refused. kUnsupported when a limit is exceeded: unpack it then.
[[nodiscard]] SARANGA_API Result<std::unique_ptr<ReadableDirectory>> open_archive(
    const std::string& path, ArchiveLimits limits = {});

}  // namespace saranga
