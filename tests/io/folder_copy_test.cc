// Copying a folder.
#include "saranga/io/folder_copy.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "saranga/bytes/no_findings.h"
#include "tests/io/temporary_folder.h"

using namespace saranga;
using saranga::test::TemporaryFolder;

namespace {

Result<void> copy_all(const std::string& from, const std::string& to, FindingSink& sink) {
  auto source = open_disk_directory(from);
  REQUIRE(source);
  FolderCopy copy(**source, to, "part", sink);
  auto more = copy.step();
  while (more && *more) more = copy.step();
  if (!more) return std::unexpected(more.error());
  return {};
}

class OneFinding final : public FindingSink {
 public:
  void finding(Finding finding) override { last = std::move(finding); }
  Finding last;
};

}  // namespace

TEST_CASE("a folder is copied with those below it") {
  const TemporaryFolder folder;
  const std::string large(9 << 20, 'L');
  folder.put("from/a/b/file", "deep");
  folder.put("from/large", large);
  folder.folder("from/empty");
  folder.folder("to");
  NoFindings sink;
  REQUIRE(copy_all(folder / "from", folder / "to", sink));
  CHECK(folder.content("to/a/b/file") == "deep");
  CHECK(folder.content("to/large") == large);
  CHECK(std::filesystem::is_directory(folder / "to/empty"));
  const auto source = open_disk_directory(folder / "from");
  CHECK(folder_bytes(**source) == large.size() + 4);
}

TEST_CASE("a link that leads nowhere is left behind and told") {
  const TemporaryFolder folder;
  folder.put("from/file", "x");
  folder.folder("to");
  REQUIRE(::symlink("nowhere", (folder / "from/link").c_str()) == 0);
  OneFinding sink;
  REQUIRE(copy_all(folder / "from", folder / "to", sink));
  CHECK(sink.last.code == "file-unreadable");
  CHECK(sink.last.file == "part/link");
  CHECK(folder.content("to/file") == "x");
}

TEST_CASE("a folder that leads into itself ends the copy") {
  const TemporaryFolder folder;
  folder.folder("from");
  folder.folder("to");
  REQUIRE(::symlink(".", (folder / "from/self").c_str()) == 0);
  NoFindings sink;
  const auto copied = copy_all(folder / "from", folder / "to", sink);
  REQUIRE_FALSE(copied);
  CHECK(copied.error().code == ErrorCode::kUnsupported);
  const auto source = open_disk_directory(folder / "from");
  CHECK(folder_bytes(**source) == 0);
}
