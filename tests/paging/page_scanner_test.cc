// Page files: frames, and finding the way behind damage.
#include <catch2/catch.hpp>

#include "tests/paging/pages.h"

using namespace saranga;
using namespace saranga::test;

namespace {

// Five entries of different lengths, and where each ends.
struct Page {
  Buffer bytes;
  std::vector<std::uint64_t> starts;
  std::vector<std::uint64_t> ends;
};

Page make_page(int count = 5) {
  Page page;
  for (int i = 0; i < count; ++i) {
    page.starts.push_back(page.bytes.size());
    append(page.bytes, frame(paged_core(100 + i, static_cast<std::size_t>(3 * i + 1))));
    page.ends.push_back(page.bytes.size());
  }
  return page;
}

void check_account(const ScannedPage& page, std::size_t size) {
  CHECK(page.entry_bytes + page.unreadable_bytes == size);
  std::uint64_t damaged = 0;
  for (const paging::PageDamage& damage : page.damage) damaged += damage.length_bytes;
  CHECK(damaged == page.unreadable_bytes);
}

std::vector<std::int32_t> numbers(const ScannedPage& page) {
  std::vector<std::int32_t> found;
  for (const auto& entry : page.entries) found.push_back(entry.number);
  return found;
}

// The page with the entry at `index` made unreadable, and what the scan made of that.
ScannedPage scan_damaged(Page page, std::size_t index, std::size_t at, std::byte value) {
  page.bytes[page.starts[index] + at] = value;
  const ScannedPage scanned = scan_page(page.bytes);
  check_account(scanned, page.bytes.size());
  REQUIRE(scanned.damage.size() == 1);
  CHECK(scanned.damage[0].offset == page.starts[index]);
  CHECK(scanned.damage[0].length_bytes == page.ends[index] - page.starts[index]);
  return scanned;
}

}  // namespace

TEST_CASE("a whole page is its entries and nothing else", "[paging]") {
  const Page page = make_page();
  const ScannedPage scanned = scan_page(page.bytes);
  CHECK(numbers(scanned) == std::vector<std::int32_t>{0, 1, 2, 3, 4});
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(scanned.entries[i].offset == page.starts[i]);
    CHECK_FALSE(scanned.entries[i].estimated);
  }
  CHECK(scanned.damage.empty());
  check_account(scanned, page.bytes.size());
}

TEST_CASE("an empty page has no entries", "[paging]") {
  const ScannedPage scanned = scan_page(Buffer{});
  CHECK(scanned.entries.empty());
  CHECK(scanned.damage.empty());
}

TEST_CASE("an entry may be longer than the window", "[paging]") {
  Buffer bytes = frame(paged_core(1, 300000));
  append(bytes, frame(paged_core(2)));
  const ScannedPage scanned = scan_page(bytes);
  REQUIRE(scanned.entries.size() == 2);
  CHECK(scanned.entries[0].payload == paged_core(1, 300000));
}

TEST_CASE("behind a damaged entry the next one is found", "[paging]") {
  // The start byte, the end byte, and a length that leads behind the file.
  const Page page = make_page();
  const std::size_t last = page.ends[2] - page.starts[2] - 1;
  for (const auto& [at, value] :
       {std::pair{std::size_t{0}, std::byte{0x00}}, std::pair{last, std::byte{0x00}},
        std::pair{std::size_t{1}, std::byte{0x7F}}}) {
    const ScannedPage scanned = scan_damaged(page, 2, at, value);
    CHECK(numbers(scanned) == std::vector<std::int32_t>{0, 1, 3, 4});
    CHECK_FALSE(scanned.entries[1].estimated);
    CHECK(scanned.entries[2].estimated);
    CHECK(scanned.entries[3].estimated);
    CHECK_FALSE(scanned.damage[0].at_end);
    CHECK_FALSE(scanned.damage[0].problem.empty());
  }
}

TEST_CASE("the first and the last entry may be the damaged one", "[paging]") {
  const Page page = make_page();
  const ScannedPage first = scan_damaged(page, 0, 0, std::byte{0});
  CHECK(numbers(first) == std::vector<std::int32_t>{1, 2, 3, 4});
  CHECK(first.entries[0].estimated);
  const ScannedPage last = scan_damaged(page, 4, 0, std::byte{0});
  CHECK(numbers(last) == std::vector<std::int32_t>{0, 1, 2, 3});
  CHECK(last.damage[0].at_end);
}

TEST_CASE("each damaged stretch is told by itself", "[paging]") {
  Page page = make_page();
  page.bytes[page.starts[1]] = std::byte{0};
  page.bytes[page.starts[3]] = std::byte{0};
  const ScannedPage scanned = scan_page(page.bytes);
  CHECK(numbers(scanned) == std::vector<std::int32_t>{0, 2, 4});
  REQUIRE(scanned.damage.size() == 2);
  CHECK(scanned.damage[1].offset == page.starts[3]);
  check_account(scanned, page.bytes.size());
}

TEST_CASE("a length is not believed", "[paging]") {
  const Page page = make_page();
  for (const std::int32_t length : {-1, INT32_MIN, INT32_MAX, 0x10000000, -2000000000}) {
    Page damaged = page;
    store_be(damaged.bytes.data() + damaged.starts[1] + 1, length);
    const ScannedPage scanned = scan_page(damaged.bytes);
    check_account(scanned, damaged.bytes.size());
    CHECK(numbers(scanned) == std::vector<std::int32_t>{0, 2, 3, 4});
  }
}

