#include "saranga/io/broker_locks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "libjournal/io/descriptor.h"

namespace saranga {
namespace {

// A broker holds the state lock for some milliseconds at a time; a backup asks for it every two
// seconds.
constexpr int kAttempts = 20;
constexpr long kPauseNs = 50'000'000;

struct flock lock_request(FileLock::Range range) {
  struct flock request{};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  request.l_start = static_cast<off_t>(range.offset);
  request.l_len = static_cast<off_t>(range.length_bytes);
  return request;
}

// A lock of the open file, which the system compares with those of processes. Where there are none,
// one of the process has to do.
int try_lock(int descriptor, FileLock::Range range) {
  struct flock request = lock_request(range);
  int done = ::fcntl(descriptor, F_OFD_SETLK, &request);
  if (done != 0 && errno == EINVAL) {
    request = lock_request(range);
    done = ::fcntl(descriptor, F_SETLK, &request);
  }
  return done == 0 ? 0 : errno;
}

std::string holder_of(int descriptor, FileLock::Range range) {
  struct flock request = lock_request(range);
  if (::fcntl(descriptor, F_OFD_GETLK, &request) != 0 || request.l_type == F_UNLCK) return {};
  return request.l_pid > 0 ? " by process " + std::to_string(request.l_pid) : std::string();
}

Result<void> fill(int descriptor, const std::string& content, const std::string& path) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t count = ::write(descriptor, content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno, "cannot write", path);
    done += static_cast<std::size_t>(count);
  }
  if (!content.empty() && ::fsync(descriptor) != 0) return system_error(errno, "cannot sync", path);
  return {};
}

Result<Descriptor> open_or_make(const std::string& path, const std::string& content) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NONBLOCK;
  Descriptor opened(::open(path.c_str(), kFlags));
  if (opened.get() >= 0) return opened;
  if (errno != ENOENT) return system_error(errno, "cannot open for locking", path);
  Descriptor made(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666));
  if (made.get() < 0) return system_error(errno, "cannot create", path);
  if (auto filled = fill(made.get(), content, path); !filled) {
    return std::unexpected(filled.error());
  }
  return made;
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& path, Range range, const std::string& content) {
  auto opened = open_or_make(path, content);
  if (!opened) return std::unexpected(opened.error());
  const int number = try_lock(opened->get(), range);
  if (number == EAGAIN || number == EACCES) {
    return fail(ErrorCode::kBusy, "is locked" + holder_of(opened->get(), range), path);
  }
  if (number != 0) return system_error(number, "cannot lock", path);
  return FileLock(opened->release());
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

namespace {

// Tries again for a while when somebody else may let go of it at once.
Result<FileLock> take_patiently(const std::string& path, FileLock::Range range,
                                const std::string& content) {
  for (int attempt = 1;; ++attempt) {
    auto lock = FileLock::take(path, range, content);
    if (lock || lock.error().code != ErrorCode::kBusy || attempt == kAttempts) return lock;
    const timespec pause{.tv_sec = 0, .tv_nsec = kPauseNs};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace

Result<BrokerLocks> BrokerLocks::take(const std::string& folder) {
  const std::string state = folder + "/server.lock";
  const std::string primary = folder + "/serverlock.1";
  const auto is_there = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
  const auto lock_state = [&] {
    // A node that was never started; a broker adds its id when it finds none.
    return take_patiently(state, {.offset = 1, .length_bytes = 1}, "000");
  };
  // What is there goes first: a broker that runs has made its files, and whoever is refused because
  // of it has made none.
  const bool state_first = is_there(state);
  std::vector<FileLock> locks;
  const auto keep = [&](Result<FileLock> lock) -> Result<void> {
    if (!lock) return std::unexpected(lock.error());
    locks.push_back(std::move(*lock));
    return {};
  };
  Result<void> done;
  if (state_first) done = keep(lock_state());
  if (done) done = keep(FileLock::take(primary, {}));
  if (done && !state_first) done = keep(lock_state());
  if (!done) return std::unexpected(done.error());
  return BrokerLocks(std::move(locks));
}

}  // namespace saranga
