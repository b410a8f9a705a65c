// The accounting of a load: small journals with sums done by hand, random ones against a plain
// model of the rules, and the fixtures against what must hold of any store.
#include "saranga/journal/liveness.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"
#include "saranga/journal/survivors.h"
#include "tests/support/journal_builder.h"

namespace fs = std::filesystem;
using namespace saranga;
using namespace saranga::journal;
using test::JournalBuilder;

namespace {

constexpr std::int8_t kDeliveryCount = 34;

LivenessOptions options() {
  LivenessOptions made;
  made.replaceable.set(kDeliveryCount);
  made.replaceable.set(36);
  return made;
}

/// Scans built files in order and accounts for them.
class Accounted {
 public:
  explicit Accounted(const std::vector<JournalBuilder>& files) : liveness_(options()) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto file = test::memory_file(files[i].bytes());
      FileScanner scanner(*file, parse_header(files[i].bytes()));
      Batch batch;
      for (auto more = scanner.next(batch); more && *more; more = scanner.next(batch)) {
        for (const Record& record : batch.records) liveness_.apply(record, i);
      }
    }
    liveness_.finish();
    circumstances_.resize(files.size());
  }
  [[nodiscard]] const Liveness& operator*() const { return liveness_; }
  [[nodiscard]] const Liveness* operator->() const { return &liveness_; }
  [[nodiscard]] std::vector<FileVerdict> check() const { return liveness_.check(circumstances_); }
  [[nodiscard]] std::string states() const { return states_of(check()); }
  static std::string states_of(const std::vector<FileVerdict>& verdicts) {
    std::string text;
    for (const FileVerdict& verdict : verdicts) text += "fcrk"[static_cast<int>(verdict.state)];
    return text;
  }
  std::vector<FileCircumstances>& circumstances() { return circumstances_; }

 private:
  Liveness liveness_;
  std::vector<FileCircumstances> circumstances_;
};

std::vector<JournalBuilder> files(int count) {
  std::vector<JournalBuilder> made;
  for (int i = 1; i <= count; ++i) made.emplace_back(i);
  return made;
}

}  // namespace

TEST_CASE("live records are counted in the file that holds them") {
  auto f = files(2);
  f[0].add(1, 45, test::Buffer(10)).update(1, 32, test::Buffer(8)).add(2);
  f[1].update(1, 33, test::Buffer(8)).remove(2);
  const Accounted accounted(f);
  CHECK(accounted->live_ids() == 1);
  CHECK(accounted->is_live(1));
  CHECK_FALSE(accounted->is_live(2));
  CHECK(accounted->file(0).positives == 3);
  CHECK(accounted->file(0).live_records == 2);
  CHECK(accounted->file(0).live_bytes == 33 + 31);
  CHECK(accounted->file(0).adds == 2);
  CHECK(accounted->file(1).positives == 1);
  CHECK(accounted->file(1).live_bytes == 31);
  REQUIRE(accounted->cancels(1).size() == 1);
  CHECK(accounted->cancels(1)[0].file == 0);
  CHECK(accounted->cancels(1)[0].by_deletes == 1);
  const auto records = accounted->records_of(1);
  REQUIRE(records.size() == 3);
  CHECK((records[0].file == 1 && records[0].user_type == 33 && !records[0].is_first));
  CHECK((records[2].file == 0 && records[2].user_type == 45 && records[2].is_first));
  CHECK(accounted->records_of(2).empty());
  CHECK(accounted->file(7).positives == 0);
  CHECK(accounted->cancels(7).empty());
}

TEST_CASE("a file goes when later closed files cancel everything in it") {
  auto f = files(3);
  f[0].add(1).add(2);
  f[1].remove(1).remove(2);
  f[2].add(3);
  CHECK(Accounted(f).states() == "rrc");
}

TEST_CASE("deletes in the current file release nothing yet") {
  auto f = files(2);
  f[0].add(1);
  f[1].remove(1);
  const Accounted accounted(f);
  CHECK(accounted.states() == "kc");
  const auto verdict = accounted.check()[0];
  CHECK(verdict.cancelled == 0);
  CHECK(verdict.cancelled_by_current == 1);
  CHECK(verdict.uncancelled(accounted->file(0)) == 1);
}

