// Compaction: the same records before and after, in fewer files.
#include "saranga/journal/compactor.h"

#include <catch2/catch.hpp>

#include "saranga/journal/journal_writer.h"
#include "tests/support/compaction.h"

using namespace saranga;
using namespace saranga::test;
using Files = std::map<std::string, Buffer>;

namespace {

constexpr std::size_t kSize = 4096;

std::string name(int number) { return "activemq-data-" + std::to_string(number) + ".amq"; }

FreshRead compacted(const Files& files, journal::CompactorOptions options = compactor_options(),
                    journal::CompactionFigures* figures = nullptr) {
  FaultyDirectory disk;
  put_all(disk, files);
  const auto error = compact(disk, std::move(options), figures);
  INFO((error ? error->message() : ""));
  REQUIRE_FALSE(error);
  return read_fresh(disk.files());
}

std::vector<journal::RecordKind> kinds(const FreshRead& read) {
  std::vector<journal::RecordKind> result;
  for (const RawRecord& record : read.raw) result.push_back(record.fields.kind);
  return result;
}

/// Notes the codes of findings.
class Codes final : public FindingSink {
 public:
  void finding(Finding finding) override { codes.emplace_back(finding.code); }
  std::vector<std::string> codes;
};

/// A compaction into another folder of the same process.
struct Copy {
  FaultyDirectory disk;
  std::optional<Error> error;
  journal::CompactionFigures figures;
  Codes codes;

  explicit Copy(const Files& files) {
    MemoryDirectory from;
    for (const auto& [file, content] : files) from.put(file, content);
    InlineRunner runner;
    PwriteEngine engine(runner);
    auto compactor = journal::Compactor::to(from, disk, engine, compactor_options(), codes);
    auto more = compactor.step();
    while (more && *more) more = compactor.step();
    if (!more) error = more.error();
    figures = compactor.figures();
  }
};

}  // namespace

TEST_CASE("random journals load the same after compaction, in place and elsewhere") {
  std::uint64_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const RandomJournalOptions shape{.files = 1 + seed % 6,
                                     .file_size = seed % 3 == 0 ? std::size_t{8192} : kSize,
                                     .alignment = seed % 4 == 0 ? std::size_t{512} : 1,
                                     .torn_tail = seed % 5 == 0};
    const RandomJournal journal(seed, shape);
    INFO("seed " << seed);
    const LoadedState expected = live_state(journal.files());
    journal::CompactionFigures figures;
    const FreshRead in_place = compacted(journal.files(), compactor_options(), &figures);
    CHECK(in_place.failure.empty());
    CHECK(without_replaced(in_place.state) == in_place.state);
    CHECK(in_place.state == expected);
    CHECK(in_place.raw.size() == figures.records_after);
    CHECK(figures.output_files <= std::max<std::size_t>(figures.input_files, 1));
    // A journal without records does not tell how it was written.
    const bool blocks = shape.alignment == 512 && figures.records_before != 0;
    CHECK((figures.alignment_bytes >= 512) == blocks);
    const Copy copy(journal.files());
    REQUIRE_FALSE(copy.error);
    CHECK(live_state(copy.disk.files()) == expected);
    CHECK(copy.disk.files().size() == figures.output_files);
    dropped += figures.records_before - figures.records_after;
  }
  CHECK(dropped > 1000);
}

TEST_CASE("a second compaction changes nothing but the counts of compactions") {
  const RandomJournal journal(5, {});
  FaultyDirectory disk;
  put_all(disk, journal.files());
  REQUIRE_FALSE(compact(disk));
  const auto once = disk.files();
  journal::CompactionFigures figures;
  REQUIRE_FALSE(compact(disk, compactor_options(), &figures));
  CHECK_FALSE(figures.worthwhile());
  CHECK(read_fresh(disk.files()).state == read_fresh(once).state);
  CHECK(disk.files().size() == once.size());
}

TEST_CASE("a committed transaction stays one, with a new count and without what was deleted") {
  using enum journal::RecordKind;
  const Files files{{name(1), JournalBuilder(1).add_tx(7, 1).add_tx(7, 2).pad_to(kSize).bytes()},
                    {name(2), JournalBuilder(2)
                                  .add_tx(7, 3)
                                  .prepare(7, 1)
                                  .remove_tx(7, 50)
                                  .commit(7, 2)
                                  .remove(2)
                                  .pad_to(kSize)
                                  .bytes()}};
  const FreshRead read = compacted(files);
  CHECK(kinds(read) == std::vector{kAddTx, kAddTx, kCommit});
  REQUIRE(read.state.records.size() == 2);
  CHECK(read.state.records[0].id == 1);
  CHECK(read.state.records[1].id == 3);
  CHECK(read.dropped.empty());
}

