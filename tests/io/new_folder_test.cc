// A folder that is there whole or not at all.
#include "saranga/io/new_folder.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/io/temporary_folder.h"

using saranga::as_bytes;
using saranga::ErrorCode;
using saranga::NewFolder;
using saranga::test::TemporaryFolder;

namespace {

void put(NewFolder& folder, const std::string& name, std::string_view content) {
  auto file = folder.directory().create(name);
  REQUIRE(file);
  REQUIRE((*file)->write_at(0, as_bytes(content)));
}

}  // namespace

TEST_CASE("a new folder appears with commit") {
  const TemporaryFolder beside;
  auto folder = NewFolder::create(beside / "made/", false);
  REQUIRE(folder);
  put(**folder, "a", "1");
  REQUIRE((*folder)->directory().create_directory("below"));
  put(**folder, "below/b", "2");
  CHECK(!std::filesystem::exists(beside / "made"));
  REQUIRE((*folder)->commit());
  folder->reset();
  CHECK(beside.content("made/a") == "1");
  CHECK(beside.content("made/below/b") == "2");
  CHECK(beside.count() == 1);
}

TEST_CASE("a folder that is given up leaves nothing behind") {
  const TemporaryFolder beside;
  {
    auto folder = NewFolder::create(beside / "made", false);
    REQUIRE(folder);
    put(**folder, "a", "1");
  }
  CHECK(beside.count() == 0);
}

TEST_CASE("an empty folder counts as none") {
  const TemporaryFolder beside;
  beside.folder("made");
  auto folder = NewFolder::create(beside / "made", false);
  REQUIRE(folder);
  put(**folder, "a", "1");
  REQUIRE((*folder)->commit());
  CHECK(beside.content("made/a") == "1");
}

TEST_CASE("what is there already is spared, unless it is to be replaced") {
  const TemporaryFolder beside;
  beside.put("made/old", "0");
  auto refused = NewFolder::create(beside / "made", false);
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::kExists);
  auto folder = NewFolder::create(beside / "made", true);
  REQUIRE(folder);
  put(**folder, "a", "1");
  CHECK(beside.content("made/old") == "0");
  REQUIRE((*folder)->commit());
  folder->reset();
  CHECK(!std::filesystem::exists(beside / "made/old"));
  CHECK(beside.content("made/a") == "1");
  CHECK(beside.count() == 1);
}

TEST_CASE("a folder that was filled meanwhile is replaced only by whoever asked for that") {
  const TemporaryFolder beside;
  beside.put("file", "0");
  CHECK(NewFolder::create(beside / "file", true).error().code == ErrorCode::kExists);
  CHECK(NewFolder::create(beside / "no/such", false).error().code == ErrorCode::kNotFound);
  auto folder = NewFolder::create(beside / "made", false);
  REQUIRE(folder);
  beside.put("made/old", "0");
  CHECK((*folder)->commit().error().code == ErrorCode::kExists);
  folder->reset();
  CHECK(beside.content("made/old") == "0");
  CHECK(beside.count() == 2);
}

TEST_CASE("a folder appears with everything in it") {
  const TemporaryFolder folder;
  auto made = NewFolder::create(folder / "new/", false);
  REQUIRE(made);
  auto part = (*made)->add_folder("part");
  REQUIRE(part);
  REQUIRE((*part)->create("file"));
  CHECK_FALSE(std::filesystem::exists(folder / "new"));
  REQUIRE((*made)->commit());
  CHECK(std::filesystem::exists(folder / "new/part/file"));
  made->reset();
  CHECK(folder.count() == 1);
}

TEST_CASE("a folder that is given up leaves nothing") {
  const TemporaryFolder folder;
  {
    auto made = NewFolder::create(folder / "new", false);
    REQUIRE(made);
    REQUIRE((*made)->add_folder("part"));
  }
  CHECK(folder.count() == 0);
}

TEST_CASE("what is there is only replaced when that is asked for, and then as a whole") {
  const TemporaryFolder folder;
  folder.put("there/old", "x");
  folder.put("file", "x");
  folder.folder("empty");
  for (const bool overwrite : {false, true}) {
    const auto refused = NewFolder::create(folder / "file", overwrite);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kExists);
  }
  const auto refused = NewFolder::check(folder / "there", false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kExists);
  for (const char* name : {"there", "empty"}) {
    auto made = NewFolder::create(folder / name, true);
    REQUIRE(made);
    REQUIRE((*made)->add_folder("part"));
    REQUIRE((*made)->commit());
    made->reset();
    CHECK(std::filesystem::exists(folder / (std::string(name) + "/part")));
    CHECK_FALSE(std::filesystem::exists(folder / (std::string(name) + "/old")));
  }
  CHECK(folder.count() == 3);
}