TEST_CASE("a chain of deletes is kept by the live record at its beginning") {
  auto f = files(5);
  f[0].add(1).add(2);
  f[1].remove(2).add(3);
  f[2].remove(3).add(4);
  f[3].remove(4).add(5).remove(5);
  f[4].add(6);
  const Accounted accounted(f);
  CHECK(accounted.states() == "kkkkc");
  const auto verdicts = accounted.check();
  CHECK(verdicts[0].needed_for.empty());
  for (std::size_t i = 1; i < 4; ++i) {
    REQUIRE(verdicts[i].needed_for.size() == 1);
    CHECK(verdicts[i].needed_for[0].file == i - 1);
    CHECK(verdicts[i].uncancelled(accounted->file(i)) == 0);
  }
  // The one message gone, everything goes at once.
  f[4].remove(1);
  f.emplace_back(6).add(7);
  CHECK(Accounted(f).states() == "rrrrkc");
}

TEST_CASE("a file of deletes alone stays while what they delete is there") {
  auto f = files(4);
  f[0].add(1).add(2);
  f[1].remove(2);
  f[2].add(3).remove(3);
  f[3].add(4);
  CHECK(Accounted(f).states() == "kkrc");
}

TEST_CASE("transactions keep the files they wrote to until their outcome is in a closed file") {
  auto f = files(4);
  f[0].add_tx(7, 1).add_tx(7, 2);
  f[1].remove_tx(7, 1).commit(7, 1);
  f[2].remove(2);
  f[3].add(9);
  {
    const Accounted accounted(f);
    // Two adds and the touch in file 0; the touch in file 1.
    CHECK(accounted->file(0).positives == 3);
    CHECK(accounted->file(1).positives == 1);
    REQUIRE(accounted->cancels(1).size() == 2);
    CHECK((accounted->cancels(1)[0].by_deletes == 1 && accounted->cancels(1)[0].by_outcomes == 1));
    CHECK((accounted->cancels(1)[1].file == 1 && accounted->cancels(1)[1].by_outcomes == 1));
    CHECK(accounted.states() == "rrrc");
  }
  SECTION("a wrong number drops it as if it had never been") {
    f[1].commit(7, 1);  // unknown by now, and so no data
    auto g = files(2);
    g[0].add_tx(8, 1).commit(8, 5);
    g[1].add(2);
    const Accounted accounted(g);
    CHECK(accounted->file(0).positives == 0);
    CHECK(accounted->live_ids() == 1);
    CHECK(accounted.states() == "rc");
  }
  SECTION("a rollback needs the files as a commit does") {
    auto g = files(3);
    g[0].add_tx(8, 1).add(5);
    g[1].rollback(8);
    g[2].add(2);
    const Accounted accounted(g);
    CHECK(accounted->file(0).positives == 2);
    CHECK(accounted.states() == "kkc");
    CHECK(accounted.check()[1].needed_for[0].by_outcomes == 1);
  }
}

TEST_CASE("open transactions keep their files") {
  auto f = files(4);
  f[0].add_tx(7, 1, 45, test::Buffer(3));
  f[1].remove_tx(7, 4).prepare(7, 1, test::Buffer(2));
  f[2].add_tx(8, 2);
  f[3].add(9);
  const Accounted accounted(f);
  CHECK(accounted.states() == "kkkc");
  REQUIRE(accounted->open().size() == 2);
  const OpenTouch& prepared = accounted->open()[0];
  CHECK((prepared.tx_id == 7 && prepared.prepared));
  REQUIRE(prepared.files.size() == 2);
  CHECK((prepared.files[0].records == 1 && prepared.files[0].bytes == 34));
  CHECK((prepared.files[1].records == 2 && prepared.files[1].bytes == 30 + 28));
  CHECK_FALSE(accounted->open()[1].prepared);
  CHECK(accounted->file(1).open_touches == 1);
  CHECK(accounted->file(1).pending_bytes == 58);
  // A prepare whose number is wrong does not count for its file, the records still do.
  auto g = files(3);
  g[0].add_tx(7, 1);
  g[1].prepare(7, 5);
  g[2].add(9);
  const Accounted invalid(g);
  CHECK(invalid.states() == "krc");
  CHECK_FALSE(invalid->open()[0].prepared);
}

