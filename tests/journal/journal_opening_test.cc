// Opening a journal that is there already: what is read, what is put in order, where it goes on.
#include <catch2/catch.hpp>

#include "saranga/journal/journal_writer.h"
#include "tests/journal/writer_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

using Names = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;

/// A disk with files, before it is opened.
WrittenJournal unopened(WriterOptions options = {.file_size_bytes = 4096}) {
  return {std::move(options), WrittenJournal::NotOpened{}};
}

std::string name(int number) { return "activemq-data-" + std::to_string(number) + ".amq"; }

}  // namespace

TEST_CASE("opening goes on behind the last record of the last file with data") {
  WrittenJournal journal = unopened();
  journal.disk.put(name(1), JournalBuilder(1).add(1).add(2).pad_to(4096).bytes());
  journal.disk.put(name(2), JournalBuilder(2).add(3).remove(1).pad_to(4096).bytes());
  journal.disk.put(name(3), JournalBuilder(3).pad_to(4096).bytes());
  journal.open();
  CHECK(journal.writer->opened().records == 4);
  CHECK(journal.writer->opened().live_ids == 2);
  CHECK(journal.writer->opened().max_id == 3);
  CHECK(journal.header_id(name(3)) == 4);
  journal.update(2, 32);
  journal.sync();
  CHECK(journal.content(name(2)) ==
        JournalBuilder(2).add(3).remove(1).update(2, 32).pad_to(4096).bytes());
}

TEST_CASE("asked for it, opening goes on in a new file") {
  WrittenJournal journal = unopened({.file_size_bytes = 4096, .continue_last_file = false});
  journal.disk.put(name(1),
                   JournalBuilder(1).add(1).raw(hex_bytes("0B000000")).pad_to(4096).bytes());
  const Buffer before = journal.content(name(1));
  journal.open();
  journal.add(2);
  journal.sync();
  CHECK(journal.content(name(1)) == before);
  CHECK(journal.writer->files().current == name(2));
}

TEST_CASE("a file of format version 1 or of another size is not gone on with") {
  for (const bool old_version : {true, false}) {
    WrittenJournal journal = unopened();
    JournalBuilder built(5, old_version ? 1 : 2);
    journal.disk.put(name(5), built.add(1).pad_to(old_version ? 4096 : 2048).bytes());
    const Buffer before = journal.content(name(5));
    journal.open();
    CHECK(journal.writer->is_live(1));
    journal.add(2);
    journal.sync();
    CHECK(journal.content(name(5)) == before);
    CHECK(journal.writer->files().current == name(6));
  }
}

TEST_CASE("a freed file of another size goes to the attic, or away when that is full") {
  WrittenJournal journal = unopened({.file_size_bytes = 4096, .attic_files = 1});
  journal.disk.put(name(1), JournalBuilder(1).pad_to(2048).bytes());
  journal.disk.put(name(2), JournalBuilder(2).pad_to(2048).bytes());
  journal.disk.put(name(3), JournalBuilder(3).add(1).pad_to(4096).bytes());
  journal.open();
  CHECK(journal.names() == Names{name(3), name(4), "attic/" + name(1)});
}

TEST_CASE("a transaction without outcome is rolled back, one in doubt stays") {
  WrittenJournal journal = unopened();
  JournalBuilder built(1);
  built.add_tx(7, 2, 30, hex_bytes("4142")).add_tx(8, 3).prepare(8, 1, hex_bytes("99"));
  built.add_tx(9, 4).prepare(9, 5);  // counts wrong
  journal.disk.put(name(1), JournalBuilder(built).pad_to(4096).bytes());
  journal.open();
  CHECK(journal.writer->opened().prepared == Ids{8});
  CHECK(journal.writer->opened().rolled_back == Ids{7, 9});
  journal.commit(8);
  journal.sync();
  CHECK(journal.content(name(1)) ==
        JournalBuilder(built).rollback(7).rollback(9).commit(8, 1).pad_to(4096).bytes());
  CHECK(journal.writer->is_live(3));
  CHECK_FALSE(journal.writer->is_live(2));
}

TEST_CASE("a compaction that was interrupted is finished") {
  WrittenJournal journal = unopened();
  journal.disk.put(name(1), JournalBuilder(1).add(1).pad_to(4096).bytes());
  journal.disk.put(name(2), JournalBuilder(2).remove(1).add(2).pad_to(4096).bytes());
  journal.disk.put(name(4) + ".cmp", JournalBuilder(1).add(2).pad_to(4096).bytes());
  journal.disk.put(name(3), JournalBuilder(3).add(3).pad_to(4096).bytes());
  journal.disk.put(name(9) + ".cmp", JournalBuilder(1).add(9).pad_to(4096).bytes());
  journal.disk.put(name(10) + ".tmp", Buffer(100));
  journal.disk.put(name(11), Buffer(3));
  journal.disk.put(std::string(kControlFileName),
                   control_file({name(1), name(2)}, {name(4) + ".cmp"}));
  journal.open();
  CHECK(journal.names() == Names{name(3), name(4), name(5)});
  CHECK(journal.writer->opened().live_ids == 2);
  CHECK(journal.writer->files().current == name(3));
}

