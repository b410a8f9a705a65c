// Who holds a broker's lock, asked without taking it.
#include "saranga/io/locks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/io/lock_holder.h"
#include "tests/io/temporary_folder.h"

using saranga::lock_holder;
using saranga::test::LockHolder;
using saranga::test::TemporaryFolder;

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
  LockHolder broker(path, F_WRLCK, 0, 0);
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
  const LockHolder broker(path, F_WRLCK, 1, 1);
  const auto holder = lock_holder(path);
  REQUIRE(holder);
  CHECK(*holder == broker.process());
}

TEST_CASE("a shared lock counts too") {
  const TemporaryFolder folder;
  const std::string path = folder / "server.lock";
  folder.put("server.lock", "L00");
  const LockHolder reader(path, F_RDLCK, 0, 0);
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
