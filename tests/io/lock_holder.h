// A lock that somebody else holds.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

namespace saranga::test {

/// Another process that holds a record lock until the end of its life.
class LockHolder {
 public:
  /// Locks `length` bytes (0: all) from `start` on; F_WRLCK as brokers do, or F_RDLCK.
  LockHolder(const std::string& path, short type, off_t start, off_t length) {
    int ready[2];
    int stop[2];
    REQUIRE(::pipe(ready) == 0);
    REQUIRE(::pipe(stop) == 0);
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      ::close(stop[1]);
      hold(path, type, start, length, ready[1], stop[0]);
    }
    ::close(ready[1]);
    ::close(stop[0]);
    stop_ = stop[1];
    char answer = 'n';
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    ::close(ready[0]);
    REQUIRE(answer == 'y');
  }
  ~LockHolder() { end(); }
  LockHolder(const LockHolder&) = delete;
  LockHolder& operator=(const LockHolder&) = delete;

  [[nodiscard]] int process() const { return child_; }
  void end() {
    if (stop_ < 0) return;
    ::close(stop_);
    stop_ = -1;
    ::waitpid(child_, nullptr, 0);
  }

 private:
  [[noreturn]] static void hold(const std::string& path, short type, off_t start, off_t length,
                                int ready, int stop) {
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    const char answer = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
    if (::write(ready, &answer, 1) != 1) ::_exit(1);
    char ignored = 0;
    while (::read(stop, &ignored, 1) > 0) {
    }
    ::_exit(0);
  }

  pid_t child_ = -1;
  int stop_ = -1;
};

}  // namespace saranga::test
