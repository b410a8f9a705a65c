// Which records count after a load: every rule of docs/format/journal.md ("Loading a journal",
// "Transactions"), and the fold against a plain model on random journals.
#include "saranga/journal/survivors.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

using Ids = std::vector<std::int64_t>;

/// Reads built files in order, as a load does.
class Load {
 public:
  explicit Load(std::initializer_list<const JournalBuilder*> files) {
    for (const JournalBuilder* built : files) {
      names_.push_back("file-" + std::to_string(names_.size()));
      apply(*built);
    }
    survivors_.finish();
  }
  explicit Load(const JournalBuilder& file) : Load({&file}) {}

  [[nodiscard]] Ids ids() const {
    Ids ids;
    for (const PlacedRecord& placed : survivors_.records()) ids.push_back(placed.id);
    return ids;
  }
  [[nodiscard]] const Survivors& operator*() const { return survivors_; }
  [[nodiscard]] const std::vector<OpenTransaction>& open() const { return survivors_.open(); }
  [[nodiscard]] const Findings& findings() const { return findings_; }

 private:
  void apply(const JournalBuilder& built) {
    const auto file = memory_file(built.bytes());
    FileScanner scanner(*file, header_of(built.bytes()));
    Batch batch;
    while (*scanner.next(batch)) {
      for (const Record& record : batch.records) survivors_.apply(record, names_.size() - 1);
    }
  }

  Findings findings_;
  std::vector<std::string> names_;
  Survivors survivors_{findings_, names_};
};

Ids ids_of(const std::vector<PlacedRecord>& records) {
  Ids ids;
  for (const PlacedRecord& placed : records) ids.push_back(placed.id);
  return ids;
}

}  // namespace

TEST_CASE("adds and updates survive in the order in which they are read") {
  JournalBuilder first(1);
  JournalBuilder second(2);
  first.add(3).add(1).update(3).update(1);
  second.update(3).add(2);
  const Load load({&first, &second});
  CHECK(load.ids() == Ids{3, 1, 3, 1, 3, 2});
  const auto& records = (*load).records();
  CHECK(records[2].place == Place(0, first.records()[2].offset));
  CHECK(records[4].place == Place(1, second.records()[0].offset));
  CHECK(load.findings().all.empty());
  CHECK(load.open().empty());
}

TEST_CASE("an empty journal has no survivors") {
  const Load load(JournalBuilder(1));
  CHECK(load.ids().empty());
  CHECK(load.open().empty());
}

TEST_CASE("a delete takes away every record of its id, also those that come after it") {
  JournalBuilder first(1);
  JournalBuilder second(2);
  first.add(1).add(2).update(1).remove(1).add(1).remove(9);
  second.update(1).add(3).remove(3).add(9);
  CHECK(Load({&first, &second}).ids() == Ids{2});
}

TEST_CASE("two adds of one id survive both, and an update without its add as well") {
  JournalBuilder built;
  built.add(1).add(1).update(5);
  CHECK(Load(built).ids() == Ids{1, 1, 5});
}

TEST_CASE("events count for nothing, not even for a transaction of their id") {
  JournalBuilder built;
  built.event(1, 45).event(2, 45).add(2);
  CHECK(Load(built).ids() == Ids{2});
}

TEST_CASE("records of a transaction appear at its commit, in their own order") {
  JournalBuilder built;
  built.add(1).add_tx(7, 2).add(3).update_tx(7, 1).add(4).commit(7, 2).add(5);
  const Load load(built);
  CHECK(load.ids() == Ids{1, 3, 4, 2, 1, 5});
  CHECK((*load).records()[3].place == Place(0, built.records()[1].offset));
  CHECK(load.findings().all.empty());
}

TEST_CASE("deletes of a transaction take effect with its commit, and only then") {
  JournalBuilder committed;
  committed.add(1).add(2).remove_tx(7, 1).add_tx(7, 3).commit(7, 2);
  CHECK(Load(committed).ids() == Ids{2, 3});
  JournalBuilder rolled_back;
  rolled_back.add(1).add(2).remove_tx(7, 1).add_tx(7, 3).rollback(7);
  CHECK(Load(rolled_back).ids() == Ids{1, 2});
  JournalBuilder open;
  open.add(1).add(2).remove_tx(7, 1).add_tx(7, 3);
  CHECK(Load(open).ids() == Ids{1, 2});
}