TEST_CASE("a torn control file goes, and what it would have listed") {
  WrittenJournal journal = unopened();
  journal.disk.put(name(1), JournalBuilder(1).add(1).pad_to(4096).bytes());
  journal.disk.put(name(4) + ".cmp", JournalBuilder(1).add(1).pad_to(4096).bytes());
  journal.disk.put(std::string(kControlFileName), Buffer(40));
  journal.open();
  CHECK(journal.names() == Names{name(1), name(2)});
  CHECK(journal.writer->is_live(1));
}

TEST_CASE("what would be lost or hidden is refused, and nothing is touched") {
  SECTION("a file that waits for its retention copy") {
    WrittenJournal journal = unopened();
    journal.disk.put(name(1) + ".bkp", JournalBuilder(1).add(1).pad_to(4096).bytes());
    const Error refusal = journal.refusal();
    CHECK(refusal.code == ErrorCode::kUnsupported);
    CHECK(refusal.file == name(1) + ".bkp");
    CHECK(journal.disk.calls() == 0);
  }
  SECTION("a header id that leaves no room for others") {
    WrittenJournal journal = unopened();
    journal.disk.put(name(1), JournalBuilder(INT64_MAX).pad_to(4096).bytes());
    CHECK(journal.refusal().code == ErrorCode::kDamaged);
    CHECK(journal.disk.calls() == 0);
  }
  SECTION("an output of a compaction whose name is taken") {
    WrittenJournal journal = unopened();
    journal.disk.put(name(4), JournalBuilder(4).add(3).pad_to(4096).bytes());
    journal.disk.put(name(4) + ".cmp", JournalBuilder(1).add(2).pad_to(4096).bytes());
    journal.disk.put(std::string(kControlFileName), control_file({}, {name(4) + ".cmp"}));
    CHECK(journal.refusal().code == ErrorCode::kDamaged);
    CHECK(journal.disk.calls() == 0);
  }
  SECTION("a damaged header") {
    WrittenJournal journal = unopened();
    journal.disk.put(name(1), Buffer(4096));
    CHECK(journal.refusal().code == ErrorCode::kDamaged);
    CHECK(journal.disk.calls() == 0);
  }
}

TEST_CASE("settings that make no journal are refused") {
  const auto code = [](WriterOptions options) {
    WrittenJournal journal = unopened(std::move(options));
    const Error refusal = journal.refusal();
    CHECK(journal.disk.calls() == 0);
    return refusal.code;
  };
  CHECK(code({.file_size_bytes = 1000}) == ErrorCode::kInvalidArgument);
  CHECK(code({.file_size_bytes = 5000, .alignment_bytes = 4096}) == ErrorCode::kInvalidArgument);
  CHECK(code({.file_size_bytes = 4096, .alignment_bytes = 4096}) == ErrorCode::kInvalidArgument);
  CHECK(code({.min_files = 1}) == ErrorCode::kInvalidArgument);
  CHECK(code({.alignment_bytes = 3}) == ErrorCode::kInvalidArgument);
  CHECK(code({.alignment_bytes = 512, .buffer_bytes = 1000}) == ErrorCode::kInvalidArgument);
  CHECK(code({.extension = "bindings"}) == ErrorCode::kInvalidArgument);
  CHECK(code({.file_size_bytes = std::uint64_t{1} << 31}) == ErrorCode::kInvalidArgument);
}

TEST_CASE("the journal of bindings has names of its own") {
  WrittenJournal journal({.kind = JournalKind::kBindings,
                          .prefix = "activemq-bindings",
                          .extension = "bindings",
                          .file_size_bytes = 4096});
  journal.add(1);
  journal.restart();
  CHECK(journal.names() == Names{"activemq-bindings-1.bindings", "activemq-bindings-2.bindings"});
  CHECK(journal.writer->is_live(1));
}

TEST_CASE("a visitor sees every record in load order") {
  WrittenJournal journal = unopened();
  journal.disk.put("zz.amq", JournalBuilder(1).add(1).event(9, 1).pad_to(4096).bytes());
  journal.disk.put(name(2), JournalBuilder(2).update(1).remove(1).pad_to(4096).bytes());
  std::vector<std::string> seen;
  PwriteEngine engine(journal.runner);
  const auto opened =
      JournalWriter::open(journal.disk, engine, journal.options, journal.findings,
                          [&](const Record& record, const JournalFile& file) {
                            seen.push_back(file.name + " " + std::string(traits(record.kind).name));
                          });
  REQUIRE(opened);
  CHECK(seen == Names{"zz.amq add", "zz.amq event", name(2) + " update", name(2) + " delete"});
}

TEST_CASE("a delete stays as long as an update whose add is gone") {
  // Such an update keeps no file; but when the delete goes first, a load finds the update alone.
  WrittenJournal journal = unopened();
  journal.disk.put(name(2), JournalBuilder(2).update(1).add(50).pad_to(4096).bytes());
  journal.disk.put(name(3), JournalBuilder(3).remove(1).pad_to(4096).bytes());
  journal.disk.put(name(4), JournalBuilder(4).add(2).pad_to(4096).bytes());
  journal.open();
  CHECK(journal.writer->files().closed == 2);
  CHECK(journal.header_id(name(3)) == 3);
  journal.remove(50);
  journal.add(3, 45, Buffer(4050));
  CHECK(journal.writer->files().freed_total == 2);
}
