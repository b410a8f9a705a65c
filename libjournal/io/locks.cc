#include "saranga/io/locks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace saranga {

Result<std::optional<int>> lock_holder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<int>{};
    return fail(ErrorCode::kIo, std::string("cannot open: ") + std::strerror(errno), path);
  }
  struct flock wanted{};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  const int asked = ::fcntl(descriptor, F_GETLK, &wanted);
  const int number = errno;
  ::close(descriptor);
  if (asked != 0) {
    return fail(ErrorCode::kIo, std::string("cannot ask for the lock: ") + std::strerror(number),
                path);
  }
  if (wanted.l_type == F_UNLCK) return std::optional<int>{};
  return std::optional<int>(static_cast<int>(wanted.l_pid));
}

}  // namespace saranga
