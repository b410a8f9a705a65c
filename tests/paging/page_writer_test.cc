// Pages as a broker writes them, and what is left of them when power fails.
#include "saranga/paging/page_writer.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "saranga/paging/page_stores.h"
#include "tests/paging/pages.h"
#include "tests/support/faulty_directory.h"

using namespace saranga;
using namespace saranga::paging;
using namespace saranga::test;

namespace {

constexpr std::int64_t kQueues[] = {12, 13};

Buffer payload(std::int64_t id, std::size_t body_bytes = 50) {
  const Buffer message = stored_core({.id = id, .body = Buffer(body_bytes, std::byte{0x55})});
  return *encode_paged_message(NewPagedMessage{.message = message, .queues = kQueues});
}

/// Appends entries from `first` on, syncing every few; how many are durable for sure.
std::int64_t append(FaultyDirectory& disk, std::int64_t first, std::int64_t count) {
  std::int64_t durable = 0;
  auto writer = PageWriter::open(disk, {.page_size_bytes = 500});
  if (!writer) return 0;
  for (std::int64_t id = first; id < first + count; ++id) {
    if (!(*writer)->append(payload(id))) return durable;
    if (id % 3 != 0) continue;
    if (!(*writer)->sync()) return durable;
    durable = id - first + 1;
  }
  return durable;
}

/// The ids of all entries, page by page; a page is read up to its first damage, as a broker does.
std::vector<std::int64_t> ids(const std::map<std::string, Buffer>& files) {
  std::vector<std::int64_t> all;
  for (const auto& [name, content] : files) {
    if (!page_number(name)) continue;
    const auto file = memory_file(content);
    PageScanner scanner(*file);
    PageEntry entry;
    while (*scanner.next(entry) && !entry.number_estimated) {
      Cursor cursor(entry.payload);
      const PagedMessage paged = read_paged_message(cursor);
      REQUIRE(cursor.ok());
      all.push_back(paged.message.id());
    }
  }
  return all;
}

}  // namespace

TEST_CASE("an entry has the bytes of the worked example", "[paging]") {
  const Buffer message = hex_bytes(
      "01 00000000000003e8 01 00000004 71003100 0000002b 0000000e 55 00000000000003e8"
      "01 00000004 71003100 00 00 01 0000000000000000 0000000000000000 00 00");
  const auto entry = encode_paged_message(NewPagedMessage{.message = message, .queues = kQueues});
  REQUIRE(entry);
  CHECK(entry->size() == 94);
  CHECK(frame(*entry).size() == 100);
  Cursor cursor(*entry);
  const PagedMessage read = read_paged_message(cursor);
  REQUIRE(cursor.ok());
  CHECK(read.tx_id == -1);
  CHECK(read.queues.size() == 2);
  CHECK(read.queues[1] == 13);
  CHECK(read.message.id() == 1000);
  CHECK_FALSE(encode_paged_message(NewPagedMessage{.tx_id = 0, .message = message}));
  const auto in_tx = encode_paged_message(NewPagedMessage{.tx_id = 77, .message = message});
  Cursor other(*in_tx);
  CHECK(read_paged_message(other).tx_id == 77);
}

TEST_CASE("pages follow each other when they are full, and hold at least one entry", "[paging]") {
  FaultyDirectory disk;
  auto writer = PageWriter::open(disk, {.page_size_bytes = 300});
  REQUIRE(writer);
  for (std::int64_t id = 1; id <= 3; ++id) {
    const auto position = (*writer)->append(payload(id, 10));
    REQUIRE(position);
    CHECK(position->page == (id == 3 ? 2 : 1));
    CHECK(position->number == (id == 3 ? 0 : id - 1));
  }
  CHECK((*writer)->append(payload(4, 2000))->page == 3);
  CHECK((*writer)->append(payload(5, 2000))->page == 4);
  REQUIRE((*writer)->next_page());
  REQUIRE((*writer)->sync());
  CHECK((*writer)->number() == 5);
  const auto files = disk.after_power_failure(Loss::kAll, 1);
  CHECK(files.size() == 5);
  CHECK(files.contains("000000001.page"));
  CHECK(files.at("000000005.page").empty());
  CHECK(ids(files) == std::vector<std::int64_t>{1, 2, 3, 4, 5});
}

