// Pages that brokers of several releases wrote.
#include <catch2/catch.hpp>

#include "tests/paging/pages.h"

using namespace saranga;
using namespace saranga::test;

namespace {

// The pages of a fixture, the longest one last.
std::vector<Buffer> pages_of(const std::string& fixture) {
  const auto paging = open_disk_directory(SARANGA_FIXTURES "/" + fixture + "/store/paging");
  REQUIRE(paging.has_value());
  std::vector<Buffer> pages;
  const auto folders = (*paging)->list();
  for (const DirectoryEntry& folder : *folders) {
    const auto store = (*paging)->open_directory(folder.name);
    const auto entries = (*store)->list();
    for (const DirectoryEntry& entry : *entries) {
      if (!entry.name.ends_with(".page")) continue;
      pages.push_back(*read_whole(**store, entry.name, std::uint64_t{1} << 24));
    }
  }
  std::ranges::sort(pages, {}, &Buffer::size);
  REQUIRE_FALSE(pages.empty());
  return pages;
}

bool decodes(Bytes payload) {
  Cursor cursor(payload);
  (void)paging::read_paged_message(cursor);
  return cursor.ok() && cursor.at_end();
}

bool is_old(const ScannedPage& page) {
  Cursor cursor(page.entries.front().payload);
  return paging::read_paged_message(cursor).old_layout;
}

}  // namespace

TEST_CASE("every page of every release is entries to its last byte", "[paging]") {
  for (const char* fixture : {"paging", "paging-2.19", "artemis-1.5", "artemis-2.0", "artemis-2.6",
                              "artemis-2.10", "hornetq-2.4"}) {
    INFO(fixture);
    std::size_t entries = 0;
    for (const Buffer& bytes : pages_of(fixture)) {
      const ScannedPage page = scan_page(bytes);
      CHECK(page.damage.empty());
      CHECK(page.entry_bytes == bytes.size());
      CHECK(std::ranges::all_of(page.entries, [](const auto& e) { return decodes(e.payload); }));
      entries += page.entries.size();
    }
    CHECK(entries > 20);
  }
}

TEST_CASE("the layout changed with release 2.0", "[paging]") {
  for (const char* fixture : {"artemis-1.5", "hornetq-2.4"}) {
    CHECK(is_old(scan_page(pages_of(fixture).back())));
  }
  for (const char* fixture : {"artemis-2.0", "paging"}) {
    CHECK_FALSE(is_old(scan_page(pages_of(fixture).back())));
  }
}

TEST_CASE("a real page cut at any byte keeps its whole entries", "[paging]") {
  for (const char* fixture : {"paging", "artemis-1.5", "hornetq-2.4"}) {
    INFO(fixture);
    const Buffer bytes = pages_of(fixture).back();
    const ScannedPage whole = scan_page(bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto file =
          memory_file(Buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
      const ScannedPage cut = scan_page(*file);
      const auto kept = static_cast<std::size_t>(
          std::ranges::count_if(whole.entries, [&](const ScannedPage::Entry& entry) {
            return entry.offset + entry.payload.size() + paging::kFrameBytes <= size;
          }));
      REQUIRE(cut.entries.size() == kept);
      REQUIRE(cut.entry_bytes + cut.unreadable_bytes == size);
      REQUIRE(cut.damage.size() <= 1);
    }
  }
}