TEST_CASE("what holds nothing is free already") {
  auto f = files(5);
  f[0].event(1, 50);
  f[1].commit(99, 3).rollback(98);  // of transactions that are long gone
  f[2].add(1);
  f[4].pad_to(4096);
  Accounted accounted(f);
  CHECK(accounted.states() == "ffcff");
  accounted.circumstances()[0].marked = true;  // damage makes it a data file, kept by nothing
  CHECK(accounted.states() == "rfcff");
  CHECK(Accounted(files(2)).states() == "ff");
}

TEST_CASE("what Artemis cannot cancel any more is told") {
  auto f = files(3);
  f[0].add(1).update(1).remove(2);
  f[1].add(1).add(2);  // the same id again, and an add behind its delete
  f[2].add(3);
  const Accounted accounted(f);
  CHECK(accounted->file(0).replaced_records == 2);
  CHECK(accounted->file(0).live_records == 0);
  CHECK(accounted->file(0).positives == 2);
  CHECK(accounted->is_live(2));  // a load would not deliver it, but it is accounted for
  CHECK(accounted.states() == "kkc");
  // An update without its add counts for nothing, one in a transaction for a whole record.
  auto g = files(2);
  g[0].update(5);
  g[1].update_tx(7, 6).commit(7, 1);
  const Accounted updates(g);
  CHECK(updates->file(0).positives == 0);
  CHECK(updates->is_live(6));
  CHECK(updates.states() == "rc");
}

TEST_CASE("deletes in front of what they delete do not count") {
  auto f = files(4);
  f[0].remove_tx(7, 1);  // belongs to this file, whenever it is committed
  f[1].add(1);
  f[2].commit(7, 0);
  f[3].add(9);
  const Accounted accounted(f);
  const auto verdicts = accounted.check();
  CHECK(verdicts[1].cancelled_too_early == 1);
  CHECK(Accounted::states_of(verdicts) == "rkrc");
}

TEST_CASE("a pending retention copy keeps a file") {
  auto f = files(3);
  f[0].add(1).remove(1);
  f[1].add(2).remove(2);
  f[2].add(3);
  Accounted accounted(f);
  CHECK(accounted.states() == "rrc");
  accounted.circumstances()[0].retention_pending = true;
  CHECK(accounted.states() == "krc");
  CHECK(accounted.check()[0].retention_pending);
}

