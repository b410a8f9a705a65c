// Which files of a folder belong to a journal, in which order they are read, and what the others
// are.
#include "saranga/journal/folder.h"

#include <catch2/catch.hpp>

#include "tests/journal/scan_helpers.h"

using namespace saranga;
using namespace saranga::journal;
using namespace saranga::test;

namespace {

Buffer data_file(std::int64_t header_id, std::size_t size = 1024) {
  return JournalBuilder(header_id).add(header_id * 10).pad_to(size).bytes();
}

/// A folder that is read once.
struct Read {
  explicit Read(const MemoryDirectory& directory, JournalKind kind = JournalKind::kMessages,
                std::string_view label = "journal") {
    auto read = read_folder(directory, kind, label, findings);
    REQUIRE(read);
    folder = std::move(*read);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const JournalFile& file : folder.files) names.push_back(file.name);
    return names;
  }
  [[nodiscard]] std::vector<std::pair<std::string, OddFile::Why>> odd() const {
    std::vector<std::pair<std::string, OddFile::Why>> odd;
    for (const OddFile& file : folder.odd) odd.emplace_back(file.name, file.why);
    return odd;
  }
  Findings findings;
  JournalFolder folder;
};

using Names = std::vector<std::string>;
using Odd = std::vector<std::pair<std::string, OddFile::Why>>;
using Why = OddFile::Why;

constexpr const char* kControl = "journal-rename-control.ctr";

/// An interrupted compaction: inputs 1 and 2, outputs 4 and 5, current file 3.
MemoryDirectory compaction() {
  MemoryDirectory directory;
  directory.put("activemq-data-1.amq", data_file(1));
  directory.put("activemq-data-2.amq", data_file(2));
  directory.put("activemq-data-3.amq", data_file(3));
  directory.put("activemq-data-4.amq.cmp", data_file(1));
  directory.put("activemq-data-5.amq.cmp", data_file(2));
  return directory;
}

const std::vector<std::string> kInputs = {"activemq-data-1.amq", "activemq-data-2.amq"};
const std::vector<std::string> kOutputs = {"activemq-data-4.amq.cmp", "activemq-data-5.amq.cmp"};

}  // namespace

TEST_CASE("files are read in the order of their header ids, compared with their sign") {
  MemoryDirectory directory;
  directory.put("activemq-data-1.amq", data_file(4711));
  directory.put("activemq-data-2.amq", data_file(7));
  directory.put("activemq-data-10.amq", data_file(0x180000005));
  directory.put("activemq-data-3.amq", data_file(-1));
  const Read read(directory);
  CHECK(read.names() == Names{"activemq-data-3.amq", "activemq-data-2.amq", "activemq-data-1.amq",
                              "activemq-data-10.amq"});
  CHECK(read.folder.files[0].header.id == -1);
  CHECK(read.folder.files[3].header.tag() == 5);
  CHECK(read.folder.files[3].size_bytes == 1024);
  CHECK(read.findings.all.empty());
  CHECK(read.folder.odd.empty());
}

TEST_CASE("files with equal header ids are read in the order of their names") {
  MemoryDirectory directory;
  for (const char* name : {"activemq-data-9.amq", "activemq-data-10.amq", "activemq-data-2.amq"}) {
    directory.put(name, data_file(5));
  }
  CHECK(Read(directory).names() ==
        Names{"activemq-data-10.amq", "activemq-data-2.amq", "activemq-data-9.amq"});
}

