// A file that is there whole or not at all.
#include "saranga/io/replacer.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <string>

#include "tests/io/temporary_folder.h"

using saranga::ErrorCode;
using saranga::Replacer;
using saranga::test::TemporaryFolder;

namespace {

unsigned mode_of(const std::string& path) {
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

/// The mask of a process, set for one test.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

/// Lets no file of this process grow beyond a size, as a full disk would.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t size) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{.rlim_cur = size, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

}  // namespace

TEST_CASE("a file appears with its whole content when it is committed, not before") {
  const TemporaryFolder folder;
  auto out = Replacer::create(folder / "out", false);
  REQUIRE(out);
  REQUIRE((*out)->write("first "));
  REQUIRE((*out)->write(""));
  REQUIRE((*out)->write(std::string(100'000, 'x')));
  CHECK(::access((folder / "out").c_str(), F_OK) != 0);
  REQUIRE((*out)->commit());
  CHECK(folder.content("out") == "first " + std::string(100'000, 'x'));
  out->reset();
  CHECK(folder.count() == 1);
}

TEST_CASE("without a commit nothing is left behind") {
  const TemporaryFolder folder;
  {
    auto out = Replacer::create(folder / "out", false);
    REQUIRE(out);
    REQUIRE((*out)->write("half of it"));
    CHECK(folder.count() == 1);  // the file beside the place
  }
  CHECK(folder.count() == 0);
}

TEST_CASE("an existing file is replaced only when that was asked for") {
  const TemporaryFolder folder;
  folder.put("out", "old");
  const auto refused = Replacer::create(folder / "out", false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kExists);
  CHECK(refused.error().file == folder / "out");
  auto out = Replacer::create(folder / "out", true);
  REQUIRE(out);
  REQUIRE((*out)->write("new"));
  CHECK(folder.content("out") == "old");
  SECTION("and keeps its content until the commit") {
    REQUIRE((*out)->commit());
    CHECK(folder.content("out") == "new");
  }
  SECTION("and for ever when there is none") {
    out->reset();
    CHECK(folder.content("out") == "old");
  }
  out = {};
  CHECK(folder.count() == 1);
}

TEST_CASE("a reader that has the old file open keeps it") {
  const TemporaryFolder folder;
  folder.put("out", "old");
  const int reader = ::open((folder / "out").c_str(), O_RDONLY);
  REQUIRE(reader >= 0);
  auto out = Replacer::create(folder / "out", true);
  REQUIRE(out);
  REQUIRE((*out)->write("new"));
  REQUIRE((*out)->commit());
  char bytes[4] = {};
  CHECK(::read(reader, bytes, sizeof bytes) == 3);
  CHECK(std::string(bytes) == "old");
  ::close(reader);
}

TEST_CASE("a new file has the mode that the process gives to its files") {
  const TemporaryFolder folder;
  for (const mode_t mask : {0022U, 0077U, 0027U}) {
    const Umask umask(mask);
    const std::string name = "out" + std::to_string(mask);
    auto out = Replacer::create(folder / name, false);
    REQUIRE(out);
    REQUIRE((*out)->commit());
    CHECK(mode_of(folder / name) == (0666U & ~mask));
  }
}

TEST_CASE("a replaced file keeps its mode") {
  const TemporaryFolder folder;
  for (const mode_t mode : {0600U, 0640U, 0755U}) {
    folder.put("out", "old");
    REQUIRE(::chmod((folder / "out").c_str(), mode) == 0);
    auto out = Replacer::create(folder / "out", true);
    REQUIRE(out);
    REQUIRE((*out)->commit());
    CHECK(mode_of(folder / "out") == mode);
  }
}

TEST_CASE("what is no regular file is not replaced") {
  const TemporaryFolder folder;
  folder.put("file", "x");
  folder.folder("folder");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  REQUIRE(::symlink("file", (folder / "link").c_str()) == 0);
  REQUIRE(::symlink("nowhere", (folder / "broken").c_str()) == 0);
  for (const char* name : {"folder", "pipe", "link", "broken"}) {
    INFO(name);
    const auto out = Replacer::create(folder / name, true);
    REQUIRE_FALSE(out);
    CHECK(out.error().code == ErrorCode::kUnsupported);
  }
  CHECK(folder.count() == 5);
}

TEST_CASE("a folder that is not there is an error at once") {
  const TemporaryFolder folder;
  const auto out = Replacer::create(folder / "none/out", false);
  REQUIRE_FALSE(out);
  CHECK(out.error().code == ErrorCode::kIo);
  CHECK(folder.count() == 0);
}

TEST_CASE("a disk that fills up leaves the old file and nothing else") {
  const TemporaryFolder folder;
  folder.put("out", "old");
  {
    auto out = Replacer::create(folder / "out", true);
    REQUIRE(out);
    const SmallDisk disk(8192);
    REQUIRE((*out)->write(std::string(5000, 'x')));
    const auto failed = (*out)->write(std::string(5000, 'x'));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == ErrorCode::kIo);
    CHECK(failed.error().file == folder / "out");
  }
  CHECK(folder.content("out") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("a place that is taken by a folder meanwhile leaves nothing behind") {
  const TemporaryFolder folder;
  auto out = Replacer::create(folder / "out", false);
  REQUIRE(out);
  REQUIRE((*out)->write("x"));
  folder.folder("out");
  const auto failed = (*out)->commit();
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kIo);
  out->reset();
  CHECK(folder.count() == 1);
}

TEST_CASE("leftovers of others beside the place are not touched") {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<Replacer>> outs;
  for (int i = 0; i < 5; ++i) {
    auto out = Replacer::create(folder / "out", true);
    REQUIRE(out);
    REQUIRE((*out)->write(std::to_string(i)));
    outs.push_back(std::move(*out));
  }
  CHECK(folder.count() == 5);
  for (const auto& out : outs) REQUIRE(out->commit());
  outs.clear();
  CHECK(folder.content("out") == "4");
  CHECK(folder.count() == 1);
}

TEST_CASE("a name without a folder means the current one") {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  auto out = Replacer::create("out", false);
  const bool committed = out && (*out)->write("x") && (*out)->commit();
  std::filesystem::current_path(before);
  REQUIRE(committed);
  CHECK(folder.content("out") == "x");
}
