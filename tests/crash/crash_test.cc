// Power fails, or the process is killed, at every call that changes the disk, while random
// operations run. Whatever is found afterwards is what the durable operations say, with any of the
// others whole or not at all: never a third state.
//
// A run of the tests takes a few thousand of these points; SARANGA_CRASH_ALL=1 in the environment
// takes more than 100,000, and SARANGA_CRASH_SEED=N begins with another seed.
#include <catch2/catch.hpp>
#include <charconv>
#include <cstdlib>
#include <unordered_set>

#include "tests/crash/workload.h"

using namespace saranga;
using namespace saranga::test;

namespace {

constexpr std::uint64_t kQuickPoints = 20'000;
constexpr std::uint64_t kAllPoints = 150'000;
constexpr std::size_t kOperations = 220;
constexpr std::size_t kLaterOperations = 40;

struct Counts {
  std::uint64_t points = 0;  // a crash, and what it left was read
  std::uint64_t mixed = 0;   // of these: a record that was not durable looked whole and was not
  std::uint64_t freed_files = 0;
  std::uint64_t seeds = 0;
  std::unordered_set<std::uint64_t> images;  // different contents of the disk
};

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  std::uint64_t number = otherwise;
  const std::string_view view(text);
  (void)std::from_chars(view.data(), view.data() + view.size(), number);
  return number;
}

std::uint64_t hash_of(const std::map<std::string, Buffer>& files) {
  std::uint64_t hash = 0;
  for (const auto& [name, content] : files) {
    hash = hash * 31 + std::hash<std::string_view>{}(name);
    hash = hash * 31 + std::hash<std::string_view>{}(as_text(content));
  }
  return hash;
}

/// All crashes of one seed.
class Crashes {
 public:
  Crashes(std::uint64_t seed, Counts& counts) : seed_(seed), counts_(counts) {}

  void run() {
    FaultyDirectory disk;
    Workload whole(seed_);
    expect(whole.live(disk, kOperations).empty(), whole, "without a crash");
    counts_.freed_files += whole.freed_files();
    for (std::uint64_t call = 1; call <= disk.calls(); ++call) crash_at(call);
    ++counts_.seeds;
  }

 private:
  void crash_at(std::uint64_t call) {
    FaultyDirectory disk({.power_fails_at = call});
    Workload work(seed_);
    work.live(disk, kOperations);
    const std::string place = fmt::format("power failed at call {}", call);
    expect(work.complaint().empty(), work, place);
    for (std::size_t kind = 0; kind < kLossKinds; ++kind) {
      const auto loss = static_cast<Loss>(kind);
      Workload after(work);
      const std::string lost = fmt::format("{}, loss {}", place, kind);
      const auto image = disk.after_power_failure(loss, seed_ * 7919 + call * 4 + kind);
      if (!look(after, image, loss, true, lost)) continue;
      if ((call + kind) % 4 == 0) go_on(after, image, lost, call);
    }
    kill_at(work, disk, call, place);
  }

  // A second life on what the crash left, with a crash of its own, and a third one without.
  void go_on(Workload& work, const std::map<std::string, Buffer>& image, const std::string& place,
             std::uint64_t call) {
    FaultyDirectory second;
    for (const auto& [name, content] : image) second.put(name, content);
    second.plan({.power_fails_at = 1 + (seed_ + call * 13) % 50});
    expect(work.live(second, kLaterOperations).empty(), work, place + ", then in the second life");
    const auto loss = static_cast<Loss>((seed_ + call) % kLossKinds);
    const auto later = second.after_power_failure(loss, seed_ + call);
    if (!look(work, later, loss, true, place + ", then in the second life")) return;
    FaultyDirectory third;
    for (const auto& [name, content] : later) third.put(name, content);
    expect(work.live(third, kLaterOperations).empty(), work, place + ", then in the third life");
    expect(work.check(third.files(), Loss::kNothing, true) == Verdict::kRight, work,
           place + ", then at the end of the third life");
  }