TEST_CASE("the extension alone decides which journal a file belongs to") {
  MemoryDirectory directory;
  directory.put("zz.amq", data_file(1));
  directory.put("hornetq-data-2.hq", data_file(2));
  directory.put("activemq-bindings-1.bindings", data_file(3));
  directory.put("activemq-jms-1.jms", data_file(4));
  for (const char* other : {"server.lock", "serverlock.1", "amq", "x.amqp", "x.amq.old", "x.AMQ",
                            "journalCheck123.tmp", ".aio-test", "x.amq.cmp.tmp", "x.amq.bkp.bkp"}) {
    directory.put(other, data_file(9));
  }
  directory.put("attic/activemq-data-5.amq", data_file(5));
  directory.put("oldreplica.1/activemq-data-6.amq", data_file(6));
  CHECK(Read(directory).names() == Names{"zz.amq", "hornetq-data-2.hq"});
  CHECK(Read(directory).findings.all.empty());
  CHECK(Read(directory, JournalKind::kBindings).names() == Names{"activemq-bindings-1.bindings"});
  CHECK(Read(directory, JournalKind::kJms).names() == Names{"activemq-jms-1.jms"});
  CHECK(journal_kind_of("a.amq.bkp") == JournalKind::kMessages);
  CHECK(journal_kind_of("a.hq.tmp") == JournalKind::kMessages);
  CHECK(journal_kind_of("a.bindings.cmp") == JournalKind::kBindings);
  CHECK(journal_kind_of("a.jms") == JournalKind::kJms);
  CHECK(journal_kind_of(".amq") == JournalKind::kMessages);
  CHECK_FALSE(journal_kind_of("a.amq.old"));
  CHECK_FALSE(journal_kind_of(""));
}

TEST_CASE("an empty folder is an empty journal") {
  const Read read{MemoryDirectory()};
  CHECK(read.folder.files.empty());
  CHECK(read.findings.all.empty());
}

TEST_CASE("a file shorter than a header holds nothing and is named") {
  for (const std::size_t size : {0UL, 1UL, 15UL}) {
    MemoryDirectory directory;
    directory.put("activemq-data-1.amq", data_file(1));
    directory.put("activemq-data-2.amq", Buffer(size));
    const Read read(directory);
    CHECK(read.names() == Names{"activemq-data-1.amq"});
    CHECK(read.odd() == Odd{{"activemq-data-2.amq", Why::kShort}});
    REQUIRE(read.findings.codes() == Names{"short-file"});
    CHECK(read.findings.all[0].severity == Severity::kWarning);
    CHECK(read.findings.all[0].file == "journal/activemq-data-2.amq");
    CHECK(read.findings.all[0].length_bytes == size);
  }
}

TEST_CASE("a file that was being created is left out") {
  MemoryDirectory directory;
  directory.put("activemq-data-1.amq.tmp", data_file(1));
  const Read read(directory);
  CHECK(read.names().empty());
  CHECK(read.odd() == Odd{{"activemq-data-1.amq.tmp", Why::kCreating}});
  CHECK(read.findings.codes() == Names{"file-being-created"});
}

TEST_CASE("compacted files count only when a control file lists them") {
  MemoryDirectory directory = compaction();
  SECTION("without one they are leftovers") {
    const Read read(directory);
    CHECK(read.names() ==
          Names{"activemq-data-1.amq", "activemq-data-2.amq", "activemq-data-3.amq"});
    CHECK(read.odd() == Odd{{"activemq-data-4.amq.cmp", Why::kLeftover},
                            {"activemq-data-5.amq.cmp", Why::kLeftover}});
    CHECK_FALSE(read.folder.plan);
  }
  SECTION("with one they stand in for their inputs") {
    for (const std::size_t alignment : {1UL, 4096UL}) {
      directory.put(kControl, control_file(kInputs, kOutputs, alignment));
      const Read read(directory);
      CHECK(read.names() ==
            Names{"activemq-data-4.amq.cmp", "activemq-data-5.amq.cmp", "activemq-data-3.amq"});
      CHECK(read.folder.files[0].role == JournalFile::Role::kCompacted);
      CHECK(read.folder.files[2].role == JournalFile::Role::kData);
      CHECK(read.odd() == Odd{{"activemq-data-1.amq", Why::kConsumed},
                              {"activemq-data-2.amq", Why::kConsumed},
                              {kControl, Why::kControl}});
      CHECK(read.findings.codes() ==
            Names{"interrupted-compaction", "compaction-input", "compaction-input"});
      REQUIRE(read.folder.plan);
      CHECK(read.folder.plan->consumed == kInputs);
      CHECK(read.folder.plan->produced == kOutputs);
    }
  }
  SECTION("one that lists other outputs makes leftovers of these") {
    directory.put(kControl, control_file({}, {"activemq-data-4.amq.cmp"}));
    const Read read(directory);
    CHECK(read.names() == Names{"activemq-data-1.amq", "activemq-data-4.amq.cmp",
                                "activemq-data-2.amq", "activemq-data-3.amq"});
    CHECK(read.odd() ==
          Odd{{"activemq-data-5.amq.cmp", Why::kLeftover}, {kControl, Why::kControl}});
  }
}

