// Folders and files for reading, on disk and in memory: both behave alike.
#include "saranga/io/directory.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "tests/io/temporary_folder.h"

using namespace saranga;
using saranga::test::TemporaryFolder;

namespace {

std::unique_ptr<ReadableDirectory> opened(const TemporaryFolder& folder) {
  auto directory = open_disk_directory(folder.path());
  REQUIRE(directory);
  return std::move(*directory);
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> names(const ReadableDirectory& directory) {
  const auto entries = directory.list();
  REQUIRE(entries);
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : *entries) {
    names.push_back(entry.name + (entry.is_directory ? "/" : ""));
  }
  return names;
}

/// What a read of `count` bytes from `offset` gives; "error" when it fails.
std::string read(const ReadableFile& file, std::uint64_t offset, std::size_t count) {
  std::vector<std::byte> to(count, std::byte{'#'});
  const auto got = file.read_at(offset, to);
  if (!got) return "error";
  return std::string(as_text(Bytes(to).first(*got)));
}

}  // namespace

TEST_CASE("a listing is sorted by name, tells sizes and kinds, and leaves out dots") {
  const TemporaryFolder folder;
  for (const char* name : {"b", "a.x", "a/1", "B", "\xC3\xA9", ".hidden", "a0"}) {
    folder.put(name, "12345");
  }
  const auto disk = opened(folder);
  const std::vector<std::string> expected = {".hidden", "B", "a/", "a.x", "a0", "b", "\xC3\xA9"};
  CHECK(names(*disk) == expected);
  const auto entries = disk->list();
  REQUIRE(entries);
  CHECK(entries->front().size_bytes == 5);
  CHECK(entries->front().modified_ms > 1'500'000'000'000);
  CHECK(disk->path() == folder.path());

  MemoryDirectory memory;
  for (const char* name : {"b", "a.x", "a/1", "B", "\xC3\xA9", ".hidden", "a0"}) {
    memory.put(name, bytes_of("12345"));
  }
  CHECK(names(memory) == expected);
  CHECK(memory.list()->front().size_bytes == 5);
}

TEST_CASE("a listing may be asked for again and sees what has changed") {
  const TemporaryFolder folder;
  const auto disk = opened(folder);
  CHECK(names(*disk).empty());
  folder.put("new");
  CHECK(names(*disk) == std::vector<std::string>{"new"});
  CHECK(names(*disk) == std::vector<std::string>{"new"});
}

TEST_CASE("an entry that leads nowhere is listed as one that cannot be read") {
  const TemporaryFolder folder;
  folder.put("file", "x");
  REQUIRE(::symlink("nowhere", (folder / "broken").c_str()) == 0);
  REQUIRE(::symlink("file", (folder / "link").c_str()) == 0);
  CHECK(names(*opened(folder)) == std::vector<std::string>{"broken", "file", "link"});
  const auto entries = opened(folder)->list();
  REQUIRE(entries);
  CHECK((*entries)[0].unreadable);
  CHECK_FALSE((*entries)[1].unreadable);
  CHECK_FALSE((*entries)[2].unreadable);
}

TEST_CASE("reads stop at the end of the file, on disk and in memory") {
  const TemporaryFolder folder;
  folder.put("f", "0123456789");
  MemoryDirectory memory;
  memory.put("f", bytes_of("0123456789"));
  const auto disk = opened(folder);
  const ReadableDirectory* const directories[] = {disk.get(), &memory};
  for (const ReadableDirectory* directory : directories) {
    const auto file = directory->open("f");
    REQUIRE(file);
    CHECK((*file)->size_bytes() == 10);
    CHECK(read(**file, 0, 10) == "0123456789");
    CHECK(read(**file, 3, 4) == "3456");
    CHECK(read(**file, 8, 100) == "89");
    CHECK(read(**file, 9, 1) == "9");
    CHECK(read(**file, 10, 1).empty());
    CHECK(read(**file, 1'000'000, 5).empty());
    CHECK(read(**file, 5, 0).empty());
  }
}

TEST_CASE("an empty file is read as nothing") {
  const TemporaryFolder folder;
  folder.put("f");
  MemoryDirectory memory;
  memory.put("f", {});
  const auto disk = opened(folder);
  const ReadableDirectory* const directories[] = {disk.get(), &memory};
  for (const ReadableDirectory* directory : directories) {
    const auto file = directory->open("f");
    REQUIRE(file);
    CHECK((*file)->size_bytes() == 0);
    CHECK(read(**file, 0, 8).empty());
    CHECK((*file)->read_at(0, {}) == 0);
    CHECK(read_whole(*directory, "f", 0)->empty());
  }
}