TEST_CASE("a transaction that deletes what it adds leaves nothing") {
  JournalBuilder built;
  built.add_tx(7, 1).remove_tx(7, 1).commit(7, 2).add_tx(8, 2).commit(8, 1);
  CHECK(Load(built).ids() == Ids{2});
}

TEST_CASE("a commit counts the records of its own file only") {
  JournalBuilder first(1);
  JournalBuilder second(2);
  JournalBuilder third(3);
  first.add_tx(50, 1).add_tx(50, 2).add_tx(50, 3);
  second.add_tx(50, 4).remove_tx(50, 1).commit(50, 2);
  const Load load({&first, &second});
  CHECK(load.ids() == Ids{2, 3, 4});
  CHECK(load.findings().all.empty());
  SECTION("alone in a new file it counts none") {
    JournalBuilder alone(2);
    alone.commit(50, 0);
    CHECK(Load({&first, &alone}).ids() == Ids{1, 2, 3});
  }
  SECTION("with a file in between that it did not touch") {
    JournalBuilder other(2);
    other.add(9);
    third.add_tx(50, 4).commit(50, 1);
    CHECK(Load({&first, &other, &third}).ids() == Ids{9, 1, 2, 3, 4});
  }
  SECTION("the sum over all files is wrong") {
    JournalBuilder sum(2);
    sum.add_tx(50, 4).add_tx(50, 5).commit(50, 5);
    const Load wrong({&first, &sum});
    CHECK(wrong.ids().empty());
    CHECK(wrong.findings().codes() == std::vector<std::string>{"transaction-incomplete"});
  }
  SECTION("a loss in an earlier file is not noticed") {
    JournalBuilder lost(1);
    lost.add_tx(50, 1).add_tx(50, 3);
    CHECK(Load({&lost, &second}).ids() == Ids{3, 4});
  }
}

TEST_CASE("a commit with another number than was read drops its whole transaction") {
  for (const std::int32_t number : {0, 1, 3, -2, INT32_MAX}) {
    JournalBuilder built(4);
    built.add(9).add_tx(7, 1).remove_tx(7, 9).commit(7, number).add_tx(7, 2).commit(7, 1);
    const Load load(built);
    INFO("the commit says " << number);
    CHECK(load.ids() == Ids{9, 2});  // what comes later under the same id is a new transaction
    REQUIRE(load.findings().codes() == std::vector<std::string>{"transaction-incomplete"});
    const Finding& finding = load.findings().all[0];
    CHECK(finding.severity == Severity::kDamage);
    CHECK(finding.file == "file-0");
    CHECK(finding.offset == built.records()[3].offset);
    CHECK(finding.length_bytes == 22);
    CHECK(finding.id == 7);
    CHECK(finding.text == fmt::format("the commit of transaction 7 counts {} records in this file, "
                                      "2 are there; a broker drops the whole transaction",
                                      number));
  }
}

TEST_CASE("commits and rollbacks of unknown transactions are passed over in silence") {
  JournalBuilder built;
  built.commit(7, 3).commit(8, 0).rollback(9).add(1).rollback(7);
  const Load load(built);
  CHECK(load.ids() == Ids{1});
  CHECK(load.findings().all.empty());
  CHECK(load.open().empty());
}

TEST_CASE("a prepared transaction without outcome is in doubt and changes nothing") {
  JournalBuilder built;
  built.add(1).add_tx(7, 2).update_tx(7, 1).remove_tx(7, 1).prepare(7, 3, hex_bytes("0102")).add(3);
  const Load load(built);
  CHECK(load.ids() == Ids{1, 3});
  REQUIRE(load.open().size() == 1);
  const OpenTransaction& open = load.open()[0];
  CHECK(open.tx_id == 7);
  CHECK(open.prepared);
  CHECK_FALSE(open.prepare_mismatch);
  REQUIRE(open.prepare);
  CHECK(open.prepare->place == Place(0, built.records()[4].offset));
  CHECK(ids_of(open.records) == Ids{2, 1});
  CHECK(ids_of(open.deletes) == Ids{1});
  CHECK(load.findings().all.empty());
}

