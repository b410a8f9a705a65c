// Compaction of journals with more records than it keeps outlines of: it reads them once more, and
// writes the same bytes.
#include <catch2/catch.hpp>

#include "saranga/store/recipe.h"
#include "tests/support/compaction.h"
#include "tools/cli/ordered_jobs.h"

using namespace saranga;
using namespace saranga::test;
using Files = std::map<std::string, Buffer>;

namespace {

// Outlines are kept in pieces of this size; less is nothing.
constexpr std::size_t kOnePiece = std::size_t{256} << 10;

/// Counts how often a file is opened for reading.
class CountingDirectory final : public ReadableDirectory {
 public:
  explicit CountingDirectory(const Files& files) {
    for (const auto& [name, content] : files) inner_.put(name, content);
  }
  [[nodiscard]] const std::string& path() const override { return inner_.path(); }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override { return inner_.list(); }
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override {
    ++opens_[std::string(name)];
    return inner_.open(name);
  }
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override {
    return inner_.open_directory(name);
  }
  [[nodiscard]] int opens(const std::string& name) const { return opens_[name]; }

 private:
  MemoryDirectory inner_{"counted"};
  mutable std::map<std::string, int> opens_;
};

/// What a compaction came to.
struct Outcome {
  Files files;
  std::string error;
  std::vector<std::uint64_t> figures;

  bool operator==(const Outcome&) const = default;
};

std::vector<std::uint64_t> numbers(const journal::CompactionFigures& figures) {
  return {figures.files_after,        figures.bytes_after,       figures.output_files,
          figures.output_bytes,       figures.records_before,    figures.records_after,
          figures.record_bytes_after, figures.live_records,      figures.replaced_updates,
          figures.kept_transactions,  figures.rolled_back.size()};
}

Outcome in_place(const Files& files, const journal::CompactorOptions& options) {
  FaultyDirectory disk;
  put_all(disk, files);
  journal::CompactionFigures figures;
  const auto error = compact(disk, options, &figures);
  return {disk.files(), error ? error->message() : "", numbers(figures)};
}

Outcome elsewhere(const Files& files, const journal::CompactorOptions& options) {
  const CountingDirectory from(files);
  FaultyDirectory disk;
  InlineRunner runner;
  PwriteEngine engine(runner);
  NoFindings sink;
  auto compactor = journal::Compactor::to(from, disk, engine, options, sink);
  auto more = compactor.step(700);
  while (more && *more) more = compactor.step(700);
  return {disk.files(), more ? "" : more.error().message(), numbers(compactor.figures())};
}

/// The same bytes, errors and figures whatever the memory, and on whatever thread files are
/// scanned; true when something was written.
bool check_same(const Files& files, journal::CompactorOptions options) {
  const Outcome there = in_place(files, options);
  const Outcome copy = elsewhere(files, options);
  for (const std::size_t bytes : {std::size_t{0}, kOnePiece - 1, kOnePiece}) {
    INFO("outlines of " << bytes << " bytes");
    options.outline_bytes = bytes;
    CHECK(in_place(files, options) == there);
    CHECK(elsewhere(files, options) == copy);
  }
  cli::OrderedJobs jobs(1);
  options.jobs = &jobs;
  options.window_bytes = 600;
  options.outline_bytes = journal::CompactorOptions{}.outline_bytes;
  INFO("scanned ahead");
  CHECK(in_place(files, options) == there);
  CHECK(elsewhere(files, options) == copy);
  return there.error.empty() && there.files != files;
}

/// The files of one journal of a fixture.
Files read_files(const std::string& path, std::string_view extension) {
  const auto directory = open_disk_directory(path);
  REQUIRE(directory);
  const auto entries = (*directory)->list();
  REQUIRE(entries);
  Files files;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.find(extension) == std::string::npos) continue;
    files[entry.name] = *read_whole(**directory, entry.name, std::uint64_t{64} << 20);
  }
  return files;
}

Files built(std::string_view recipe, std::string_view folder) {
  FaultyDirectory made;
  store::RecipeBuilder builder(made, {});
  REQUIRE(builder.feed(recipe));
  REQUIRE(builder.finish());
  Files files;
  for (const auto& [name, content] : made.files()) {
    if (name.starts_with(folder)) files[name.substr(folder.size())] = content;
  }
  return files;
}

