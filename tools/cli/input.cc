#include "tools/cli/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace saranga::cli {

Result<Input> Input::open(const std::string& path) {
  if (path == "-") return Input(STDIN_FILENO, "standard input");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                std::string("cannot open: ") + std::strerror(errno), path);
  }
  Input input(descriptor, path);
  struct stat status{};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    input.size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  }
  return input;
}

Input::Input(Input&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      label_(std::move(other.label_)),
      size_bytes_(other.size_bytes_) {}

Input::~Input() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

Result<std::size_t> Input::read(std::span<char> to) {
  while (true) {
    const ssize_t count = ::read(descriptor_, to.data(), to.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    return fail(ErrorCode::kIo, std::string("cannot read: ") + std::strerror(errno), label_);
  }
}

}  // namespace saranga::cli
