// The folder of large-message bodies.
#include <catch2/catch.hpp>

#include "saranga/message/large_files.h"
#include "tests/support/journal_builder.h"

using namespace saranga;
using namespace saranga::test;
using message::LargeFile;

namespace {

struct Findings final : FindingSink {
  void finding(Finding finding) override { all.push_back(std::move(finding)); }
  std::vector<Finding> all;
};

struct Listed {
  std::vector<LargeFile> files;
  std::vector<Finding> findings;
};

Listed list(const std::vector<std::pair<std::string, std::size_t>>& content) {
  MemoryDirectory folder("large-messages");
  for (const auto& [name, size] : content) folder.put(name, Buffer(size));
  Findings findings;
  auto files = message::list_large_files(folder, "large-messages", findings);
  REQUIRE(files.has_value());
  return {std::move(*files), std::move(findings.all)};
}

}  // namespace

TEST_CASE("bodies are listed by id, with kind and size", "[large]") {
  const Listed listed = list({{"100.msg", 7}, {"20.tmp", 5}, {"3.sync", 0}, {"0.msg", 1}});
  REQUIRE(listed.files.size() == 4);
  CHECK(listed.findings.empty());
  CHECK(listed.files[0].id == 0);
  CHECK(listed.files[1].kind == LargeFile::Kind::kSync);
  CHECK(listed.files[2].kind == LargeFile::Kind::kNonDurable);
  CHECK(listed.files[3].id == 100);
  CHECK(listed.files[3].kind == LargeFile::Kind::kDurable);
  CHECK(listed.files[3].size_bytes == 7);
  CHECK(listed.files[3].name == "100.msg");
}

TEST_CASE("the id is what stands in front of the first dot", "[large]") {
  const Listed listed =
      list({{"12.3.msg", 1}, {"007.msg", 1}, {"9223372036854775807.msg", 1}, {"-5.msg", 1}});
  REQUIRE(listed.files.size() == 4);
  CHECK(listed.files[0].id == -5);
  CHECK(listed.files[1].id == 7);
  CHECK(listed.files[2].id == 12);
  CHECK(listed.files[3].id == INT64_MAX);
}

TEST_CASE("a name that is no id is told, and not listed", "[large]") {
  const Listed listed = list({{"abc.msg", 9},
                              {".msg", 0},
                              {"1x.msg", 0},
                              {"12 .msg", 0},
                              {"9223372036854775808.msg", 0},
                              {"5.msg", 0}});
  REQUIRE(listed.files.size() == 1);
  REQUIRE(listed.findings.size() == 5);
  for (const Finding& finding : listed.findings) {
    CHECK(finding.code == "large-file-name");
    CHECK(finding.severity == Severity::kWarning);
  }
  CHECK(listed.findings.back().file == "large-messages/abc.msg");
  CHECK(listed.findings.back().length_bytes == 9);
}

TEST_CASE("other files and folders are none of ours", "[large]") {
  const Listed listed = list({{"5.msg.bak", 1}, {"README", 1}, {"5msg", 1}, {"6.msg/file", 1}});
  CHECK(listed.files.empty());
  CHECK(listed.findings.empty());
}
