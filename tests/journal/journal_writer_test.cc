// What the writer leaves in its files: the layouts of a real broker byte by byte, rolling over,
// reuse, the order in which files are freed, group commit.
#include "saranga/journal/journal_writer.h"

#include <catch2/catch.hpp>
#include <deque>

#include "tests/journal/writer_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

using Names = std::vector<std::string>;

const std::string kFirst = "activemq-data-1.amq";
const std::string kSecond = "activemq-data-2.amq";
const std::string kThird = "activemq-data-3.amq";

WriterOptions small(std::uint64_t file_size_bytes = 1024) {
  return {.file_size_bytes = file_size_bytes};
}

/// What Artemis 2.56.0 writes into its first file (docs/format/journal.md#worked-examples).
void write_example(WrittenJournal& journal) {
  const auto step = [&] {
    if (journal.options.alignment_bytes > 1) journal.sync();
  };
  journal.add(1, 5, hex_bytes("010203"));
  step();
  journal.update(1, 6, hex_bytes("09"));
  step();
  journal.add_tx(7, 2, 30, hex_bytes("41"));
  journal.update_tx(7, 1, 31);
  journal.remove_tx(7, 1, hex_bytes("55"));
  journal.prepare(7, hex_bytes("7071"));
  step();
  journal.commit(7);
  step();
  journal.add_tx(8, 3, 30, hex_bytes("42"));
  journal.rollback(8);
  journal.event(4, 39, hex_bytes("07"));
  journal.remove(2);
  journal.sync();
}

/// Jobs that wait until the test runs them.
class ManualRunner final : public JobRunner {
 public:
  void submit(std::unique_ptr<Job> job) override { jobs_.push_back(std::move(job)); }
  void drain() override {
    while (!jobs_.empty()) {
      const auto job = std::move(jobs_.front());
      jobs_.pop_front();
      job->run();
    }
  }
  [[nodiscard]] std::size_t waiting() const { return jobs_.size(); }

 private:
  std::deque<std::unique_ptr<Job>> jobs_;
};

}  // namespace

TEST_CASE("a fresh journal has the files and bytes of a real one") {
  WrittenJournal journal(small(65536));
  CHECK(journal.names() == Names{kFirst, kSecond});
  write_example(journal);
  JournalBuilder built;
  built.add(1, 5, hex_bytes("010203")).update(1, 6, hex_bytes("09"));
  built.add_tx(7, 2, 30, hex_bytes("41")).update_tx(7, 1, 31).remove_tx(7, 1, hex_bytes("55"));
  built.prepare(7, 3, hex_bytes("7071")).commit(7, 3).add_tx(8, 3, 30, hex_bytes("42"));
  built.rollback(8).event(4, 39, hex_bytes("07")).remove(2).pad_to(65536);
  CHECK(journal.content(kFirst) == built.bytes());
  CHECK(journal.content(kSecond) == JournalBuilder(2).pad_to(65536).bytes());
  const Buffer before = journal.content(kFirst);
  journal.restart();
  CHECK(journal.content(kFirst) == before);
  CHECK(journal.header_id(kSecond) == 3);
  CHECK(journal.findings.all.empty());
}

TEST_CASE("in blocks, each write begins and ends on a block") {
  WrittenJournal journal(
      {.file_size_bytes = 65536, .alignment_bytes = 4096, .buffer_bytes = 126 * 4096});
  write_example(journal);
  JournalBuilder built;
  built.block().add(1, 5, hex_bytes("010203")).block().update(1, 6, hex_bytes("09")).block();
  built.add_tx(7, 2, 30, hex_bytes("41")).update_tx(7, 1, 31).remove_tx(7, 1, hex_bytes("55"));
  built.prepare(7, 3, hex_bytes("7071")).block().commit(7, 3).block();
  built.add_tx(8, 3, 30, hex_bytes("42")).rollback(8).event(4, 39, hex_bytes("07")).remove(2);
  built.block().pad_to(65536);
  CHECK(journal.content(kFirst) == built.bytes());
  // A restart goes on at the next block.
  journal.restart();
  journal.add(9);
  journal.sync();
  CHECK(scan(journal.content(kFirst)).end_of_records == 0x6000 + 23);
}