TEST_CASE("a writer goes on behind the last entry, and never behind damage", "[paging]") {
  FaultyDirectory disk;
  (void)append(disk, 1, 2);
  Buffer page = disk.files().at("000000001.page");
  disk.put("000000001.page", page);
  REQUIRE((*PageWriter::open(disk))->append(payload(3))->page == 1);
  CHECK(ids(disk.files()) == std::vector<std::int64_t>{1, 2, 3});
  for (const std::size_t cut : {1U, 5U, 20U}) {
    FaultyDirectory damaged;
    damaged.put("000000001.page", Buffer(page.begin(), page.end() - static_cast<int>(cut)));
    const auto position = (*PageWriter::open(damaged))->append(payload(3));
    REQUIRE(position);
    CHECK(position->page == 2);
    CHECK(damaged.files().at("000000001.page").size() == page.size() - cut);
    CHECK(ids(damaged.files()) == std::vector<std::int64_t>{1, 3});
  }
  CHECK((*PageWriter::open(disk, {.least_number = 9}))->append(payload(4))->page == 9);
  FaultyDirectory misnamed;
  misnamed.put("5.page", page);
  CHECK((*PageWriter::open(misnamed))->append(payload(1))->page == 6);
}

TEST_CASE("power fails at any call: durable entries stay, a torn one is at an end", "[paging]") {
  FaultyDirectory whole;
  (void)append(whole, 1, 20);
  std::uint64_t crashes = 0;
  for (std::uint64_t call = 1; call <= whole.calls(); ++call) {
    for (std::uint64_t seed = 0; seed < 24; ++seed, ++crashes) {
      FaultyDirectory disk({.power_fails_at = call});
      const std::int64_t durable = append(disk, 1, 20);
      // Sectors that arrive out of order may leave a hole in the last entry; it has no checksum.
      const Loss loss = static_cast<Loss>(seed % 3);
      const auto files = disk.after_power_failure(loss, seed * 31 + call);
      const std::vector<std::int64_t> found = ids(files);
      INFO("call " << call << ", seed " << seed);
      REQUIRE(static_cast<std::int64_t>(found.size()) >= durable);
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i] == static_cast<std::int64_t>(i) + 1);
      }
      FaultyDirectory next;
      for (const auto& [name, content] : files) next.put(name, content);
      const std::int64_t more = append(next, 100, 6);
      CHECK(more >= 3);
      CHECK(ids(next.files()).size() == found.size() + 6);
    }
  }
  fmt::print("{} crashes while pages were written\n", crashes);
}

TEST_CASE("a call that fails is told, and durable entries stay", "[paging]") {
  FaultyDirectory whole;
  (void)append(whole, 1, 12);
  for (std::uint64_t call = 1; call <= whole.calls(); ++call) {
    for (const bool full : {false, true}) {
      FaultyDirectory disk(full ? FaultPlan{.full_from = call} : FaultPlan{.fails_at = call});
      const std::int64_t durable = append(disk, 1, 12);
      const auto found = ids(disk.files());
      REQUIRE(static_cast<std::int64_t>(found.size()) >= durable);
      disk.plan({});
      (void)append(disk, 100, 3);
      CHECK(ids(disk.files()).size() == found.size() + 3);
    }
  }
}

TEST_CASE("after a write that failed the next entry goes to a new page", "[paging]") {
  FaultyDirectory disk;
  auto writer = PageWriter::open(disk);
  REQUIRE((*writer)->append(payload(1)));
  disk.plan({.full_from = 1});
  CHECK_FALSE((*writer)->append(payload(2)));
  disk.plan({});
  const auto position = (*writer)->append(payload(3));
  REQUIRE(position);
  CHECK(position->page == 2);
  REQUIRE((*writer)->sync());
  CHECK(ids(disk.files()) == std::vector<std::int64_t>{1, 3});
  disk.plan({.fails_at = 2});
  REQUIRE((*writer)->append(payload(4)));
  CHECK_FALSE((*writer)->sync());
  CHECK_FALSE((*writer)->sync());
  CHECK_FALSE((*writer)->append(payload(5)));
}

TEST_CASE("the address of a folder is there whole or not at all", "[paging]") {
  FaultyDirectory whole;
  REQUIRE(write_address_file(whole, "orders"));
  CHECK(as_text(whole.after_power_failure(Loss::kAll, 1).at("address.txt")) == "orders\n");
  const auto again = write_address_file(whole, "other");
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::kExists);
  CHECK_FALSE(write_address_file(whole, "two\nlines"));
  for (std::uint64_t call = 1; call <= 5; ++call) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      FaultyDirectory disk({.power_fails_at = call});
      (void)write_address_file(disk, "orders");
      const auto files = disk.after_power_failure(static_cast<Loss>(seed % kLossKinds), seed);
      const auto found = files.find("address.txt");
      if (found != files.end()) CHECK(as_text(found->second) == "orders\n");
      FaultyDirectory next;
      for (const auto& [name, content] : files) next.put(name, content);
      if (found == files.end()) CHECK(write_address_file(next, "orders"));
    }
  }
}
