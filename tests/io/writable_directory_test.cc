// Writing to folders on disk, and the disk of the tests that loses what was not synced.
#include "saranga/io/writable_directory.h"

#include <catch2/catch.hpp>

#include "tests/io/temporary_folder.h"
#include "tests/support/faulty_directory.h"

using namespace saranga;
using namespace saranga::test;

namespace {

std::unique_ptr<WritableDirectory> opened(const TemporaryFolder& folder) {
  auto directory = open_writable_directory(folder.path());
  REQUIRE(directory);
  return std::move(*directory);
}

Bytes bytes(std::string_view text) { return as_bytes(text); }

}  // namespace

TEST_CASE("a file is created, written at any place, synced and read again") {
  const TemporaryFolder folder;
  const auto directory = opened(folder);
  {
    const auto file = directory->create("x");
    REQUIRE(file);
    REQUIRE((*file)->write_at(4, bytes("efgh")));
    REQUIRE((*file)->write_at(0, bytes("abcd")));
    REQUIRE((*file)->sync_data());
  }
  REQUIRE(directory->sync());
  CHECK(folder.content("x") == "abcdefgh");
  const auto again = directory->open_for_writing("x");
  REQUIRE(again);
  REQUIRE((*again)->write_at(2, bytes("--")));
  CHECK(folder.content("x") == "ab--efgh");
  const auto listed = directory->list();
  REQUIRE(listed);
  CHECK(listed->size() == 1);
  CHECK(directory->open("x"));
}

TEST_CASE("names change as they are told to") {
  const TemporaryFolder folder;
  folder.put("a", "1");
  folder.put("b", "2");
  const auto directory = opened(folder);
  REQUIRE(directory->rename("a", "b"));
  CHECK(folder.content("b") == "1");
  REQUIRE(directory->create_directory("attic"));
  REQUIRE(directory->create_directory("attic"));
  REQUIRE(directory->rename("b", "attic/b"));
  CHECK(folder.content("attic/b") == "1");
  REQUIRE(directory->remove("attic/b"));
  CHECK(folder.count() == 1);
}

TEST_CASE("errors name the file and what the system said") {
  const TemporaryFolder folder;
  folder.put("a", "1");
  const auto directory = opened(folder);
  const auto error = [&](const auto& result) {
    REQUIRE_FALSE(result);
    CHECK(result.error().file.starts_with(folder.path()));
    return std::pair(result.error().code, result.error().text);
  };
  CHECK(error(directory->create("a")) ==
        std::pair(ErrorCode::kExists, std::string("cannot create: File exists")));
  CHECK(error(directory->open_for_writing("x")).first == ErrorCode::kNotFound);
  CHECK(error(directory->remove("x")).first == ErrorCode::kNotFound);
  CHECK(error(directory->rename("x", "y")).second ==
        "cannot rename to y: No such file or directory");
  CHECK(error(open_writable_directory(folder / "none")).first == ErrorCode::kNotFound);
  CHECK(error(open_writable_directory(folder / "a")).first == ErrorCode::kNotFound);
}

TEST_CASE("the disk of the tests loses what was not synced, names too") {
  FaultyDirectory disk;
  disk.put("old", {std::byte{1}});
  {
    const auto file = disk.create("new");
    REQUIRE(file);
    REQUIRE((*file)->write_at(0, bytes("abcd")));
    REQUIRE((*file)->sync_data());
    REQUIRE((*file)->write_at(4, bytes("efgh")));
  }
  CHECK_FALSE(disk.after_power_failure(Loss::kAll, 1).contains("new"));
  CHECK(disk.after_power_failure(Loss::kNothing, 1).at("new").size() == 8);
  REQUIRE(disk.sync());
  CHECK(disk.after_power_failure(Loss::kAll, 1).at("new").size() == 4);
  REQUIRE(disk.rename("new", "old"));
  CHECK(disk.files().size() == 1);
  CHECK(disk.after_power_failure(Loss::kAll, 1).size() == 2);
  // A seed gives the same loss each time, and the seeds give every one.
  std::map<std::size_t, int> sizes;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto image = disk.after_power_failure(Loss::kTail, seed);
    CHECK(image == disk.after_power_failure(Loss::kTail, seed));
    ++sizes[image.contains("new") ? image.at("new").size() : image.at("old").size()];
  }
  for (std::size_t size = 4; size <= 8; ++size) CHECK(sizes[size] > 0);
}

TEST_CASE("the disk of the tests fails when it is told to") {
  FaultyDirectory disk({.fails_at = 2});
  const auto file = disk.create("x");
  REQUIRE(file);
  CHECK_FALSE((*file)->write_at(0, bytes("abcd")));
  REQUIRE((*file)->write_at(0, bytes("abcd")));
  disk.plan({.full_from = 1});
  const auto full = (*file)->write_at(4, bytes("efgh"));
  REQUIRE_FALSE(full);
  CHECK(full.error().message() == "disk/x: cannot write: No space left on device");
  REQUIRE((*file)->write_at(0, bytes("ABCD")));  // needs no space
  disk.plan({.power_fails_at = 1});
  CHECK_FALSE((*file)->write_at(0, bytes("----")));
  CHECK(disk.power_is_off());
  CHECK_FALSE(disk.create("y"));
}
