// Who holds a broker's lock, asked without taking it.
#include "saranga/io/locks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/io/temporary_folder.h"

using saranga::lock_holder;
using saranga::test::TemporaryFolder;

namespace {

/// Another process that holds a record lock until the end of its life.
class Holder {
 public:
  /// Locks `length` bytes (0: all) from `start` on; F_WRLCK as brokers do, or F_RDLCK.
  Holder(const std::string& path, short type, off_t start, off_t length) {
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
  ~Holder() { end(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

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

}  // namespace

TEST_CASE("a lock that nobody holds has no holder") {
  const TemporaryFolder folder;
  folder.put("serverlock.1");
  const auto holder = lock_holder(folder / "serverlock.1");
  REQUIRE(holder);
  CHECK_FALSE(*holder);
}

TEST_CASE("a lock file that is not there has no holder and is not made") {
  const TemporaryFolder folder;
  for (const char* name : {"serverlock.1", "none/serverlock.1"}) {
    const auto holder = lock_holder(folder / name);
    REQUIRE(holder);
    CHECK_FALSE(*holder);
  }
  CHECK(folder.count() == 0);
}

TEST_CASE("the lock of another process is seen, and asking does not disturb it") {
  const TemporaryFolder folder;
  const std::string path = folder / "serverlock.1";
  folder.put("serverlock.1");
  Holder broker(path, F_WRLCK, 0, 0);
  for (int i = 0; i < 3; ++i) {
    const auto holder = lock_holder(path);
    REQUIRE(holder);
    REQUIRE(*holder);
    CHECK(**holder == broker.process());
  }
  broker.end();
  const auto holder = lock_holder(path);
  REQUIRE(holder);
  CHECK_FALSE(*holder);
}

TEST_CASE("a lock on a single byte counts, as old brokers take it") {
  const TemporaryFolder folder;
  const std::string path = folder / "server.lock";
  folder.put("server.lock", "L00");
  const Holder broker(path, F_WRLCK, 1, 1);
  const auto holder = lock_holder(path);
  REQUIRE(holder);
  CHECK(*holder == broker.process());
}

TEST_CASE("a shared lock counts too") {
  const TemporaryFolder folder;
  const std::string path = folder / "server.lock";
  folder.put("server.lock", "L00");
  const Holder reader(path, F_RDLCK, 0, 0);
  const auto holder = lock_holder(path);
  REQUIRE(holder);
  CHECK(*holder == reader.process());
}

TEST_CASE("asking leaves the file as it is") {
  const TemporaryFolder folder;
  const std::string path = folder / "server.lock";
  folder.put("server.lock", "P00");
  struct stat before{};
  struct stat after{};
  REQUIRE(::stat(path.c_str(), &before) == 0);
  REQUIRE(lock_holder(path));
  REQUIRE(::stat(path.c_str(), &after) == 0);
  CHECK(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
  CHECK(before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
  CHECK(folder.content("server.lock") == "P00");
}

TEST_CASE("a pipe in place of the lock file makes nobody wait") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "serverlock.1").c_str(), 0600) == 0);
  const auto holder = lock_holder(folder / "serverlock.1");
  if (holder) CHECK_FALSE(*holder);
}