TEST_CASE("a transaction without anything left goes with its commit") {
  const Files files{{name(1), JournalBuilder(1)
                                  .add_tx(7, 1)
                                  .commit(7, 1)
                                  .remove(1)
                                  .commit(8, 3)
                                  .rollback(9)
                                  .pad_to(kSize)
                                  .bytes()}};
  CHECK(compacted(files).raw.empty());
}

TEST_CASE("a transaction in doubt is carried over with all its records") {
  using enum journal::RecordKind;
  const Files files{{name(1), JournalBuilder(1)
                                  .add(1)
                                  .add_tx(7, 2, 45, text_bytes("two"))
                                  .remove_tx(7, 1, text_bytes("why"))
                                  .prepare(7, 2, text_bytes("xid"))
                                  .add_tx(8, 3)
                                  .pad_to(kSize)
                                  .bytes()}};
  journal::CompactionFigures figures;
  const FreshRead read = compacted(files, compactor_options(), &figures);
  CHECK(kinds(read) == std::vector{kAdd, kAddTx, kDeleteTx, kPrepare});
  CHECK(read.raw[2].body == text_bytes("why"));
  CHECK(read.state.prepared.at(7).xid == text_bytes("xid"));
  CHECK(read.state.prepared.at(7).deletes == std::vector<std::int64_t>{1});
  CHECK(figures.kept_transactions == 1);
  CHECK(figures.rolled_back == std::vector<std::int64_t>{8});
}

TEST_CASE("two transactions of one id are told apart") {
  const Files files{{name(1), JournalBuilder(1)
                                  .add_tx(7, 1)
                                  .rollback(7)
                                  .add_tx(7, 2)
                                  .commit(7, 1)
                                  .add_tx(7, 3)
                                  .pad_to(kSize)
                                  .bytes()}};
  const FreshRead read = compacted(files);
  REQUIRE(read.state.records.size() == 1);
  CHECK(read.state.records[0].id == 2);
  CHECK(read.raw.size() == 2);
}

TEST_CASE("a delete stays when an open transaction could bring its record back") {
  const Files files{{name(1), JournalBuilder(1)
                                  .add_tx(7, 5)
                                  .prepare(7, 1)
                                  .remove(5)
                                  .add_tx(8, 6)
                                  .remove_tx(8, 5)
                                  .commit(8, 2)
                                  .pad_to(kSize)
                                  .bytes()}};
  FaultyDirectory disk;
  put_all(disk, files);
  REQUIRE_FALSE(compact(disk));
  InlineRunner runner;
  PwriteEngine engine(runner);
  NoFindings sink;
  auto writer = journal::JournalWriter::open(disk, engine, {.file_size_bytes = kSize}, sink);
  REQUIRE(writer);
  REQUIRE((*writer)->commit(7));
  REQUIRE((*writer)->sync());
  const FreshRead read = read_fresh(disk.files());
  REQUIRE(read.state.records.size() == 1);
  CHECK(read.state.records[0].id == 6);
}

TEST_CASE("of replaceable updates the last of each key stays, in its place") {
  const auto count = [](std::int64_t queue, std::int64_t number) {
    return BodyBuilder().i64(queue).i32(number).bytes();
  };
  const Files files{{name(1), JournalBuilder(1)
                                  .add(1)
                                  .update(1, 34, count(10, 1))
                                  .update(1, 34, count(11, 1))
                                  .update(1, 34, count(10, 2))
                                  .update(1, 32, count(10, 2))
                                  .update(1, 34, text_bytes("odd length"))
                                  .update(1, 34, text_bytes("odd length"))
                                  .pad_to(kSize)
                                  .bytes()}};
  journal::CompactionFigures figures;
  const FreshRead read = compacted(files, compactor_options(), &figures);
  REQUIRE(read.raw.size() == 6);
  CHECK(read.raw[1].body == count(11, 1));
  CHECK(read.raw[2].body == count(10, 2));
  CHECK(figures.replaced_updates == 1);
}