// Transactions over several files, with every end and with none; deletes on both sides of their
// adds; a former life behind the records.
constexpr std::string_view kTransactions =
    "journal journal/activemq-data-1.amq id=1 size=1024\n"
    "  add 20 ADD_REF tx=7 queue_id=3\n"
    "  add 21 ADD_REF tx=8 queue_id=3\n"
    "  update 20 UPDATE_DELIVERY_COUNT queue_id=3 delivery_count=1\n"
    "  update 20 UPDATE_DELIVERY_COUNT queue_id=3 delivery_count=2\n"
    "  delete 30\n"
    "  add 22 ADD_REF tx=9 queue_id=3\n"
    "journal journal/activemq-data-2.amq id=2 size=1024\n"
    "  add 23 ADD_REF tx=7 queue_id=4\n"
    "  commit tx=7 records=1\n"
    "  rollback tx=8\n"
    "  delete 20 tx=10 why\n"
    "  prepare tx=10 format=1 branch=b global=g\n"
    "  add 24 ADD_REF queue_id=3\n"
    "  life 1\n"
    "  add 99 ADD_REF queue_id=3\n"
    "journal journal/activemq-data-3.amq id=3 size=1024\n"
    "  event 5 DUPLICATE_ID hex:00\n"
    "  delete 24\n"
    "  add 25 ADD_REF tx=11 queue_id=3\n"
    "journal journal/activemq-data-4.amq id=4 size=1024\n";

}  // namespace

TEST_CASE("the outlines of a journal may all be dropped: fixtures are written the same") {
  int written = 0;
  for (const char* store : {"/orders/store", "/xa/store", "/crash/store", "/paging/store",
                            "/compact-cli/store-before", "/artemis-1.5/store", "/aio/store"}) {
    INFO(store);
    const std::string path = std::string(SARANGA_FIXTURES) + store;
    written += check_same(read_files(path + "/journal", ".amq"), compactor_options());
    written += check_same(read_files(path + "/bindings", ".bindings"),
                          {.kind = journal::JournalKind::kBindings});
  }
  CHECK(written >= 10);
}

TEST_CASE("likewise transactions of every kind, open ones kept or not") {
  const Files files = built(kTransactions, "journal/");
  REQUIRE(files.size() == 4);
  for (const bool keep_open : {false, true}) {
    journal::CompactorOptions options = compactor_options();
    options.keep_open_transactions = keep_open;
    CHECK(check_same(files, options));
    options.below_id = 4;
    options.first_number = 30;
    CHECK(check_same(files, options));
  }
}

TEST_CASE("likewise random journals") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const RandomJournal journal(seed, {.files = 1 + seed % 6,
                                       .alignment = seed % 4 == 0 ? std::size_t{512} : 1,
                                       .torn_tail = seed % 5 == 0});
    check_same(journal.files(), compactor_options());
  }
}

TEST_CASE("files are read once more when their outlines take more than they may") {
  // Deletes of ids that are far apart: an outline takes eight bytes, and a piece holds fewer.
  Files files;
  for (int file = 1; file <= 2; ++file) {
    JournalBuilder builder(file);
    builder.add(file);
    for (std::int64_t i = 0; i < 20000; ++i) builder.remove((i % 2) * (std::int64_t{1} << 40) + 9);
    files["activemq-data-" + std::to_string(file) + ".amq"] = builder.bytes();
  }
  const auto opens = [&](std::size_t outline_bytes) {
    const CountingDirectory from(files);
    NoFindings sink;
    auto compactor = journal::Compactor::planning(from, {.outline_bytes = outline_bytes}, sink);
    auto more = compactor.step();
    while (more && *more) more = compactor.step();
    REQUIRE(more);
    CHECK(compactor.figures().records_after == 2);
    CHECK(compactor.done_bytes() <= compactor.total_bytes());
    return from.opens("activemq-data-2.amq");
  };
  const int once = opens(journal::CompactorOptions{}.outline_bytes);
  CHECK(opens(2 * kOnePiece) == once);
  CHECK(opens(kOnePiece) == once + 1);  // it gave up in the middle
  CHECK(opens(0) == once + 1);
  check_same(files, compactor_options());
}

TEST_CASE("a compaction may be given up while files are scanned ahead") {
  const RandomJournal journal(3, {.files = 4});
  const CountingDirectory from(journal.files());
  cli::OrderedJobs jobs(1);
  NoFindings sink;
  for (int steps = 1; steps < 8; ++steps) {
    auto compactor = journal::Compactor::planning(from, {.window_bytes = 300, .jobs = &jobs}, sink);
    for (int i = 0; i < steps; ++i) CHECK(compactor.step(1));
  }
  auto compactor = journal::Compactor::planning(from, {.jobs = &jobs}, sink);
  auto more = compactor.step();
  while (more && *more) more = compactor.step();
  CHECK(more);
  CHECK(compactor.figures().records_before > 0);
}