  // The process is killed and the machine runs on: what was not synced is seen by the next process,
  // and may be lost when power fails later.
  void kill_at(const Workload& before, FaultyDirectory& disk, std::uint64_t call,
               const std::string& place) {
    Workload work(before);
    if (!look(work, disk.files(), Loss::kNothing, false, place + ", killed")) return;
    disk.plan({.power_fails_at = 1 + (seed_ * 31 + call * 7) % 40});
    expect(work.live(disk, kLaterOperations).empty(), work, place + ", killed, then");
    const auto loss = static_cast<Loss>((seed_ / 3 + call) % kLossKinds);
    const auto image = disk.after_power_failure(loss, seed_ ^ call);
    (void)look(work, image, loss, true, place + ", killed, then power failed");
  }

  // Reads what a crash has left. False when there is nothing to go on with.
  bool look(Workload& work, const std::map<std::string, Buffer>& image, Loss loss, bool durable,
            const std::string& place) {
    const Verdict verdict = work.check(image, loss, durable);
    ++counts_.points;
    counts_.images.insert(hash_of(image));
    if (verdict == Verdict::kMixed) ++counts_.mixed;
    expect(verdict != Verdict::kWrong, work, place);
    return verdict == Verdict::kRight;
  }

  void expect(bool right, const Workload& work, const std::string& place) {
    if (right) return;
    const journal::WriterOptions& options = work.options();
    FAIL("seed " << seed_ << ", " << place << ": " << work.complaint() << " (alignment "
                 << options.alignment_bytes << ", files of " << options.file_size_bytes
                 << ", zeros " << options.zero_before_reuse << ")");
  }

  std::uint64_t seed_;
  Counts& counts_;
};

}  // namespace

TEST_CASE("a crash at any call leaves what was durable, and nothing torn") {
  const bool all = number_from_environment("SARANGA_CRASH_ALL", 0) != 0;
  const std::uint64_t first = number_from_environment("SARANGA_CRASH_SEED", 1);
  const std::uint64_t wanted = all ? kAllPoints : kQuickPoints;
  Counts counts;
  for (std::uint64_t seed = first; counts.points < wanted; ++seed) Crashes(seed, counts).run();
  fmt::print(
      "{} crashes, {} different disks, seeds {} to {}; {} files were freed and used again; "
      "{} crashes left a record that was not durable made of two\n",
      counts.points, counts.images.size(), first, first + counts.seeds - 1, counts.freed_files,
      counts.mixed);
  CHECK(counts.freed_files > counts.seeds);
}

namespace {

/// A queue whose messages all have the same length: in a file that is used again every record
/// stands exactly where an old one of its kind and length stood, and none is longer than a sector.
class EqualRecords {
 public:
  explicit EqualRecords(bool zeros)
      : opened_(journal::JournalWriter::open(
            disk_, engine_,
            {.file_size_bytes = kFileBytes, .buffer_bytes = 512, .zero_before_reuse = zeros},
            sink_)) {
    REQUIRE(opened_);
  }

  /// Appends so many messages, and deletes those that came eight before them.
  void append(std::uint64_t messages) {
    journal::JournalWriter& writer = **opened_;
    for (; messages > 0; --messages, ++next_id_) {
      const Buffer body = body_of(next_id_);
      const Bytes pieces[] = {body};
      REQUIRE(writer.add(next_id_, 45, pieces));
      appended_.insert(key(journal::RecordKind::kAdd, next_id_));
      const std::int64_t gone = next_id_ - 8;
      if (gone < kFirstId) continue;
      REQUIRE(writer.remove(gone));
      appended_.insert(key(journal::RecordKind::kDelete, gone));
    }
  }
  void sync() { REQUIRE((**opened_).sync()); }
  [[nodiscard]] std::uint64_t freed_files() const { return (**opened_).files().freed_total; }

  /// How many records a power failure now would leave that nobody has appended.
  [[nodiscard]] std::uint64_t mixed_after(Loss loss, std::uint64_t seed) const {
    const FreshRead read = read_fresh(disk_.after_power_failure(loss, seed));
    REQUIRE(read.failure.empty());
    return static_cast<std::uint64_t>(std::ranges::count_if(read.raw, [&](const RawRecord& raw) {
      const bool whole =
          raw.fields.kind != journal::RecordKind::kAdd || raw.body == body_of(raw.fields.id);
      return !whole || !appended_.contains({raw.fields.kind, raw.fields.tag, raw.fields.id});
    }));
  }