TEST_CASE("a commit behind a roll-over counts the records of its own file") {
  WrittenJournal journal(small());
  for (std::int64_t id = 1; id <= 5; ++id) journal.add_tx(50, id, 45, Buffer(300));
  journal.commit(50);
  journal.sync();
  JournalBuilder second(2);
  second.add_tx(50, 4, 45, Buffer(300)).add_tx(50, 5, 45, Buffer(300)).commit(50, 2).pad_to(1024);
  CHECK(journal.content(kSecond) == second.bytes());
  CHECK(scan(journal.content(kFirst)).count == 3);
}

TEST_CASE("a commit alone in a new file counts nothing") {
  WrittenJournal journal(small());
  journal.add_tx(7, 1, 45, Buffer(1024 - 16 - 31));
  journal.commit(7);
  journal.sync();
  CHECK(journal.content(kSecond) == JournalBuilder(2).commit(7, 0).pad_to(1024).bytes());
}

TEST_CASE("a record that fills the file to its last byte fits, a longer one is refused") {
  WrittenJournal journal(small());
  journal.add(1, 45, Buffer(1024 - 16 - 23));
  CHECK(journal.writer->files().current == kFirst);
  const Buffer longer(1024 - 16 - 22);
  const Bytes piece[] = {longer};
  const auto refused = journal.writer->add(2, 45, piece);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK(refused.error().message() ==
        "record 2: the record has 1009 bytes, a file of 1024 has room for 1008");
  journal.add(3);
  CHECK(journal.writer->files().current == kSecond);
}