TEST_CASE("a file that is cut or grows after it was opened is read as it is by then") {
  const TemporaryFolder folder;
  folder.put("f", "0123456789");
  const auto disk = opened(folder);
  const auto file = disk->open("f");
  REQUIRE(file);
  folder.put("f", "abc");
  CHECK((*file)->size_bytes() == 10);
  CHECK(read(**file, 0, 10) == "abc");
  folder.put("f", "abcdefghijklmnop");
  CHECK(read(**file, 0, 20) == "abcdefghijklmnop");
}

TEST_CASE("what is not there is reported as not found") {
  const TemporaryFolder folder;
  folder.put("file", "x");
  const auto disk = opened(folder);
  const auto missing = disk->open("none");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::kNotFound);
  CHECK(missing.error().file == folder / "none");
  CHECK(disk->open("file/below").error().code == ErrorCode::kNotFound);
  CHECK(disk->open_directory("none").error().code == ErrorCode::kNotFound);
  CHECK(disk->open_directory("file").error().code == ErrorCode::kNotFound);
  CHECK(open_disk_directory(folder / "none").error().code == ErrorCode::kNotFound);
  CHECK(open_disk_directory(folder / "file").error().code == ErrorCode::kNotFound);

  MemoryDirectory memory("there");
  memory.put("file", bytes_of("x"));
  CHECK(memory.open("none").error().code == ErrorCode::kNotFound);
  CHECK(memory.open("none").error().file == "there/none");
  CHECK(memory.open_directory("file").error().code == ErrorCode::kNotFound);
}

TEST_CASE("only regular files are opened, and nothing waits for the other end of a pipe") {
  const TemporaryFolder folder;
  folder.folder("below");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const int sock = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder / "socket";
  REQUIRE(path.copy(address.sun_path, sizeof address.sun_path - 1) == path.size());
  REQUIRE(::bind(sock, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const auto disk = opened(folder);
  for (const char* name : {"below", "pipe"}) {
    INFO(name);
    const auto file = disk->open(name);
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::kUnsupported);
    CHECK(file.error().text == "not a regular file");
    CHECK(file.error().file == folder / name);
  }
  CHECK(disk->open("socket").error().code == ErrorCode::kIo);
  ::close(sock);
}

TEST_CASE("folders are opened below folders") {
  const TemporaryFolder folder;
  folder.put("paging/store/1.page", "x");
  MemoryDirectory memory(folder.path());
  memory.put("paging/store/1.page", bytes_of("x"));
  const auto disk = opened(folder);
  const ReadableDirectory* const directories[] = {disk.get(), &memory};
  for (const ReadableDirectory* directory : directories) {
    const auto paging = directory->open_directory("paging");
    REQUIRE(paging);
    CHECK((*paging)->path() == folder / "paging");
    CHECK(names(**paging) == std::vector<std::string>{"store/"});
    const auto store = (*paging)->open_directory("store");
    REQUIRE(store);
    CHECK(names(**store) == std::vector<std::string>{"1.page"});
    CHECK(read(**(*store)->open("1.page"), 0, 5) == "x");
  }
}

TEST_CASE("a file in memory outlives its folder and keeps its content") {
  std::unique_ptr<ReadableFile> file;
  {
    MemoryDirectory memory;
    memory.put("f", bytes_of("old"));
    file = std::move(*memory.open("f"));
    memory.put("f", bytes_of("changed"));
  }
  CHECK(read(*file, 0, 10) == "old");
}

TEST_CASE("a whole file is read up to a limit") {
  const TemporaryFolder folder;
  folder.put("f", "0123456789");
  const auto disk = opened(folder);
  CHECK(as_text(*read_whole(*disk, "f", 10)) == "0123456789");
  CHECK(as_text(*read_whole(*disk, "f", std::numeric_limits<std::uint64_t>::max())) ==
        "0123456789");
  const auto longer = read_whole(*disk, "f", 9);
  REQUIRE_FALSE(longer);
  CHECK(longer.error().code == ErrorCode::kUnsupported);
  CHECK(longer.error().text == "has 10 bytes, at most 9 are read here");
  CHECK(longer.error().file == folder / "f");
  CHECK(read_whole(*disk, "none", 9).error().code == ErrorCode::kNotFound);
}

TEST_CASE("reading changes no time of a file") {
  const TemporaryFolder folder;
  folder.put("f", "0123456789");
  const timespec long_ago[2] = {{.tv_sec = 1'000'000'000, .tv_nsec = 0},
                                {.tv_sec = 1'000'000'001, .tv_nsec = 0}};
  REQUIRE(::utimensat(AT_FDCWD, (folder / "f").c_str(), long_ago, 0) == 0);
  const auto disk = opened(folder);
  CHECK(read(**disk->open("f"), 0, 10) == "0123456789");
  CHECK(disk->list()->front().modified_ms == 1'000'000'001'000);
  struct stat status{};
  REQUIRE(::stat((folder / "f").c_str(), &status) == 0);
  CHECK(status.st_atim.tv_sec == 1'000'000'000);
}
