#include "tools/cli/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace saranga::cli {

Result<Input> Input::open(const std::string& path, const std::atomic<bool>* interrupted) {
  if (path == "-") return Input(STDIN_FILENO, "standard input", interrupted);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                std::string("cannot open: ") + std::strerror(errno), path);
  }
  Input input(descriptor, path, interrupted);
  struct stat status{};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    input.size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  }
  return input;
}

Input::Input(Input&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      label_(std::move(other.label_)),
      size_bytes_(other.size_bytes_),
      interrupted_(other.interrupted_) {}

Input::~Input() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

// Until there is something to read, or the end. A signal does not end read() itself: it may come
// just before that. False when the run is interrupted.
bool Input::wait() const {
  constexpr int kPauseMs = 100;
  if (interrupted_ == nullptr || size_bytes_ != 0) return true;
  pollfd asked{.fd = descriptor_, .events = POLLIN, .revents = 0};
  while (!interrupted_->load(std::memory_order_relaxed)) {
    const int ready = ::poll(&asked, 1, kPauseMs);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
  return false;
}

Result<std::size_t> Input::read(std::span<char> to) {
  while (true) {
    if (!wait()) return fail(ErrorCode::kIo, "interrupted", label_);
    const ssize_t count = ::read(descriptor_, to.data(), to.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    return fail(ErrorCode::kIo, std::string("cannot read: ") + std::strerror(errno), label_);
  }
}

}  // namespace saranga::cli