TEST_CASE("a record longer than the buffer is written whole") {
  for (const std::uint32_t alignment : {1U, 512U}) {
    WrittenJournal journal(
        {.file_size_bytes = 65536, .alignment_bytes = alignment, .buffer_bytes = 1024});
    journal.add(1, 45, Buffer(100, std::byte{0x61}));
    journal.add(2, 45, Buffer(50'000, std::byte{0x62}));
    journal.add(3, 45, Buffer(100, std::byte{0x63}));
    journal.sync();
    const Scan result = scan(journal.content(kFirst));
    CHECK(result.count == 3);
    CHECK(result.codes().empty());
  }
}

TEST_CASE("what makes no sense is refused and writes nothing") {
  WrittenJournal journal(small());
  journal.add(1);
  const auto code = [](const Result<Position>& result) {
    REQUIRE_FALSE(result);
    return result.error().code;
  };
  CHECK(code(journal.writer->add(1, 45, {})) == ErrorCode::kExists);
  CHECK(code(journal.writer->update(2, 45, {})) == ErrorCode::kNotFound);
  CHECK(code(journal.writer->remove(2)) == ErrorCode::kNotFound);
  CHECK(code(journal.writer->commit(7)) == ErrorCode::kNotFound);
  CHECK(code(journal.writer->rollback(7)) == ErrorCode::kNotFound);
  CHECK(journal.writer->appended() == 1);
  journal.remove(1);
  CHECK(code(journal.writer->remove(1)) == ErrorCode::kNotFound);
  journal.prepare(9);  // a branch that wrote nothing
  journal.commit(9);
  journal.sync();
  CHECK(scan(journal.content(kFirst)).count == 4);
}

TEST_CASE("a file whose records are dead gets a new id under its old name and is used again") {
  for (const bool zeros : {false, true}) {
    WrittenJournal journal({.file_size_bytes = 1024, .zero_before_reuse = zeros});
    journal.add(1, 45, Buffer(900, std::byte{0x61}));
    journal.add(2, 45, Buffer(900, std::byte{0x61}));  // rolls to file 2, makes file 3 ready
    journal.remove(1);
    journal.remove(2);
    journal.add(3, 45, Buffer(900, std::byte{0x61}));  // rolls to file 3, frees file 1 and 2
    CHECK(journal.writer->files().freed_total == 2);
    CHECK(journal.names() == Names{kFirst, kSecond, kThird});
    CHECK(journal.header_id(kFirst) == 4);
    CHECK(journal.header_id(kSecond) == 5);
    const Scan reused = scan(journal.content(kFirst));
    CHECK(reused.count == 0);
    CHECK(reused.account.stale_records == (zeros ? 0 : 1));
    journal.add(4, 45, Buffer(900));
    CHECK(journal.writer->files().current == kFirst);
    CHECK(journal.writer->files().current_id == 4);
  }
}

TEST_CASE("a file with a delete stays as long as the file with its add") {
  WrittenJournal journal(small());
  journal.add(1);
  journal.add(2, 45, Buffer(900));
  journal.add(3, 45, Buffer(900));  // in file 2
  journal.remove(2);
  journal.remove(3);
  journal.add(4, 45, Buffer(900));  // file 2 is closed, and all of it is dead
  CHECK(journal.writer->files().freed_total == 0);
  journal.remove(1);
  journal.add(5, 45, Buffer(900));
  CHECK(journal.writer->files().freed_total == 2);
}

TEST_CASE("a delete in a transaction protects its file although the commit comes later") {
  WrittenJournal journal(small());
  journal.add(1, 45, Buffer(500));
  journal.add(100, 45, Buffer(300));  // stays, and keeps file 1
  journal.add(2, 45, Buffer(300));    // file 2
  journal.remove_tx(7, 1);
  journal.remove(2);
  journal.add(3, 45, Buffer(900));  // file 3; file 2 is looked at before there is a commit
  journal.commit(7);
  journal.remove(3);
  journal.add(4, 45, Buffer(900));
  journal.remove(4);
  journal.add(5, 45, Buffer(900));
  journal.restart();
  CHECK_FALSE(journal.writer->is_live(1));
  CHECK(journal.writer->is_live(100));
}

TEST_CASE("files beyond the pool are removed, without a pool none is") {
  for (const std::int32_t pool : {3, -1}) {
    WrittenJournal journal({.file_size_bytes = 1024, .pool_files = pool});
    for (std::int64_t id = 1; id <= 6; ++id) journal.add(id, 45, Buffer(900));
    for (std::int64_t id = 1; id <= 6; ++id) journal.remove(id);
    journal.add(7, 45, Buffer(900));
    journal.add(8, 45, Buffer(900));
    CHECK(journal.names().size() == (pool < 0 ? 7 : 3));
    CHECK(journal.writer->files().freed_total >= 5);
  }
}

TEST_CASE("a transaction without outcome keeps its files") {
  WrittenJournal journal(small());
  journal.add_tx(7, 1, 45, Buffer(900));
  journal.add(2, 45, Buffer(900));
  journal.add(3, 45, Buffer(900));
  CHECK(journal.writer->files().freed_total == 0);
  journal.rollback(7);
  journal.add(4, 45, Buffer(900));
  journal.add(5, 45, Buffer(900));
  CHECK(journal.writer->files().freed_total == 1);
}

TEST_CASE("records that are appended while others are written share the next write") {
  FaultyDirectory disk;
  ManualRunner runner;
  PwriteEngine engine(runner);
  Findings findings;
  const auto opened = JournalWriter::open(disk, engine, small(65536), findings);
  REQUIRE(opened);
  JournalWriter& writer = **opened;
  REQUIRE(writer.add(1, 45, {}) == Position{1});
  REQUIRE(writer.start());
  CHECK(runner.waiting() == 1);
  for (std::int64_t id = 2; id <= 10; ++id) REQUIRE(writer.add(id, 45, {}));
  REQUIRE(writer.start());  // nothing: the first write is under way
  REQUIRE(writer.poll());
  CHECK(writer.durable() == 0);
  runner.drain();
  REQUIRE(writer.poll());
  CHECK(writer.durable() == 1);
  const std::uint64_t calls = disk.calls();
  REQUIRE(writer.start());
  runner.drain();
  REQUIRE(writer.poll());
  CHECK(writer.durable() == 10);
  CHECK(disk.calls() == calls + 2);  // one write, one sync
  REQUIRE(writer.sync());
  CHECK(disk.calls() == calls + 2);  // nothing to do
}

TEST_CASE("maintenance can be left to the owner, and to nobody") {
  WriterOptions options = small();
  options.automatic_maintenance = false;
  WrittenJournal journal(options);
  for (std::int64_t id = 1; id <= 5; ++id) {
    journal.add(id, 45, Buffer(900));
    journal.remove(id);
  }
  CHECK(journal.writer->files().freed_total == 0);
  CHECK(journal.writer->maintenance_due());
  REQUIRE(journal.writer->maintain());
  CHECK_FALSE(journal.writer->maintenance_due());
  CHECK(journal.writer->files().freed_total == 4);
  CHECK(journal.writer->durable() == journal.writer->appended());
}

TEST_CASE("without datasync nothing is synced") {
  WriterOptions options = small(65536);
  options.datasync = false;
  WrittenJournal journal(options);
  journal.add(1);
  journal.sync();
  CHECK(journal.writer->durable() == 1);
  const auto lost = journal.disk.after_power_failure(Loss::kAll, 1);
  CHECK(lost.empty());
}