TEST_CASE("a torn control file is worth nothing, wherever it is torn") {
  const Buffer whole = control_file(kInputs, kOutputs);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    MemoryDirectory directory = compaction();
    directory.put(kControl, Buffer(whole.begin(), whole.begin() + static_cast<long>(size)));
    const Read read(directory);
    INFO("cut to " << size << " bytes");
    CHECK(read.names() ==
          Names{"activemq-data-1.amq", "activemq-data-2.amq", "activemq-data-3.amq"});
    CHECK(read.findings.codes() ==
          Names{"control-file-torn", "compaction-leftover", "compaction-leftover"});
    CHECK_FALSE(read.folder.plan);
  }
}

TEST_CASE("of a control file the first add with tag 0 counts, whatever its header says") {
  Buffer bytes = hex_bytes("DEADBEEF DEADBEEF DEADBEEF DEADBEEF");
  JournalBuilder records(0);
  records.record({.id = 1, .body = plan_body({"x"}, {"y"}), .tag = 5});
  records.event(1, 0).add(1, 0, plan_body(kInputs, kOutputs)).add(1, 0, plan_body({}, {}));
  std::ranges::copy(Bytes(records.bytes()).subspan(16), std::back_inserter(bytes));
  MemoryDirectory directory = compaction();
  directory.put(kControl, bytes);
  const Read read(directory);
  REQUIRE(read.folder.plan);
  CHECK(read.folder.plan->consumed == kInputs);
}

TEST_CASE("a plan is read with and without its filler, and not when a list is cut") {
  const std::vector<std::pair<std::string, std::string>> renames = {{"a", "b"}, {"c", "d"}};
  for (const bool filled : {true, false}) {
    const auto plan = parse_plan(plan_body(kInputs, kOutputs, renames, filled));
    REQUIRE(plan);
    CHECK(plan->consumed == kInputs);
    CHECK(plan->produced == kOutputs);
    CHECK(plan->renames == renames);
  }
  const Buffer body = plan_body(kInputs, kOutputs, renames, false);
  for (std::size_t size = 0; size < body.size(); ++size) {
    CHECK_FALSE(parse_plan(Bytes(body).first(size)));
  }
  CHECK_FALSE(parse_plan(hex_bytes("7FFFFFFF 0001 61")));
  for (const char* negative :
       {"FFFFFFFF 00000000 00000000", "00000000 FFFFFFFF 00000000", "00000000 00000000 FFFFFFFF"}) {
    INFO(negative);
    CHECK_FALSE(parse_plan(hex_bytes(negative)));
  }
}

TEST_CASE("a control file that lists nothing changes nothing") {
  MemoryDirectory directory;
  directory.put("activemq-data-3.amq", data_file(3));
  directory.put(kControl, control_file({}, {}));
  const Read read(directory);
  CHECK(read.names() == Names{"activemq-data-3.amq"});
  CHECK(read.findings.codes() == Names{"interrupted-compaction"});
}

TEST_CASE("names in a plan that are not there any more are passed over") {
  MemoryDirectory directory;
  directory.put("activemq-data-3.amq", data_file(3));
  directory.put("activemq-data-4.amq", data_file(1));  // renamed before the crash
  directory.put("activemq-data-5.amq.cmp", data_file(2));
  directory.put(kControl, control_file(kInputs, kOutputs));
  const Read read(directory);
  CHECK(read.names() ==
        Names{"activemq-data-4.amq", "activemq-data-5.amq.cmp", "activemq-data-3.amq"});
}

TEST_CASE("a file that waits for its retention copy is read") {
  MemoryDirectory directory;
  directory.put("activemq-data-1.amq.bkp", data_file(1));
  directory.put("activemq-data-2.amq", data_file(2));
  const Read read(directory);
  CHECK(read.names() == Names{"activemq-data-1.amq.bkp", "activemq-data-2.amq"});
  CHECK(read.folder.files[0].role == JournalFile::Role::kRetention);
  CHECK(read.findings.codes() == Names{"retention-pending"});
}