TEST_CASE("compact counts grow up to 127, and other records have none") {
  JournalBuilder file(1);
  file.record({.id = 1, .user_type = 45, .compact_count = 127});
  file.record({.id = 2, .user_type = 45, .compact_count = 3}).add(3).pad_to(kSize);
  FaultyDirectory disk;
  disk.put(name(1), file.bytes());
  REQUIRE_FALSE(compact(disk));
  const auto content = disk.files().begin()->second;
  std::vector<int> counts;
  for (std::size_t at = 16; counts.size() < 3;) {
    const auto record = journal::parse_record(Bytes(content).subspan(at), 2, at);
    REQUIRE(record);
    counts.push_back(record->compact_count);
    at += record->length_bytes;
  }
  CHECK(counts == std::vector{127, 4, 1});
}

TEST_CASE("files of format version 1 are written in version 2") {
  const Files files{
      {name(1), JournalBuilder(1, 1).add(5, 9, text_bytes("x")).pad_to(kSize).bytes()}};
  const FreshRead read = compacted(files);
  REQUIRE(read.state.records.size() == 1);
  CHECK(read.state.records[0].body == text_bytes("x"));
}

TEST_CASE("a record longer than the usual file gets a file that holds it") {
  Files files{{name(1), JournalBuilder(1).add(1, 45, Buffer(6000)).pad_to(8192).bytes()}};
  for (int i = 2; i < 5; ++i) {
    files[name(i)] = JournalBuilder(i).add(i).pad_to(kSize).bytes();
  }
  journal::CompactionFigures figures;
  const FreshRead read = compacted(files, compactor_options(), &figures);
  CHECK(read.state.records.size() == 4);
  CHECK(figures.file_size_bytes == kSize);
  CHECK(figures.output_files == 2);
}

TEST_CASE("an empty file keeps the header ids when nothing is left") {
  const Files files{{name(1), JournalBuilder(7).add(1).remove(1).pad_to(kSize).bytes()},
                    {name(2), JournalBuilder(8).event(9, 1).pad_to(kSize).bytes()}};
  FaultyDirectory disk;
  put_all(disk, files);
  REQUIRE_FALSE(compact(disk));
  REQUIRE(disk.files().size() == 1);
  CHECK(disk.files().begin()->first == name(9));
  CHECK(journal::parse_header(disk.files().begin()->second).id == 7);
}

TEST_CASE("an empty journal is left alone") {
  FaultyDirectory disk;
  REQUIRE_FALSE(compact(disk));
  CHECK(disk.calls() <= 1);
  CHECK(disk.files().empty());
}

TEST_CASE("names that are taken are not used, and leftovers go") {
  const Files files{{name(1), JournalBuilder(1).add(1).add(2).remove(2).pad_to(kSize).bytes()},
                    {name(8) + ".cmp", JournalBuilder(1).add(1).pad_to(kSize).bytes()},
                    {name(9) + ".tmp", Buffer(10)},
                    {name(4), Buffer(15)},
                    {"server.lock", text_bytes("P00")}};
  FaultyDirectory disk;
  put_all(disk, files);
  REQUIRE_FALSE(compact(disk));
  std::vector<std::string> names;
  for (const auto& [file, content] : disk.files()) names.push_back(file);
  CHECK(names == std::vector<std::string>{name(10), "server.lock"});
}

TEST_CASE("damage is not compacted away in place") {
  JournalBuilder file(1);
  file.add(1).add(2).add(3).pad_to(kSize);
  Buffer damaged = file.bytes();
  damaged[file.records()[1].offset + 9] ^= std::byte{0x10};
  damaged[file.records()[1].end() - 1] ^= std::byte{0x10};
  FaultyDirectory disk;
  disk.put(name(1), damaged);
  const auto error = compact(disk);
  REQUIRE(error);
  CHECK(error->code == ErrorCode::kDamaged);
  CHECK(error->file == name(1));
  CHECK(error->text.find("record-damaged") != std::string::npos);
  CHECK(disk.files() == Files{{name(1), damaged}});
  CHECK(disk.calls() == 0);

  const Copy copy(Files{{name(1), damaged}});
  REQUIRE_FALSE(copy.error);
  CHECK(copy.figures.damages == 1);
  CHECK(copy.figures.unreadable_bytes > 0);
  CHECK(copy.codes.codes == std::vector<std::string>{"record-damaged"});
  CHECK(read_fresh(copy.disk.files()).state.records.size() == 2);
}

TEST_CASE("a transaction whose commit counts wrong keeps a journal from being compacted in place") {
  FaultyDirectory disk;
  disk.put(name(1), JournalBuilder(1).add_tx(7, 1).commit(7, 2).pad_to(kSize).bytes());
  const auto error = compact(disk);
  REQUIRE(error);
  CHECK(error->code == ErrorCode::kDamaged);
}

