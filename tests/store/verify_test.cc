// Verifying real stores: no false alarm, every byte accounted for, and no blow-up on hostile ones.
#include "saranga/store/verify.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <set>

#include "saranga/journal/survivors.h"
#include "saranga/store/loader.h"
#include "saranga/store/location.h"
#include "tests/support/odd_store.h"
#include "tools/cli/ordered_jobs.h"

namespace {

using namespace saranga;
using namespace saranga::test;
using store::CheckLevel;

constexpr std::int64_t kNow = 1796050000000;  // when the fixtures were made

class Findings final : public FindingSink {
 public:
  void finding(Finding finding) override {
    worst = std::max(worst, finding.severity);
    ++counts[std::string(finding.code)];
  }
  Severity worst = Severity::kInfo;
  std::map<std::string, std::uint64_t> counts;
};

store::StoreParts open_store(const std::string& path) {
  const auto location = store::locate({.store = path});
  REQUIRE(location);
  auto parts = store::open_parts(*location);
  REQUIRE(parts);
  return std::move(*parts);
}

std::vector<std::string> fixture_stores() {
  std::vector<std::string> stores;
  for (const char* group : {"", "/cases"}) {
    const std::string base = std::string(SARANGA_FIXTURES) + group;
    for (const auto& entry : std::filesystem::directory_iterator(base)) {
      const std::filesystem::path store = entry.path() / "store";
      if (std::filesystem::is_directory(store)) stores.push_back(store);
    }
  }
  std::ranges::sort(stores);
  return stores;
}

bool is_case(const std::string& store) { return store.find("/cases/") != std::string::npos; }

/// Bytes of the records that survive a load, counted the long way.
std::uint64_t surviving_bytes(const ReadableDirectory& directory, journal::JournalKind kind) {
  Findings findings;
  const auto folder = journal::read_folder(directory, kind, "", findings);
  REQUIRE(folder);
  const std::vector<std::string> names(folder->files.size());
  journal::Survivors survivors(findings, names);
  for (std::size_t i = 0; i < folder->files.size(); ++i) {
    const auto file = directory.open(folder->files[i].name);
    REQUIRE(file);
    journal::FileScanner scanner(**file, folder->files[i].header);
    journal::Batch batch;
    for (auto more = scanner.next(batch); more && *more; more = scanner.next(batch)) {
      for (const journal::Record& record : batch.records) survivors.apply(record, i);
    }
  }
  survivors.finish();
  journal::RecordFetcher fetcher(directory, folder->files);
  std::uint64_t sum = 0;
  const auto add = [&](const journal::PlacedRecord& placed) {
    sum += fetcher.fetch(placed.place)->length_bytes;
  };
  for (const journal::PlacedRecord& placed : survivors.records()) add(placed);
  for (const journal::OpenTransaction& open : survivors.open()) {
    if (!open.prepared) continue;
    for (const auto& placed : open.records) add(placed);
    for (const auto& placed : open.deletes) add(placed);
    add(*open.prepare);
  }
  return sum;
}

}  // namespace

TEST_CASE("no false alarm on any fixture") {
  // These brokers were killed, or left transactions behind.
  const std::set<std::string> killed = {"crash", "large", "orders-2.28"};
  std::size_t count = 0;
  for (const std::string& path : fixture_stores()) {
    if (is_case(path)) continue;
    INFO(path);
    Findings findings;
    InlineRunner jobs;
    const auto report = store::verify_store(open_store(path), {.now_ms = kNow}, findings, jobs);
    REQUIRE(report);
    const std::string name = std::filesystem::path(path).parent_path().filename();
    CHECK(findings.worst == (killed.contains(name) ? Severity::kWarning : Severity::kInfo));
    ++count;
  }
  CHECK(count >= 28);
}

