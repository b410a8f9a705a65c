// Power fails, or the process is killed, at every call of a compaction in place: what is read
// afterwards are the same live records, always, and whoever opens the journal next tidies up.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "saranga/journal/journal_writer.h"
#include "tests/support/compaction.h"

using namespace saranga;
using namespace saranga::test;
using Files = std::map<std::string, Buffer>;

namespace {

constexpr std::uint64_t kJournals = 12;
constexpr std::uint64_t kLosses = 24;
constexpr std::size_t kManyFiles = 40;  // a control file of more than one sector

struct Counts {
  std::uint64_t crashes = 0;
  std::uint64_t old_files = 0;
  std::uint64_t new_files = 0;
};

bool has_leftovers(const Files& files) {
  return std::ranges::any_of(files, [](const auto& file) { return !file.first.ends_with(".amq"); });
}

/// One journal, compacted again and again.
class CompactionCrashes {
 public:
  CompactionCrashes(std::uint64_t seed, Counts& counts)
      : seed_(seed),
        counts_(counts),
        files_(RandomJournal(seed, {.files = seed % 6 == 5 ? kManyFiles : 2 + seed % 3,
                                    .file_size = 4096,
                                    .alignment = seed % 3 == 0 ? std::size_t{512} : 1,
                                    .torn_tail = seed % 2 == 0})
                   .files()),
        expected_(live_state(files_)) {}

  void run() {
    FaultyDirectory disk;
    put_all(disk, files_);
    REQUIRE_FALSE(compact(disk));
    for (std::uint64_t call = 1; call <= disk.calls(); ++call) crash_at(call);
  }

 private:
  void crash_at(std::uint64_t call) {
    FaultyDirectory disk;
    put_all(disk, files_);
    disk.plan({.power_fails_at = call});
    (void)compact(disk);
    for (std::uint64_t lost = 0; lost < kLosses; ++lost) {
      const auto loss = static_cast<Loss>(lost % kLossKinds);
      const Files image = disk.after_power_failure(loss, seed_ * 1000 + lost);
      INFO("seed " << seed_ << ", call " << call << ", loss " << lost);
      look(image);
      if (lost < kLossKinds) go_on(image, call + lost);
    }
    INFO("seed " << seed_ << ", killed at call " << call);
    look(disk.files());
    killed(disk, call);
  }

  void look(const Files& image) {
    ++counts_.crashes;
    const bool old = std::ranges::all_of(files_, [&](const auto& file) {
      const auto found = image.find(file.first);
      return found != image.end() && found->second == file.second;
    });
    ++(old ? counts_.old_files : counts_.new_files);
    REQUIRE(live_state(image) == expected_);
  }

  // The next life compacts as well, or is that of a broker; then nothing is left behind.
  void go_on(const Files& image, std::uint64_t turn) {
    FaultyDirectory disk;
    put_all(disk, image);
    if (turn % 2 == 0) {
      REQUIRE_FALSE(compact(disk));
    } else {
      open(disk);
    }
    REQUIRE(without_lone(live_state(disk.files())) == without_lone(expected_));
    CHECK_FALSE(has_leftovers(disk.files()));
  }

  // The process is killed and the machine runs on; what it had not synced is lost while the next
  // process works.
  void killed(FaultyDirectory& disk, std::uint64_t call) {
    disk.plan({.power_fails_at = 1 + (seed_ + call * 7) % 25});
    if (call % 2 == 0) {
      (void)compact(disk);
    } else {
      open(disk);
    }
    for (std::uint64_t lost = 0; lost < kLosses; ++lost) {
      const auto loss = static_cast<Loss>(lost % kLossKinds);
      INFO("seed " << seed_ << ", killed at call " << call << ", then loss " << lost);
      ++counts_.crashes;
      const LoadedState found = live_state(disk.after_power_failure(loss, seed_ * 77 + lost));
      REQUIRE(without_lone(found) == without_lone(expected_));
    }
  }

  static void open(FaultyDirectory& disk) {
    InlineRunner runner;
    PwriteEngine engine(runner);
    NoFindings sink;
    (void)journal::JournalWriter::open(disk, engine, {.file_size_bytes = 4096}, sink);
  }

  std::uint64_t seed_;
  Counts& counts_;
  Files files_;
  LoadedState expected_;
};

}  // namespace

TEST_CASE("a crash at any call of a compaction leaves the same live records") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= kJournals; ++seed) CompactionCrashes(seed, counts).run();
  fmt::print("{} crashes of {} compactions: {} left the old files, {} others\n", counts.crashes,
             kJournals, counts.old_files, counts.new_files);
  CHECK(counts.old_files > 1000);
  CHECK(counts.new_files > 1000);
}