TEST_CASE("a length that leads to a chance '}' swallows no other entry", "[paging]") {
  Page page = make_page();
  const std::uint64_t chance = page.starts[3] + 40;
  page.bytes[chance] = std::byte{0x7D};
  store_be(page.bytes.data() + page.starts[1] + 1,
           static_cast<std::int32_t>(chance - page.starts[1] - 5));
  const ScannedPage scanned = scan_page(page.bytes);
  check_account(scanned, page.bytes.size());
  CHECK(numbers(scanned).front() == 0);
  CHECK(std::ranges::count(scanned.entries, page.starts[2], &ScannedPage::Entry::offset) == 1);
  CHECK(std::ranges::count(scanned.entries, page.starts[4], &ScannedPage::Entry::offset) == 1);
}

TEST_CASE("a framed entry that does not decode keeps its place", "[paging]") {
  Page page = make_page();
  page.bytes[page.starts[2] + 5 + 9] = std::byte{9};  // the persister
  const ScannedPage scanned = scan_page(page.bytes);
  CHECK(numbers(scanned) == std::vector<std::int32_t>{0, 1, 2, 3, 4});
  CHECK(scanned.damage.empty());
  CHECK_FALSE(scanned.entries[3].estimated);
}

TEST_CASE("an entry without payload is framed all the same", "[paging]") {
  Buffer bytes = frame({});
  append(bytes, frame(paged_core(1)));
  const ScannedPage scanned = scan_page(bytes);
  CHECK(numbers(scanned) == std::vector<std::int32_t>{0, 1});
  CHECK(scanned.entries[0].payload.empty());
}

TEST_CASE("few bytes at the end are a tear, whatever they are", "[paging]") {
  const Page page = make_page(2);
  for (std::size_t count = 1; count <= 5; ++count) {
    for (const std::byte value : {std::byte{0}, std::byte{0x7B}, std::byte{0x7D}}) {
      Buffer bytes = page.bytes;
      bytes.resize(bytes.size() + count, value);
      const ScannedPage scanned = scan_page(bytes);
      check_account(scanned, bytes.size());
      CHECK(scanned.entries.size() == 2);
      REQUIRE(scanned.damage.size() == 1);
      CHECK(scanned.damage[0].offset == page.bytes.size());
      CHECK(scanned.damage[0].length_bytes == count);
      CHECK(scanned.damage[0].at_end);
    }
  }
}

TEST_CASE("garbage alone gives no entries, and takes no long time", "[paging]") {
  for (const std::byte value : {std::byte{0}, std::byte{0x7B}, std::byte{0x7D}, std::byte{0xFF}}) {
    const ScannedPage scanned = scan_page(Buffer(5000, value));
    CHECK(scanned.entries.empty());
    REQUIRE(scanned.damage.size() == 1);
    CHECK(scanned.damage[0].length_bytes == 5000);
    check_account(scanned, 5000);
  }
  // Every fifth byte begins a frame as long as the window, with an end byte at its end.
  Buffer bytes;
  while (bytes.size() < (std::size_t{4} << 20)) append(bytes, hex_bytes("7b000ffa247d"));
  const auto file = memory_file(bytes);
  const ScannedPage scanned = scan_page(*file);
  CHECK(scanned.entry_bytes + scanned.unreadable_bytes == bytes.size());
}

TEST_CASE("text with braces inside of a message is no entry", "[paging]") {
  const Buffer inner = frame(paged_core(7));
  Buffer bytes = frame(paged(stored_core({.id = 1, .body = inner})));
  append(bytes, frame(paged_core(2)));
  const ScannedPage scanned = scan_page(bytes);
  CHECK(scanned.entries.size() == 2);
}

TEST_CASE("a page cut at any byte keeps its whole entries", "[paging]") {
  const Page page = make_page();
  for (std::size_t size = 0; size < page.bytes.size(); ++size) {
    const Buffer cut(page.bytes.begin(), page.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const ScannedPage scanned = scan_page(cut);
    const auto whole = static_cast<std::size_t>(
        std::ranges::count_if(page.ends, [&](std::uint64_t end) { return end <= size; }));
    CHECK(scanned.entries.size() == whole);
    CHECK(scanned.damage.size() == (size == (whole == 0 ? 0 : page.ends[whole - 1]) ? 0 : 1));
    check_account(scanned, size);
  }
}

TEST_CASE("a flipped bit costs no more than the entry it hits", "[paging]") {
  Page page = make_page();
  const ScannedPage before = scan_page(page.bytes);
  for (std::size_t bit = 0; bit < page.bytes.size() * 8; ++bit) {
    page.bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const auto file = memory_file(page.bytes);
    const ScannedPage scanned = scan_page(*file);
    check_account(scanned, page.bytes.size());
    for (const auto& entry : before.entries) {
      const std::uint64_t end = entry.offset + entry.payload.size() + paging::kFrameBytes;
      if (entry.offset <= bit / 8 && bit / 8 < end) continue;
      const auto found =
          std::ranges::find(scanned.entries, entry.offset, &ScannedPage::Entry::offset);
      REQUIRE(found != scanned.entries.end());
      CHECK(found->payload == entry.payload);
      CHECK(found->number == entry.number);
    }
    page.bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
  }
}