TEST_CASE("a file that waits for its retention copy is not touched, but read for a copy") {
  const Files files{{name(1) + ".bkp", JournalBuilder(1).add(1).pad_to(kSize).bytes()},
                    {name(2), JournalBuilder(2).add(2).pad_to(kSize).bytes()}};
  FaultyDirectory disk;
  put_all(disk, files);
  const auto error = compact(disk);
  REQUIRE(error);
  CHECK(error->code == ErrorCode::kUnsupported);
  const Copy copy(files);
  CHECK(read_fresh(copy.disk.files()).state.records.size() == 2);
  CHECK(copy.disk.files().begin()->first == name(1));
}

TEST_CASE("planning tells the figures and the obstacle, and touches nothing") {
  MemoryDirectory from;
  from.put(name(1) + ".bkp", JournalBuilder(1).add(1).remove(1).pad_to(kSize).bytes());
  from.put(name(2), JournalBuilder(2).add(2).pad_to(kSize).bytes());
  NoFindings sink;
  auto compactor = journal::Compactor::planning(from, compactor_options(), sink);
  auto more = compactor.step();
  while (more && *more) more = compactor.step();
  REQUIRE(more);
  CHECK(compactor.phase() == journal::Compactor::Phase::kPlanned);
  CHECK(compactor.figures().records_before == 3);
  CHECK(compactor.figures().records_after == 1);
  CHECK(compactor.figures().worthwhile());
  REQUIRE(compactor.obstacle());
  CHECK(compactor.obstacle()->code == ErrorCode::kUnsupported);
  CHECK(compactor.done_bytes() <= compactor.total_bytes());
}

TEST_CASE("the preview shows the folder as it will be") {
  FaultyDirectory disk;
  put_all(disk, RandomJournal(11, {}).files());
  const LoadedState expected = live_state(disk.files());
  InlineRunner runner;
  PwriteEngine engine(runner);
  NoFindings sink;
  auto compactor = journal::Compactor::in_place(disk, engine, compactor_options(), sink);
  while (compactor.phase() != journal::Compactor::Phase::kReady) REQUIRE(compactor.step());
  REQUIRE(compactor.preview() != nullptr);
  Files shown;
  const auto entries = compactor.preview()->list();
  REQUIRE(entries);
  for (const DirectoryEntry& entry : *entries) {
    shown[entry.name] = *read_whole(*compactor.preview(), entry.name, 1 << 20);
  }
  CHECK(read_fresh(shown).state == expected);
  while (*compactor.step()) {
  }
  CHECK(disk.files() == shown);
}

TEST_CASE("a compaction that is given up leaves nothing behind") {
  const RandomJournal journal(12, {});
  for (const auto until :
       {journal::Compactor::Phase::kWriting, journal::Compactor::Phase::kChecking,
        journal::Compactor::Phase::kReady}) {
    FaultyDirectory disk;
    put_all(disk, journal.files());
    {
      InlineRunner runner;
      PwriteEngine engine(runner);
      NoFindings sink;
      auto compactor = journal::Compactor::in_place(disk, engine, compactor_options(), sink);
      while (compactor.phase() != until) REQUIRE(compactor.step(500));
      REQUIRE(compactor.step(500));
      if (until == journal::Compactor::Phase::kReady) continue;
    }
    CHECK(disk.files() == journal.files());
  }
}

TEST_CASE("a running journal's closed files are compacted below its current file") {
  FaultyDirectory disk;
  disk.put(name(1), JournalBuilder(1).add(1).add_tx(7, 2).add_tx(8, 9).pad_to(kSize).bytes());
  disk.put(name(2), JournalBuilder(2).remove(1).add(3).pad_to(kSize).bytes());
  disk.put(name(5), JournalBuilder(5).commit(7, 0).remove(3).pad_to(kSize).bytes());
  const Buffer current = disk.files().at(name(5));
  journal::CompactorOptions options = compactor_options();
  options.keep_open_transactions = true;
  options.below_id = 5;
  options.first_number = 30;
  journal::CompactionFigures figures;
  REQUIRE_FALSE(compact(disk, options, &figures));
  CHECK(disk.files().at(name(5)) == current);
  CHECK(disk.files().contains(name(30)));
  CHECK(disk.files().size() == 2);
  CHECK(figures.kept_transactions == 2);
  const FreshRead read = read_fresh(disk.files());
  REQUIRE(read.state.records.size() == 1);
  CHECK(read.state.records[0].id == 2);
}