TEST_CASE("a prepared transaction is committed with the full number again, or rolled back") {
  JournalBuilder committed;
  committed.add_tx(7, 1).add_tx(7, 2).prepare(7, 2).commit(7, 2);
  CHECK(Load(committed).ids() == Ids{1, 2});
  JournalBuilder rolled_back;
  rolled_back.add_tx(7, 1).add_tx(7, 2).prepare(7, 2).rollback(7);
  CHECK(Load(rolled_back).ids().empty());
  CHECK(Load(rolled_back).open().empty());
  JournalBuilder first(1);
  JournalBuilder second(2);
  first.add_tx(7, 1).prepare(7, 1);
  second.commit(7, 0);
  CHECK(Load({&first, &second}).ids() == Ids{1});
}

TEST_CASE("prepares and commits of branches that wrote nothing are legal") {
  JournalBuilder built;
  built.prepare(7, 0).commit(7, 0).prepare(8, 0).rollback(8).prepare(9, 0, hex_bytes("AB")).add(1);
  const Load load(built);
  CHECK(load.ids() == Ids{1});
  CHECK(load.findings().all.empty());
  REQUIRE(load.open().size() == 1);
  CHECK(load.open()[0].prepared);
  CHECK(load.open()[0].records.empty());
  CHECK(load.open()[0].deletes.empty());
}

TEST_CASE("a prepare with a wrong number is no prepare, but a right commit mends it") {
  JournalBuilder open;
  open.add_tx(7, 1).prepare(7, 2);
  const Load left(open);
  CHECK(left.ids().empty());
  REQUIRE(left.open().size() == 1);
  CHECK_FALSE(left.open()[0].prepared);
  CHECK(left.open()[0].prepare_mismatch);
  CHECK(left.findings().codes() == std::vector<std::string>{"transaction-incomplete"});
  JournalBuilder committed;
  committed.add_tx(7, 1).prepare(7, 2).commit(7, 1);
  const Load mended(committed);
  CHECK(mended.ids() == Ids{1});
  CHECK(mended.open().empty());
}

TEST_CASE("open transactions come in the order of their first record") {
  JournalBuilder first(1);
  JournalBuilder second(2);
  first.add_tx(900, 1).add_tx(5, 2).prepare(70, 0).add_tx(12, 3).remove_tx(3, 9).rollback(12);
  second.add_tx(12, 4).add_tx(5, 5).commit(900, 0);
  const Load load({&first, &second});
  std::vector<std::int64_t> order;
  for (const OpenTransaction& open : load.open()) order.push_back(open.tx_id);
  CHECK(order == Ids{5, 70, 3, 12});
  CHECK(load.ids() == Ids{1});
  CHECK(ids_of(load.open()[0].records) == Ids{2, 5});
  CHECK(load.open()[0].records[1].place == Place(1, second.records()[1].offset));
}

TEST_CASE("deleted ids are known afterwards, those of dropped transactions are not among them") {
  JournalBuilder built;
  built.remove(5).remove_tx(7, 6).commit(7, 1).remove_tx(8, 9).rollback(8).remove(INT64_MIN);
  const Load load(built);
  CHECK((*load).deleted().size() == 3);
  CHECK((*load).deleted().contains(5));
  CHECK((*load).deleted().contains(6));
  CHECK((*load).deleted().contains(INT64_MIN));
  CHECK_FALSE((*load).deleted().contains(9));
}

TEST_CASE("more than a hundred thousand records are pruned on the way without any difference") {
  Findings findings;
  const std::vector<std::string> names = {"file"};
  Survivors survivors(findings, names);
  std::vector<std::int64_t> expected;
  std::uint64_t offset = 16;
  const auto apply = [&](RecordKind kind, std::int64_t id) {
    survivors.apply({.kind = kind, .id = id, .offset = offset++}, 0);
  };
  apply(RecordKind::kDelete, 250'000);  // long before its add
  for (std::int64_t id = 0; id < 300'000; ++id) {
    apply(RecordKind::kAdd, id);
    apply(RecordKind::kUpdate, id);
    if (id >= 10 && id % 50 != 0) apply(RecordKind::kDelete, id - 10);
  }
  const auto deleted = [](std::int64_t id) {
    return id == 250'000 || (id + 10 < 300'000 && (id + 10) % 50 != 0);
  };
  for (std::int64_t id = 0; id < 300'000; ++id) {
    if (!deleted(id)) expected.insert(expected.end(), 2, id);
  }
  survivors.finish();
  std::vector<std::int64_t> ids;
  std::uint64_t last = 0;
  bool ascending = true;
  for (const PlacedRecord& placed : survivors.records()) {
    ids.push_back(placed.id);
    ascending = ascending && placed.place.offset() > last;
    last = placed.place.offset();
  }
  CHECK((ids == expected));
  CHECK(ascending);
}

