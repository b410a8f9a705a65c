#include "saranga/io/locks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

namespace saranga {

namespace {

constexpr int kAttempts = 5;
constexpr long kPauseNs = 50'000'000;

}  // namespace

Result<std::optional<int>> lock_holder(const std::string& path) { return lock_holder(path, 0, 0); }

Result<std::optional<int>> lock_holder(const std::string& path, std::uint64_t offset,
                                       std::uint64_t length_bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<int>{};
    return fail(ErrorCode::kIo, std::string("cannot open: ") + std::strerror(errno), path);
  }
  struct flock wanted{};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = static_cast<off_t>(offset);
  wanted.l_len = static_cast<off_t>(length_bytes);
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

Result<std::optional<HeldBrokerLock>> held_broker_lock(const std::string& folder) {
  const std::string primary = folder + "/serverlock.1";
  const auto now = lock_holder(primary);
  if (!now) return std::unexpected(now.error());
  if (*now) return HeldBrokerLock{.path = primary, .process = **now};
  const std::string state = folder + "/server.lock";
  for (int attempt = 1;; ++attempt) {
    const auto older = lock_holder(state, 1, 1);
    if (!older) return std::unexpected(older.error());
    if (!*older) return std::nullopt;
    if (attempt == kAttempts) return HeldBrokerLock{.path = state, .process = **older};
    const timespec pause{.tv_sec = 0, .tv_nsec = kPauseNs};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace saranga