TEST_CASE("the rules of compaction") {
  auto f = files(13);
  for (int i = 0; i < 12; ++i) f[static_cast<std::size_t>(i)].add(i + 1, 45, test::Buffer(977));
  f[12].add(100, 45, test::Buffer(77));
  const Accounted accounted(f);
  const auto verdicts = accounted.check();
  CompactionRules rules{.file_size_bytes = 4096};
  auto outlook = accounted->outlook(rules, verdicts);
  CHECK(outlook.data_files == 12);
  CHECK(outlook.live_bytes == 12'000);
  CHECK(outlook.limit_bytes == 14'745);  // 12 files of 4096 bytes, 30 %
  CHECK(outlook.starts());
  CHECK(outlook.input_files == 13);
  CHECK(outlook.surviving_bytes == 12'100);
  CHECK(outlook.output_files == 3);
  rules.percentage = 24;
  CHECK_FALSE(accounted->outlook(rules, verdicts).starts());
  rules.percentage = 30;
  rules.min_files = 12;  // there must be more files than that
  CHECK_FALSE(accounted->outlook(rules, verdicts).starts());
  rules.min_files = 0;  // off
  CHECK_FALSE(accounted->outlook(rules, verdicts).starts());
}

TEST_CASE("many replaceable updates start a compaction") {
  auto f = files(14);
  f[0].add(1, 45, test::Buffer(500));
  for (std::size_t i = 0; i < 13; ++i) {
    // The second one of the file does not count, nor does one that follows another update there.
    f[i].update(1, kDeliveryCount, test::Buffer(12)).update(1, kDeliveryCount, test::Buffer(12));
  }
  f[13].update(1, 32).update(1, kDeliveryCount);
  const Accounted accounted(f);
  CHECK(accounted->file(0).replaceables == 1);
  CHECK(accounted->file(13).replaceables == 0);
  const CompactionRules rules{.file_size_bytes = 1024, .percentage = 0};
  const auto outlook = accounted->outlook(rules, accounted.check());
  CHECK(outlook.replaceables == 13);
  CHECK(outlook.adds == 1);
  CHECK(outlook.starts_by_updates);
  CHECK_FALSE(outlook.starts_by_size);
}

// ---- random journals against the rules as they are written
// ---------------------------------------

namespace {

/// The counts of 6.1, kept as simply as possible: lists of records, and sums over them.
class PlainModel {
 public:
  void apply(const Record& record, std::size_t file) {
    switch (record.kind) {
      case RecordKind::kAdd:
        live_[record.id] = {{file, record.length_bytes}};
        positive(file);
        break;
      case RecordKind::kUpdate:
        if (live_.contains(record.id)) update(record.id, file, record.length_bytes);
        break;
      case RecordKind::kDelete: remove(record.id, file); break;
      case RecordKind::kAddTx:
      case RecordKind::kUpdateTx:
      case RecordKind::kDeleteTx:
        open_[record.tx_id].push_back({record, file});
        ++counts_[record.tx_id][file];
        break;
      case RecordKind::kPrepare:
        if (counts_[record.tx_id][file] == record.number) prepared_[record.tx_id].insert(file);
        open_[record.tx_id];
        break;
      case RecordKind::kCommit:
      case RecordKind::kRollback: outcome(record, file); break;
      default: break;
    }
  }
  void finish() {
    for (const auto& [tx, records] : open_) {
      for (const std::size_t file : touched(tx)) positive(file);
    }
  }
  std::map<std::size_t, std::uint64_t> positives;
  std::map<std::size_t, std::map<std::size_t, std::uint64_t>> negatives;
  [[nodiscard]] std::map<std::size_t, std::uint64_t> live_bytes() const {
    std::map<std::size_t, std::uint64_t> bytes;
    for (const auto& [id, records] : live_) {
      for (const auto& [file, length] : records) bytes[file] += length;
    }
    return bytes;
  }
  [[nodiscard]] std::size_t live() const { return live_.size(); }

 private:
  void positive(std::size_t file) { ++positives[file]; }
  void update(std::int64_t id, std::size_t file, std::uint64_t length) {
    live_[id].emplace_back(file, length);
    positive(file);
  }
  void remove(std::int64_t id, std::size_t file) {
    if (!live_.contains(id)) return;
    for (const auto& [in_file, length] : live_[id]) ++negatives[file][in_file];
    live_.erase(id);
  }
  std::set<std::size_t> touched(std::int64_t tx) {
    std::set<std::size_t> files = prepared_[tx];
    for (const auto& [record, file] : open_[tx]) files.insert(file);
    return files;
  }
  void outcome(const Record& record, std::size_t file) {
    if (!open_.contains(record.tx_id)) return;
    const bool commit = record.kind == RecordKind::kCommit;
    if (!commit || counts_[record.tx_id][file] == record.number) {
      for (const auto& [item, at] : open_[record.tx_id]) {
        if (!commit || item.kind == RecordKind::kDeleteTx) continue;
        if (live_.contains(item.id)) {
          update(item.id, at, item.length_bytes);
        } else {
          live_[item.id] = {{at, item.length_bytes}};
          positive(at);
        }
      }
      for (const auto& [item, at] : open_[record.tx_id]) {
        if (commit && item.kind == RecordKind::kDeleteTx) remove(item.id, at);
      }
      for (const std::size_t in_file : touched(record.tx_id)) {
        positive(in_file);
        ++negatives[file][in_file];
      }
    }
    open_.erase(record.tx_id);
    counts_.erase(record.tx_id);
    prepared_.erase(record.tx_id);
  }
  std::map<std::int64_t, std::vector<std::pair<std::size_t, std::uint64_t>>> live_;
  std::map<std::int64_t, std::vector<std::pair<Record, std::size_t>>> open_;
  std::map<std::int64_t, std::map<std::size_t, std::int32_t>> counts_;
  std::map<std::int64_t, std::set<std::size_t>> prepared_;
};

Record random_record(std::mt19937& random, std::map<std::int64_t, std::int32_t>& in_file) {
  constexpr std::array kMix = {RecordKind::kAdd,     RecordKind::kAdd,      RecordKind::kUpdate,
                               RecordKind::kUpdate,  RecordKind::kDelete,   RecordKind::kDelete,
                               RecordKind::kAddTx,   RecordKind::kUpdateTx, RecordKind::kDeleteTx,
                               RecordKind::kPrepare, RecordKind::kCommit,   RecordKind::kRollback,
                               RecordKind::kEvent};
  Record record{.kind = kMix[random() % kMix.size()],
                .user_type = static_cast<std::int8_t>(random() % 50),
                .length_bytes = static_cast<std::uint32_t>(20 + random() % 500),
                .tx_id = static_cast<std::int64_t>(random() % 6),
                .id = static_cast<std::int64_t>(random() % 200)};
  record.number = in_file[record.tx_id] + (random() % 20 == 0 ? 1 : 0);
  if (record.kind == RecordKind::kAddTx || record.kind == RecordKind::kUpdateTx ||
      record.kind == RecordKind::kDeleteTx) {
    ++in_file[record.tx_id];
  }
  if (record.kind == RecordKind::kCommit || record.kind == RecordKind::kRollback) {
    in_file[record.tx_id] = 0;
  }
  return record;
}

}  // namespace

TEST_CASE("random journals give the sums of a plain model") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Liveness liveness(options());
    PlainModel model;
    constexpr std::size_t kFiles = 12;
    for (std::size_t file = 0; file < kFiles; ++file) {
      std::map<std::int64_t, std::int32_t> in_file;
      for (int i = 0; i < 300; ++i) {
        const Record record = random_record(random, in_file);
        liveness.apply(record, file);
        model.apply(record, file);
      }
    }
    liveness.finish();
    model.finish();
    REQUIRE(liveness.live_ids() == model.live());
    std::size_t visited = 0;
    liveness.visit_live([&](std::int64_t id, std::span<const LiveRecord> records) {
      ++visited;
      if (!liveness.is_live(id) || records.empty() || !records.back().is_first) FAIL("id " << id);
    });
    REQUIRE(visited == model.live());
    auto bytes = model.live_bytes();
    for (std::size_t file = 0; file < kFiles; ++file) {
      CAPTURE(file);
      REQUIRE(liveness.file(file).positives == model.positives[file]);
      REQUIRE(liveness.file(file).live_bytes == bytes[file]);
      std::map<std::size_t, std::uint64_t> negatives;
      for (const Cancelling& c : liveness.cancels(file)) negatives[c.file] = c.count();
      REQUIRE(negatives == model.negatives[file]);
      // What is positive is live, open, added twice, or cancelled by somebody.
      const FileLiveness counted = liveness.file(file);
      std::uint64_t cancelled = 0;
      for (std::size_t by = 0; by < kFiles; ++by) {
        for (const Cancelling& c : liveness.cancels(by))
          cancelled += c.file == file ? c.count() : 0;
      }
      REQUIRE(counted.positives ==
              counted.live_records + counted.open_touches + counted.replaced_records + cancelled);
    }
  }
}

// ---- fixtures
// ------------------------------------------------------------------------------------

TEST_CASE("in the fixtures what is live is what survives") {
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(SARANGA_FIXTURES)) {
    const std::string folder = entry.path() / "store/journal";
    if (!fs::is_directory(folder)) continue;
    CAPTURE(folder);
    const auto directory = open_disk_directory(folder);
    REQUIRE(directory);
    class : public FindingSink {
      void finding(Finding /*finding*/) override {}
    } sink;
    const auto read = read_folder(**directory, JournalKind::kMessages, "journal", sink);
    REQUIRE(read);
    std::vector<std::string> names;
    for (const JournalFile& file : read->files) names.push_back(file.name);
    Survivors survivors(sink, names);
    Liveness liveness(options());
    std::vector<FileCircumstances> circumstances;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto file = (*directory)->open(names[i]);
      REQUIRE(file);
      FileScanner scanner(**file, read->files[i].header);
      Batch batch;
      for (auto more = scanner.next(batch); more && *more; more = scanner.next(batch)) {
        for (const Record& record : batch.records) {
          survivors.apply(record, i);
          liveness.apply(record, i);
        }
      }
      circumstances.push_back({.marked = scanner.marked()});
    }
    survivors.finish();
    liveness.finish();
    // Every surviving record is of a live id, and the sums of both agree.
    std::uint64_t live_records = 0;
    for (std::size_t i = 0; i < names.size(); ++i) live_records += liveness.file(i).live_records;
    CHECK(survivors.records().size() == live_records);
    for (const PlacedRecord& record : survivors.records()) {
      if (!liveness.is_live(record.id)) FAIL_CHECK("id " << record.id);
    }
    const auto verdicts = liveness.check(circumstances);
    CHECK(std::ranges::count(verdicts, FileState::kCurrent, &FileVerdict::state) == 1);
    ++compared;
  }
  CHECK(compared >= 25);
}
