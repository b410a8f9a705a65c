// Every call of a compaction fails in turn, or the disk is full from it on: the message names file
// and reason, the same records are live, and nothing half made is left behind.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/support/compaction.h"

using namespace saranga;
using namespace saranga::test;
using Files = std::map<std::string, Buffer>;

namespace {

constexpr std::uint64_t kJournals = 20;

struct Counts {
  std::uint64_t faults = 0;
  std::uint64_t untouched = 0;  // everything was as before
};

bool has_control(const Files& files) {
  return files.contains(std::string(journal::kControlFileName));
}

void check_nothing_left(const Files& before, const Files& after) {
  for (const auto& [name, content] : after) {
    INFO(name);
    CHECK_FALSE(name.ends_with(".cmp"));
    CHECK_FALSE(name.ends_with(".tmp"));
  }
  CHECK(after == before);
}

void fail_everywhere(FaultPlan plan, std::uint64_t FaultPlan::* at, const std::string& reason,
                     Counts& counts) {
  for (std::uint64_t seed = 1; seed <= kJournals; ++seed) {
    const Files files = RandomJournal(seed, {.files = 3, .torn_tail = seed % 2 == 0}).files();
    const LoadedState expected = live_state(files);
    FaultyDirectory whole;
    put_all(whole, files);
    REQUIRE_FALSE(compact(whole));
    for (std::uint64_t call = 1; call <= whole.calls(); ++call) {
      plan.*at = call;
      FaultyDirectory disk;
      put_all(disk, files);
      disk.plan(plan);
      const auto error = compact(disk);
      INFO("seed " << seed << ", call " << call << ": " << (error ? error->message() : ""));
      ++counts.faults;
      REQUIRE(live_state(disk.files()) == expected);
      if (error) {
        CHECK(error->text.find(reason) != std::string::npos);
        CHECK(error->file.starts_with("disk"));
      }
      if (error && !has_control(disk.files()) && !plan.keeps_failing && call > 1 &&
          disk.files().size() >= files.size()) {
        check_nothing_left(files, disk.files());
        ++counts.untouched;
      }
      disk.plan({});
      REQUIRE_FALSE(compact(disk));
      CHECK(live_state(disk.files()) == expected);
      CHECK_FALSE(has_control(disk.files()));
    }
  }
}

}  // namespace

TEST_CASE("a call of a compaction that fails loses nothing") {
  Counts counts;
  fail_everywhere({}, &FaultPlan::fails_at, "Input/output error", counts);
  fmt::print("{} calls of a compaction failed, {} times all was as before\n", counts.faults,
             counts.untouched);
  CHECK(counts.untouched > 100);
}

TEST_CASE("a compaction on a disk on which nothing works any more loses nothing") {
  Counts counts;
  fail_everywhere({.keeps_failing = true}, &FaultPlan::fails_at, "Input/output error", counts);
  fmt::print("{} times everything failed from some call of a compaction on\n", counts.faults);
}

TEST_CASE("a compaction on a full disk says so and leaves nothing behind") {
  Counts counts;
  fail_everywhere({}, &FaultPlan::full_from, "No space left on device", counts);
  fmt::print("the disk was full from {} calls of a compaction on, {} times all was as before\n",
             counts.faults, counts.untouched);
  CHECK(counts.untouched > 100);
}