 private:
  using Key = std::tuple<journal::RecordKind, std::int32_t, std::int64_t>;
  static constexpr std::int64_t kFirstId = 0x0102030405060000;
  static constexpr std::uint64_t kPairBytes = 136;
  static constexpr std::uint64_t kFileBytes = journal::kHeaderBytes + 30 * kPairBytes;

  static Buffer body_of(std::int64_t id) {
    static const std::uint64_t bytes = kPairBytes -
                                       journal::encoded_bytes(journal::RecordKind::kAdd, 0) -
                                       journal::encoded_bytes(journal::RecordKind::kDelete, 0);
    return Buffer(static_cast<std::size_t>(bytes), static_cast<std::byte>(id % 251));
  }
  [[nodiscard]] Key key(journal::RecordKind kind, std::int64_t id) const {
    return {kind, static_cast<std::int32_t>((**opened_).files().current_id), id};
  }

  FaultyDirectory disk_;
  InlineRunner runner_;
  PwriteEngine engine_{runner_};
  IgnoreFindings sink_;
  std::int64_t next_id_ = kFirstId;
  std::set<Key> appended_;
  Result<std::unique_ptr<journal::JournalWriter>> opened_;
};

}  // namespace

TEST_CASE("a torn record in a file that is used again is whole or not there, if it was wiped") {
  for (const bool zeros : {true, false}) {
    EqualRecords journal(zeros);
    std::mt19937_64 random(3);
    std::uint64_t mixed = 0;
    std::uint64_t points = 0;
    journal.append(100);
    for (std::uint64_t round = 0; round < 200; ++round) {
      journal.sync();
      journal.append(1 + random() % 20);
      for (std::uint64_t seed = 0; seed < 8; ++seed, ++points) {
        const Loss loss = seed % 2 == 0 ? Loss::kTail : Loss::kAnything;
        if (journal.mixed_after(loss, round * 8 + seed) != 0) ++mixed;
      }
    }
    fmt::print(
        "records of equal size, files {} before they are used again: {} crashes, {} files "
        "freed, {} crashes left a record made of two\n",
        zeros ? "wiped" : "not wiped", points, journal.freed_files(), mixed);
    CHECK(journal.freed_files() > 10);
    CHECK((mixed == 0) == zeros);
  }
}

TEST_CASE("a crash while an interrupted compaction is finished leaves its result") {
  const auto name = [](int number) { return "activemq-data-" + std::to_string(number) + ".amq"; };
  const auto fill = [&](FaultyDirectory& disk) {
    disk.put(name(1), JournalBuilder(1).add(1).add_tx(7, 4).commit(7, 1).pad_to(1024).bytes());
    disk.put(name(2), JournalBuilder(2).remove(1).add(2).pad_to(1024).bytes());
    disk.put(name(3), JournalBuilder(3).add(3).prepare(9, 0).pad_to(1024).bytes());
    disk.put(name(4) + ".cmp", JournalBuilder(1).add_tx(7, 4).commit(7, 1).pad_to(1024).bytes());
    disk.put(name(5) + ".cmp", JournalBuilder(2).add(2).pad_to(1024).bytes());
    disk.put(std::string(journal::kControlFileName),
             control_file({name(1), name(2)}, {name(4) + ".cmp", name(5) + ".cmp"}));
  };
  const auto open = [](FaultyDirectory& disk) {
    InlineRunner runner;
    PwriteEngine engine(runner);
    IgnoreFindings sink;
    return journal::JournalWriter::open(disk, engine, {.file_size_bytes = 1024}, sink).has_value();
  };
  FaultyDirectory whole;
  fill(whole);
  const LoadedState expected = read_fresh(whole.files()).state;
  REQUIRE(expected.records.size() == 3);
  REQUIRE(open(whole));
  for (std::uint64_t call = 1; call <= whole.calls(); ++call) {
    FaultyDirectory disk;
    fill(disk);
    disk.plan({.power_fails_at = call});
    (void)open(disk);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto image = disk.after_power_failure(static_cast<Loss>(seed % kLossKinds), seed);
      INFO("power failed at call " << call << ", seed " << seed);
      CHECK(read_fresh(image).state == expected);
      FaultyDirectory next;
      for (const auto& [file, content] : image) next.put(file, content);
      REQUIRE(open(next));
      CHECK(read_fresh(next.files()).state == expected);
      CHECK_FALSE(next.files().contains(std::string(journal::kControlFileName)));
    }
  }
}
