// The paging folder: which stores and pages there are.
#include <catch2/catch.hpp>

#include "saranga/paging/page_stores.h"
#include "tests/support/journal_builder.h"

using namespace saranga;
using namespace saranga::test;
using paging::PageStore;

namespace {

struct Findings final : FindingSink {
  void finding(Finding finding) override { all.push_back(std::move(finding)); }
  std::vector<Finding> all;
};

struct Listed {
  std::vector<PageStore> stores;
  std::vector<Finding> findings;
};

// Files by name; the content is text.
Listed list(const std::vector<std::pair<std::string, std::string>>& files,
            std::string_view label = "paging") {
  MemoryDirectory folder("paging");
  for (const auto& [name, content] : files) folder.put(name, text_bytes(content));
  Findings findings;
  auto stores = paging::list_page_stores(folder, label, findings);
  REQUIRE(stores.has_value());
  return {std::move(*stores), std::move(findings.all)};
}

std::vector<std::int64_t> numbers(const PageStore& store) {
  std::vector<std::int64_t> found;
  for (const paging::Page& page : store.pages) found.push_back(page.number);
  return found;
}

}  // namespace

TEST_CASE("a store is a folder with an address", "[paging]") {
  const Listed listed = list({{"f1/address.txt", "pg.a\n"},
                              {"f1/000000002.page", "22"},
                              {"f1/000000001.page", "1"},
                              {"f1/000000010.page", ""}});
  CHECK(listed.findings.empty());
  REQUIRE(listed.stores.size() == 1);
  const PageStore& store = listed.stores[0];
  CHECK(store.folder == "f1");
  CHECK(store.address == "pg.a");
  CHECK(numbers(store) == std::vector<std::int64_t>{1, 2, 10});
  CHECK(store.pages[1].size_bytes == 2);
  CHECK(store.pages[2].name == "000000010.page");
}

TEST_CASE("gaps in the numbers are nothing to tell", "[paging]") {
  const Listed listed = list({{"f/address.txt", "a\n"},
                              {"f/000000003.page", ""},
                              {"f/000000700.page", ""},
                              {"f/1000000000.page", ""}});
  CHECK(listed.findings.empty());
  CHECK(numbers(listed.stores[0]) == std::vector<std::int64_t>{3, 700, 1000000000});
}

TEST_CASE("only the first line of address.txt counts", "[paging]") {
  const std::pair<std::string, std::string> texts[] = {
      {"a.b", "a.b"},      {"a.b\n", "a.b"}, {"a.b\r\n", "a.b"},
      {"a\nb\n", "a"},     {" a \n", " a "}, {"h\xC3\xA9\n", "h\xC3\xA9"},
      {"h\xE9\n", "h\xE9"}};
  for (const auto& [text, address] : texts) {
    const Listed listed = list({{"f/address.txt", text}, {"f/000000001.page", ""}});
    REQUIRE(listed.stores.size() == 1);
    CHECK(listed.stores[0].address == address);
  }
}

TEST_CASE("a folder without address is read, and told", "[paging]") {
  for (const bool empty_file : {false, true}) {
    std::vector<std::pair<std::string, std::string>> files = {{"f/000000001.page", "x"},
                                                              {"f/000000002.page", "y"}};
    if (empty_file) files.emplace_back("f/address.txt", "");
    const Listed listed = list(files);
    REQUIRE(listed.findings.size() == 1);
    CHECK(listed.findings[0].code == "page-store-without-address");
    CHECK(listed.findings[0].severity == Severity::kDamage);
    CHECK(listed.findings[0].file == "paging/f");
    REQUIRE(listed.stores.size() == 1);
    CHECK(listed.stores[0].address.empty());
    CHECK(listed.stores[0].pages.size() == 2);
  }
}

TEST_CASE("a folder without address and pages is a mere oddity", "[paging]") {
  const Listed listed = list({{"f/other.txt", "x"}});
  REQUIRE(listed.findings.size() == 1);
  CHECK(listed.findings[0].severity == Severity::kWarning);
  CHECK(listed.stores.empty());
}

TEST_CASE("the set-aside folders of a replica are passed over", "[paging]") {
  const Listed listed = list({{"oldreplica.3/000000001.page", "x"}});
  CHECK(listed.findings.empty());
  CHECK(listed.stores.empty());
}

TEST_CASE("a page in quarantine is told and not read", "[paging]") {
  const Listed listed = list(
      {{"f/address.txt", "a"}, {"f/000000001.page.invalidPage", "x"}, {"f/000000002.page", "y"}});
  REQUIRE(listed.findings.size() == 1);
  CHECK(listed.findings[0].code == "page-in-quarantine");
  CHECK(listed.findings[0].severity == Severity::kWarning);
  CHECK(listed.findings[0].file == "paging/f/000000001.page.invalidPage");
  CHECK(numbers(listed.stores[0]) == std::vector<std::int64_t>{2});
}

TEST_CASE("a short page name is read, although a broker does not", "[paging]") {
  const Listed listed = list({{"f/address.txt", "a"}, {"f/5.page", "x"}});
  REQUIRE(listed.findings.size() == 1);
  CHECK(listed.findings[0].code == "page-name");
  CHECK(listed.findings[0].text.find("000000005.page") != std::string::npos);
  CHECK(numbers(listed.stores[0]) == std::vector<std::int64_t>{5});
}

TEST_CASE("a page name that is no number is told", "[paging]") {
  for (const char* name : {"f/abc.page", "f/.page", "f/1x.page", "f/99999999999999999999.page"}) {
    const Listed listed = list({{"f/address.txt", "a"}, {name, "x"}});
    REQUIRE(listed.findings.size() == 1);
    CHECK(listed.findings[0].code == "page-name");
    CHECK(listed.findings[0].text.find("does not start") != std::string::npos);
    CHECK(listed.stores[0].pages.empty());
  }
}

TEST_CASE("files of other kinds are none of ours", "[paging]") {
  const Listed listed = list({{"README", "x"},
                              {"f/address.txt", "a"},
                              {"f/core.1234", "x"},
                              {"f/000000001.page.bak", "x"},
                              {"f/sub.page/file", "x"}});
  CHECK(listed.findings.empty());
  REQUIRE(listed.stores.size() == 1);
  CHECK(listed.stores[0].pages.empty());
}

TEST_CASE("two folders of one address are both read, and told", "[paging]") {
  const Listed listed =
      list({{"f2/address.txt", "a\n"}, {"f1/address.txt", "a"}, {"f0/address.txt", "b"}});
  REQUIRE(listed.findings.size() == 1);
  CHECK(listed.findings[0].code == "page-store-doubled");
  CHECK(listed.findings[0].file == "paging/f2");
  CHECK(listed.findings[0].text.find("f1") != std::string::npos);
  REQUIRE(listed.stores.size() == 3);
  CHECK(listed.stores[0].folder == "f1");
  CHECK(listed.stores[2].address == "b");
}

TEST_CASE("places begin with the label, if there is one", "[paging]") {
  CHECK(list({{"f/x", ""}}, "p").findings[0].file == "p/f");
  CHECK(list({{"f/x", ""}}, "").findings[0].file == "f");
}