namespace {

/// The rules once more, as plainly as they can be said.
struct Model {
  struct Tx {
    std::size_t first = 0;
    std::vector<std::pair<std::size_t, PlacedRecord>> all;  // file, record
    std::vector<bool> deletes;
    bool prepared = false;
  };
  void apply(const RecordSpec& spec, std::size_t file, std::uint64_t offset) {
    const PlacedRecord placed{spec.id, Place(file, offset)};
    ++step;
    switch (spec.kind) {
      case RecordKind::kEvent: return;
      case RecordKind::kAdd:
      case RecordKind::kUpdate: listed.push_back(placed); return;
      case RecordKind::kDelete: gone.insert(spec.id); return;
      case RecordKind::kRollback: open.erase(spec.tx_id); return;
      case RecordKind::kPrepare:
        tx(spec.tx_id).prepared = in_file(spec.tx_id, file) == spec.number;
        return;
      case RecordKind::kCommit: commit(spec, file); return;
      default:
        tx(spec.tx_id).all.emplace_back(file, placed);
        tx(spec.tx_id).deletes.push_back(spec.kind == RecordKind::kDeleteTx);
        return;
    }
  }
  Tx& tx(std::int64_t id) {
    const auto [at, fresh] = open.try_emplace(id);
    if (fresh) at->second.first = step;
    return at->second;
  }
  std::int32_t in_file(std::int64_t id, std::size_t file) {
    return static_cast<std::int32_t>(
        std::ranges::count_if(tx(id).all, [&](const auto& one) { return one.first == file; }));
  }
  void commit(const RecordSpec& spec, std::size_t file) {
    if (!open.contains(spec.tx_id)) return;
    const Tx done = tx(spec.tx_id);
    const bool right = in_file(spec.tx_id, file) == spec.number;
    open.erase(spec.tx_id);
    for (std::size_t i = 0; right && i < done.all.size(); ++i) {
      if (done.deletes[i]) {
        gone.insert(done.all[i].second.id);
      } else {
        listed.push_back(done.all[i].second);
      }
    }
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const PlacedRecord& placed : listed) {
      if (gone.contains(placed.id)) continue;
      out += fmt::format("{}@{}:{} ", placed.id, placed.place.file(), placed.place.offset());
    }
    std::map<std::size_t, std::string> left;
    for (const auto& [id, tx] : open) {
      left[tx.first] = fmt::format("tx {} {} {} ", id, tx.prepared, tx.all.size());
    }
    for (const auto& [first, line] : left) out += line;
    return out;
  }
  std::size_t step = 0;
  std::vector<PlacedRecord> listed;
  std::set<std::int64_t> gone;
  std::map<std::int64_t, Tx> open;
};

std::string text_of(const Load& load) {
  std::string out;
  for (const PlacedRecord& placed : (*load).records()) {
    out += fmt::format("{}@{}:{} ", placed.id, placed.place.file(), placed.place.offset());
  }
  for (const OpenTransaction& open : load.open()) {
    out += fmt::format("tx {} {} {} ", open.tx_id, open.prepared,
                       open.records.size() + open.deletes.size());
  }
  return out;
}

}  // namespace

TEST_CASE("random journals: the fold agrees with the plain rules") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    std::mt19937_64 draw(seed);
    std::vector<JournalBuilder> files;
    Model model;
    for (std::size_t file = 0; file < 3; ++file) {
      files.emplace_back(static_cast<std::int64_t>(file) + 1);
      for (std::uint64_t i = draw() % 25; i > 0; --i) {
        const RecordSpec spec{.kind = kKinds[draw() % kKinds.size()].kind,
                              .tx_id = static_cast<std::int64_t>(draw() % 4),
                              .id = static_cast<std::int64_t>(draw() % 12),
                              .number = static_cast<std::int32_t>(draw() % 3)};
        files.back().record(spec);
        model.apply(spec, file, files.back().records().back().offset);
      }
    }
    const Load load({&files[0], &files[1], &files[2]});
    INFO("seed " << seed);
    REQUIRE(text_of(load) == model.text());
  }
}
