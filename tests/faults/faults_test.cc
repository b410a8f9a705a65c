// Calls to the system that fail, and disks that are full, at every call of random operations: the
// message names the file and the reason, what was durable is still there, nothing half made is left
// behind, and the journal can be opened again.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/crash/workload.h"

using namespace saranga;
using namespace saranga::test;

namespace {

constexpr std::size_t kOperations = 120;
constexpr std::uint64_t kSeeds = 6;

struct Counts {
  std::uint64_t faults = 0;
  std::uint64_t survived = 0;  // the writer went on, because the call was not needed yet
};

/// One seed, with one plan after the other.
class Faults {
 public:
  Faults(std::uint64_t seed, Counts& counts) : seed_(seed), counts_(counts) {}

  [[nodiscard]] std::uint64_t calls() const {
    FaultyDirectory disk;
    Workload whole(seed_);
    const std::string complaint = whole.live(disk, kOperations);
    INFO(complaint);
    CHECK(complaint.empty());
    return disk.calls();
  }

  void run(const FaultPlan& plan, const std::string& reason) {
    FaultyDirectory disk(plan);
    Workload work(seed_);
    work.expect_faults();
    work.live(disk, kOperations);
    ++counts_.faults;
    INFO("seed " << seed_ << ", call " << plan.fails_at + plan.full_from);
    for (const Error& error : work.faults()) {
      // A record is refused because an earlier one that it needs was not appended.
      if (error.code == ErrorCode::kNotFound && error.file.empty()) continue;
      INFO(error.message());
      CHECK(error.text.find(reason) != std::string::npos);
      CHECK(error.file.starts_with("disk"));
    }
    if (work.faults().empty()) ++counts_.survived;
    check_leftovers(disk, plan);
    check_state(work, disk, "after the fault");
    disk.plan({});
    Workload again(work);
    const std::string complaint = again.live(disk, kOperations);
    INFO(complaint);
    REQUIRE(complaint.empty());
    check_state(again, disk, "after opening again");
  }

 private:
  static void check_leftovers(const FaultyDirectory& disk, const FaultPlan& plan) {
    if (plan.keeps_failing) return;  // not even removing works
    for (const auto& [name, content] : disk.files()) CHECK_FALSE(name.ends_with(".tmp"));
  }
  static void check_state(Workload& work, const FaultyDirectory& disk, const std::string& when) {
    const Verdict verdict = work.check(disk.files(), Loss::kNothing, true);
    INFO(when << ": " << work.complaint());
    REQUIRE(verdict == Verdict::kRight);
  }

  std::uint64_t seed_;
  Counts& counts_;
};

}  // namespace

TEST_CASE("a call that fails once loses nothing that was durable") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Faults faults(seed, counts);
    const std::uint64_t calls = faults.calls();
    for (std::uint64_t call = 1; call <= calls; ++call) {
      faults.run({.fails_at = call}, "Input/output error");
    }
  }
  fmt::print("{} calls failed once, {} of them without anybody noticing; seeds 1 to {}\n",
             counts.faults, counts.survived, kSeeds);
}

TEST_CASE("a disk on which every call fails from some call on loses nothing that was durable") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Faults faults(seed, counts);
    const std::uint64_t calls = faults.calls();
    for (std::uint64_t call = 1; call <= calls; ++call) {
      faults.run({.fails_at = call, .keeps_failing = true}, "Input/output error");
    }
  }
  fmt::print("{} times every call failed from some call on; seeds 1 to {}\n", counts.faults,
             kSeeds);
}

TEST_CASE("a full disk is told, nothing is left of the file that did not fit, and all is there") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Faults faults(seed, counts);
    const std::uint64_t calls = faults.calls();
    for (std::uint64_t call = 1; call <= calls; ++call) {
      faults.run({.full_from = call}, "No space left on device");
    }
  }
  fmt::print(
      "the disk was full from {} different calls on, {} times without anybody noticing; "
      "seeds 1 to {}\n",
      counts.faults, counts.survived, kSeeds);
}
