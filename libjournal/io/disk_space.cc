#include "saranga/io/disk_space.h"

#include <sys/statvfs.h>

#include <cerrno>

#include "libjournal/io/descriptor.h"

namespace saranga {

Result<std::uint64_t> free_disk_bytes(const std::string& path) {
  struct statvfs status{};
  while (::statvfs(path.c_str(), &status) != 0) {
    if (errno != EINTR) return system_error(errno, "cannot ask for free space", path);
  }
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

}  // namespace saranga
