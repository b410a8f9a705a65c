// The writer on a real disk, with a thread that writes and past the page cache.
#include <catch2/catch.hpp>

#include "saranga/io/aio_engine.h"
#include "saranga/journal/journal_writer.h"
#include "tests/io/temporary_folder.h"
#include "tests/journal/scan_helpers.h"
#include "tools/cli/ordered_jobs.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

/// Opens the journal in a folder, appends, and says how many ids were live before.
std::uint64_t append_some(const TemporaryFolder& folder, const WriterOptions& options,
                          std::int64_t first, std::int64_t last) {
  auto directory = open_writable_directory(folder.path());
  REQUIRE(directory);
  cli::OrderedJobs jobs(1);
  // Blocks of 4096 go past the page cache, where that is possible.
  const EngineChoice choice =
      choose_direct_engine(folder.path(), options.alignment_bytes < 4096 ? 1 : 4096, jobs);
  if (!choice.direct && options.alignment_bytes == 4096) WARN(choice.reason);
  Findings findings;
  const auto opened = JournalWriter::open(**directory, *choice.engine, options, findings);
  REQUIRE(opened);
  JournalWriter& writer = **opened;
  const Buffer body(100, std::byte{0x61});
  const Bytes pieces[] = {body};
  for (std::int64_t id = first; id <= last; ++id) {
    REQUIRE(writer.add(id, 45, pieces));
    if (id % 7 == 0) REQUIRE(writer.start());
    if (id % 3 != 0) REQUIRE(writer.remove(id));
  }
  REQUIRE(writer.sync());
  CHECK(writer.durable() == writer.appended());
  CHECK_FALSE(writer.maintenance_error());
  return writer.opened().live_ids;
}

}  // namespace

TEST_CASE("what one process wrote the next one finds, in both layouts") {
  for (const std::uint32_t alignment : {1U, 512U, 4096U}) {
    const TemporaryFolder folder;
    const WriterOptions options{
        .file_size_bytes = 16384, .alignment_bytes = alignment, .buffer_bytes = 4096};
    CHECK(append_some(folder, options, 1, 3000) == 0);
    CHECK(append_some(folder, options, 3001, 6000) == 1000);
    CHECK(append_some(folder, options, 6001, 6001) == 2000);
    auto directory = open_disk_directory(folder.path());
    REQUIRE(directory);
    Findings findings;
    const auto read = read_folder(**directory, JournalKind::kMessages, "journal", findings);
    REQUIRE(read);
    CHECK(read->files.size() > 10);
    CHECK(read->odd.empty());
    CHECK(findings.all.empty());
    for (const JournalFile& file : read->files) CHECK(file.size_bytes == 16384);
  }
}
