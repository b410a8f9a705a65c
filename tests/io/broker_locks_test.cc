// Taking a broker's locks: what it does to files, and whom it keeps out.
#include "saranga/io/broker_locks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>
#include <tuple>

#include "saranga/io/locks.h"
#include "tests/io/lock_holder.h"
#include "tests/io/temporary_folder.h"

using namespace saranga;
using saranga::test::LockHolder;
using saranga::test::TemporaryFolder;

namespace {

// Whether another process could lock these bytes, as a Java process asks for it.
bool another_can_lock(const std::string& path, off_t start, off_t length) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    ::_exit(file >= 0 && ::fcntl(file, F_SETLK, &lock) == 0 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("the locks keep brokers of every release out, and are gone with their owner") {
  const TemporaryFolder folder;
  {
    const auto locks = BrokerLocks::take(folder.path());
    REQUIRE(locks);
    CHECK_FALSE(another_can_lock(folder / "serverlock.1", 0, 0));
    CHECK_FALSE(another_can_lock(folder / "server.lock", 0, 0));
    CHECK_FALSE(another_can_lock(folder / "server.lock", 1, 1));
    CHECK(another_can_lock(folder / "server.lock", 2, 1));
  }
  CHECK(another_can_lock(folder / "serverlock.1", 0, 0));
  CHECK(another_can_lock(folder / "server.lock", 0, 0));
}

TEST_CASE("missing lock files are made as a broker makes them") {
  const TemporaryFolder folder;
  REQUIRE(BrokerLocks::take(folder.path()));
  CHECK(folder.content("server.lock") == "000");
  CHECK(folder.content("serverlock.1").empty());
  CHECK(folder.count() == 2);
}

TEST_CASE("lock files that are there stay as they are") {
  const TemporaryFolder folder;
  folder.put("server.lock", "P00abcdefghijklmnop");
  folder.put("serverlock.1");
  struct stat before{};
  struct stat after{};
  REQUIRE(::stat((folder / "server.lock").c_str(), &before) == 0);
  REQUIRE(BrokerLocks::take(folder.path()));
  REQUIRE(::stat((folder / "server.lock").c_str(), &after) == 0);
  CHECK(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
  CHECK(folder.content("server.lock") == "P00abcdefghijklmnop");
}

TEST_CASE("asking who holds the lock does not lose it") {
  const TemporaryFolder folder;
  const auto locks = BrokerLocks::take(folder.path());
  REQUIRE(locks);
  REQUIRE(lock_holder(folder / "serverlock.1"));
  CHECK_FALSE(another_can_lock(folder / "serverlock.1", 0, 0));
}

TEST_CASE("a running broker is named, and nothing is made") {
  const TemporaryFolder folder;
  folder.put("server.lock", "L00");
  folder.put("serverlock.1");
  const LockHolder broker(folder / "serverlock.1", F_WRLCK, 0, 0);
  const auto locks = BrokerLocks::take(folder.path());
  REQUIRE_FALSE(locks);
  CHECK(locks.error().code == ErrorCode::kBusy);
  CHECK(locks.error().file == folder / "serverlock.1");
  CHECK(locks.error().text == "is locked by process " + std::to_string(broker.process()));
  CHECK(another_can_lock(folder / "server.lock", 1, 1));
  CHECK(folder.count() == 2);
}

TEST_CASE("a broker before 2.10 is noticed by its byte of server.lock") {
  const TemporaryFolder folder;
  folder.put("server.lock", "L00");
  const LockHolder broker(folder / "server.lock", F_WRLCK, 1, 1);
  const auto locks = BrokerLocks::take(folder.path());
  REQUIRE_FALSE(locks);
  CHECK(locks.error().code == ErrorCode::kBusy);
  CHECK(folder.count() == 1);
}

TEST_CASE("asking finds the lock of a broker of any release, and makes nothing") {
  const TemporaryFolder folder;
  const auto free = held_broker_lock(folder.path());
  REQUIRE(free);
  CHECK_FALSE(*free);
  CHECK(folder.count() == 0);
  folder.put("server.lock", "L00");
  folder.put("serverlock.1");
  for (const auto& [name, start, length] :
       {std::tuple("serverlock.1", 0, 0), std::tuple("server.lock", 1, 1)}) {
    const LockHolder broker(folder / name, F_WRLCK, start, length);
    const auto held = held_broker_lock(folder.path());
    REQUIRE(held);
    REQUIRE(*held);
    CHECK((*held)->path == folder / name);
    CHECK((*held)->process == broker.process());
  }
  const LockHolder state(folder / "server.lock", F_WRLCK, 0, 1);
  const LockHolder backup(folder / "server.lock", F_WRLCK, 2, 1);
  const auto other = held_broker_lock(folder.path());
  REQUIRE(other);
  CHECK_FALSE(*other);
}

TEST_CASE("two writers exclude each other in one process too") {
  const TemporaryFolder folder;
  const auto first = BrokerLocks::take(folder.path());
  REQUIRE(first);
  const auto second = BrokerLocks::take(folder.path());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::kBusy);
}

TEST_CASE("a folder that is not there cannot be locked") {
  const TemporaryFolder folder;
  const auto locks = BrokerLocks::take(folder / "none");
  REQUIRE_FALSE(locks);
  CHECK(locks.error().code == ErrorCode::kNotFound);
}