TEST_CASE("of a file and its retention copy with one header id only one is read") {
  MemoryDirectory directory;
  directory.put("activemq-data-1.amq.bkp", data_file(7));
  directory.put("activemq-data-2.amq", data_file(7));
  directory.put("activemq-data-3.amq.bkp", data_file(8));
  const Read read(directory);
  CHECK(read.names() == Names{"activemq-data-2.amq", "activemq-data-3.amq.bkp"});
  CHECK(read.odd() == Odd{{"activemq-data-1.amq.bkp", Why::kDuplicate}});
  CHECK(read.findings.codes() == Names{"retention-pending", "retention-pending", "duplicate-file"});
}

TEST_CASE("files that are not of the prevailing size are named") {
  MemoryDirectory directory;
  directory.put("activemq-data-1.amq", data_file(1, 2048));
  directory.put("activemq-data-2.amq", data_file(2));
  directory.put("activemq-data-3.amq", data_file(3));
  directory.put("activemq-data-4.amq", data_file(4, 777));
  const Read read(directory);
  CHECK(read.names().size() == 4);
  REQUIRE(read.findings.codes() == Names{"odd-file-size", "odd-file-size"});
  CHECK(read.findings.all[0].file == "journal/activemq-data-1.amq");
  CHECK(read.findings.all[0].text == "the file has 2048 bytes, the prevailing size is 1024");
  CHECK(read.findings.all[1].length_bytes == 777);
  SECTION("of two equally frequent sizes the greater is the prevailing one") {
    MemoryDirectory two;
    two.put("activemq-data-1.amq", data_file(1, 2048));
    two.put("activemq-data-2.amq", data_file(2, 1024));
    const Read pair(two);
    REQUIRE(pair.findings.codes() == Names{"odd-file-size"});
    CHECK(pair.findings.all[0].file == "journal/activemq-data-2.amq");
  }
}

TEST_CASE("a damaged header is guessed from the records behind it") {
  const auto damaged = [](std::string_view header, std::size_t first_record) {
    JournalBuilder built(77);
    built.pad_to(first_record).add(1).add(2).pad_to(8192);
    Buffer bytes = built.bytes();
    std::ranges::copy(hex_bytes(header), bytes.begin());
    return bytes;
  };
  struct Expected {
    const char* header;
    std::int64_t id;
    std::int32_t version;
  };
  const Expected all[] = {
      {"00000000 00000000 0000000000000000", 77, 2},           // zeros
      {"00000003 00000000 000000000000004D", 77, 2},           // a version of the future
      {"00000002 00000001 000000020000004D", 0x20000004D, 2},  // a user version: the id stays
      {"FFFFFFFF FFFFFFFF FFFFFFFFFFFFFFFF", 77, 2},
  };
  for (const Expected& expected : all) {
    for (const std::size_t first_record : {16UL, 4096UL}) {
      MemoryDirectory directory;
      directory.put("activemq-data-1.amq", damaged(expected.header, first_record));
      const Read read(directory);
      INFO(expected.header << ", first record at " << first_record);
      REQUIRE(read.folder.files.size() == 1);
      CHECK(read.folder.files[0].header_guessed);
      CHECK(read.folder.files[0].header.id == expected.id);
      CHECK(read.folder.files[0].header.format_version == expected.version);
      CHECK(read.folder.files[0].header.user_version == 0);
      REQUIRE(read.findings.codes() == Names{"header-damaged"});
      CHECK(read.findings.all[0].severity == Severity::kDamage);
      const auto file = memory_file(damaged(expected.header, first_record));
      CHECK(scan(*file, read.folder.files[0].header).records.size() == 2);
    }
  }
}