TEST_CASE("every byte of every fixture has its place, at every level") {
  for (const std::string& path : fixture_stores()) {
    INFO(path);
    for (const CheckLevel level :
         {CheckLevel::kHeader, CheckLevel::kFraming, CheckLevel::kTransactions, CheckLevel::kBodies,
          CheckLevel::kCross}) {
      Findings findings;
      InlineRunner jobs;
      const auto report =
          store::verify_store(open_store(path), {.level = level, .now_ms = kNow}, findings, jobs);
      REQUIRE(report);
      std::uint64_t on_disk = 0;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        const std::string relative = entry.path().string().substr(path.size() + 1);
        const bool part = relative.starts_with("journal/") || relative.starts_with("bindings/") ||
                          relative.starts_with("paging/") ||
                          relative.starts_with("large-messages/");
        if (part && entry.is_regular_file()) on_disk += entry.file_size();
      }
      CHECK(report->total().total_bytes == on_disk);
      for (const store::PartAccount& part : report->parts) {
        INFO(part.part);
        CHECK(part.sum_bytes() == part.total_bytes);
      }
    }
  }
}

TEST_CASE("live bytes are those of the records that survive") {
  for (const std::string& path : fixture_stores()) {
    INFO(path);
    Findings findings;
    InlineRunner jobs;
    const auto report = store::verify_store(open_store(path), {.now_ms = kNow}, findings, jobs);
    REQUIRE(report);
    const store::StoreParts parts = open_store(path);
    for (const store::PartAccount& part : report->parts) {
      if (part.part == "journal") {
        CHECK(part.live_bytes == surviving_bytes(*parts.journal, journal::JournalKind::kMessages));
      }
      if (part.part == "bindings") {
        CHECK(part.live_bytes == surviving_bytes(*parts.bindings, journal::JournalKind::kBindings));
      }
    }
  }
}

TEST_CASE("threads make no difference") {
  for (const char* name : {"/paging/store", "/protocols/store", "/cases/k3-no-bindings/store"}) {
    std::vector<std::vector<std::string>> runs;
    for (const unsigned helpers : {0U, 3U}) {
      class Texts final : public FindingSink {
       public:
        void finding(Finding finding) override { texts.push_back(finding.file + finding.text); }
        std::vector<std::string> texts;
      } texts;
      cli::OrderedJobs jobs(helpers);
      const std::string path = std::string(SARANGA_FIXTURES) + name;
      REQUIRE(store::verify_store(open_store(path), {.now_ms = kNow}, texts, jobs));
      runs.push_back(std::move(texts.texts));
    }
    CHECK(runs[0] == runs[1]);
  }
}

TEST_CASE("lies across files end in findings, not in time or memory") {
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::int64_t kMany = 100000;
  std::string lies;
  // One transaction of very many records, about messages and queues that are not there.
  for (std::int64_t i = 0; i < kMany; ++i) {
    lies += fmt::format("update {} ADD_REF tx=90 queue_id={}\n", INT64_MAX - i, -i);
  }
  lies += fmt::format("commit tx=90 records={}\n", kMany);
  // Very many references to one message, each acknowledged.
  for (std::int64_t i = 0; i < kMany; ++i) {
    lies += fmt::format("update 20 ADD_REF queue_id={}\n", 1000 + i);
  }
  for (std::int64_t i = 0; i < kMany; ++i) {
    lies += fmt::format("update 20 ACKNOWLEDGE_REF queue_id={}\n", 1000 + i);
  }
  // Page positions and transactions without end.
  for (std::int64_t i = 0; i < kMany; ++i) {
    lies += fmt::format(
        "add {} ACKNOWLEDGE_CURSOR queue_id=5 page_number={} message_number=0x7fffffff\n",
        INT64_MIN + i, INT64_MAX - i);
    lies += fmt::format("add {} PAGE_TRANSACTION page_tx={} reference_count=0x7fffffff\n",
                        200000 + i, -i);
    lies += fmt::format(
        "add {} PAGE_CURSOR_COUNTER_INC queue_id=5 delta=0x7fffffff "
        "persistent_size_delta_bytes=0\n",
        400000 + i);
  }
  Findings findings;
  InlineRunner jobs;
  const auto report = store::verify_store(build_store(example_recipe("bit-of-everything") + lies),
                                          {.now_ms = kNow}, findings, jobs);
  REQUIRE(report);
  CHECK(findings.counts["reference-without-message"] == kMany);
  CHECK(findings.counts["cursor-without-page"] == kMany);
  CHECK(findings.counts["page-transaction-without-pages"] == kMany);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}