TEST_CASE("a damaged header of an old file keeps the version that its records have") {
  JournalBuilder built(77, 1, 9);  // an impossible user version
  built.add(1).add(2).pad_to(1024);
  const auto file = memory_file(built.bytes());
  const auto header = read_file_header(*file, "x.amq");
  REQUIRE(header);
  REQUIRE(*header);
  CHECK((*header)->header_guessed);
  CHECK((*header)->header.format_version == 1);
  CHECK(scan(*file, (*header)->header).records.size() == 2);
}

TEST_CASE("a file of zeros has a damaged header and no records") {
  const auto file = memory_file(Buffer(1024));
  const auto header = read_file_header(*file, "x.amq");
  REQUIRE(header);
  REQUIRE(*header);
  CHECK((*header)->header_guessed);
  CHECK((*header)->header.id == 0);
  CHECK((*header)->name == "x.amq");
}

TEST_CASE("a good header is taken as it is, and a short file has none") {
  const auto file = memory_file(data_file(3));
  const auto header = read_file_header(*file, "y.amq");
  REQUIRE(header);
  REQUIRE(*header);
  CHECK_FALSE((*header)->header_guessed);
  CHECK((*header)->header.id == 3);
  CHECK((*header)->size_bytes == 1024);
  for (const std::size_t size : {0UL, 15UL}) {
    const auto shorter = read_file_header(*memory_file(Buffer(size)), "short.amq");
    REQUIRE(shorter);
    CHECK_FALSE(*shorter);
  }
}

TEST_CASE("a name number is the decimal number behind the last hyphen") {
  CHECK(name_number("activemq-data-12.amq") == 12);
  CHECK(name_number("activemq-data-12.amq.cmp") == 12);
  CHECK(name_number("hornetq-data-3.hq") == 3);
  CHECK(name_number("activemq-data-20260102030405-17.amq") == 17);
  CHECK(name_number("activemq-data-9223372036854775807.amq") == INT64_MAX);
  CHECK(name_number("x-0007.amq") == 7);
  for (const char* odd : {"zz.amq", "", "activemq-data-.amq", "activemq-data-1x.amq",
                          "activemq-data-x1.amq", "activemq-data-9223372036854775808.amq", "-",
                          "activemq-data- 1.amq", "12.amq", "activemq-data-1 .amq"}) {
    INFO(odd);
    CHECK(name_number(odd) == 0);
  }
  CHECK(name_number("a.b-5.amq") == 0);  // the first dot ends the part that is looked at
}

TEST_CASE("a label goes in front of file names, none leaves them alone") {
  MemoryDirectory directory;
  directory.put("activemq-data-1.amq.tmp", {});
  CHECK(Read(directory, JournalKind::kMessages, "").findings.all[0].file ==
        "activemq-data-1.amq.tmp");
  CHECK(Read(directory, JournalKind::kMessages, "journal").findings.all[0].file ==
        "journal/activemq-data-1.amq.tmp");
}

namespace {

/// A folder with one file that the system does not let us read.
class LockedDirectory final : public ReadableDirectory {
 public:
  [[nodiscard]] const std::string& path() const override { return path_; }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override {
    if (!listed) return fail(ErrorCode::kIo, "cannot list", path_);
    return std::vector<DirectoryEntry>{{.name = "activemq-data-1.amq", .size_bytes = 1024}};
  }
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override {
    return fail(ErrorCode::kIo, "cannot open: Permission denied", std::string(name));
  }
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override {
    return fail(ErrorCode::kNotFound, "no such folder", std::string(name));
  }
  bool listed = true;

 private:
  std::string path_ = "locked";
};

}  // namespace

TEST_CASE("a file that cannot be opened is damage, a folder that cannot be listed an error") {
  LockedDirectory directory;
  Findings findings;
  const auto folder = read_folder(directory, JournalKind::kMessages, "journal", findings);
  REQUIRE(folder);
  CHECK(folder->files.empty());
  REQUIRE(folder->odd.size() == 1);
  CHECK(folder->odd[0].why == Why::kUnreadable);
  REQUIRE(findings.codes() == Names{"file-unreadable"});
  CHECK(findings.all[0].severity == Severity::kDamage);
  CHECK(findings.all[0].text == "cannot open: Permission denied");
  directory.listed = false;
  const auto failed = read_folder(directory, JournalKind::kMessages, "journal", findings);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kIo);
}
