// Fuzzes reading a journal: the input is a file of it, and its control file as well. Whatever the
// bytes are, every one is accounted for, and the size of the windows makes no difference.
#include <cstdlib>

#include "saranga/journal/folder.h"
#include "saranga/journal/gap_findings.h"
#include "saranga/journal/record_fetcher.h"
#include "saranga/journal/scanner.h"
#include "saranga/journal/survivors.h"

using namespace saranga;
using namespace saranga::journal;

namespace {

/// Counts findings, and insists that they say something.
class Counter final : public FindingSink {
 public:
  void finding(Finding finding) override {
    if (finding.code.empty() || finding.text.empty()) std::abort();
    ++count;
  }
  std::size_t count = 0;
};

/// What has to be the same for any windows.
struct Outcome {
  std::uint64_t records = 0;
  std::uint64_t sum = 0;  // of places, lengths and ids
  std::uint64_t end = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t stale = 0;
  std::size_t findings = 0;
  std::size_t survivors = 0;
  bool marked = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void check(bool right) {
  if (!right) std::abort();
}

Outcome scan(const ReadableFile& file, const JournalFile& info, ScanOptions options) {
  Counter findings;
  const std::vector<std::string> names = {info.name};
  Survivors survivors(findings, names);
  FileScanner scanner(file, info.header, options);
  Outcome outcome;
  std::uint64_t at = kHeaderBytes;
  for (Batch batch;;) {
    const auto more = scanner.next(batch);
    check(more.has_value());
    if (!*more) break;
    for (const Record& record : batch.records) {
      check(record.offset >= at && record.body.size() < record.length_bytes);
      at = record.offset + record.length_bytes;
      outcome.sum = outcome.sum * 31 + record.offset + record.length_bytes +
                    static_cast<std::uint64_t>(record.id ^ record.tx_id);
      survivors.apply(record, 0);
    }
    outcome.records += batch.records.size();
  }
  survivors.finish();
  report_gaps(scanner, info.name, info.missing_bytes, findings);
  check(scanner.account().total_bytes() == file.size_bytes());
  check(at <= std::max<std::uint64_t>(file.size_bytes(), kHeaderBytes));
  check(scanner.record_count() == outcome.records);
  outcome.end = scanner.end_of_records();
  outcome.unreadable = scanner.account().unreadable_bytes;
  outcome.stale = scanner.account().stale_bytes;
  outcome.findings = findings.count;
  outcome.survivors = survivors.records().size();
  outcome.marked = scanner.marked();
  return outcome;
}

/// Each record that was scanned can be fetched by its place.
void fetch_all(const MemoryDirectory& directory, const ReadableFile& file,
               const std::vector<JournalFile>& files) {
  FileScanner scanner(file, files[0].header);
  RecordFetcher fetcher(directory, files);
  Batch batch;
  while (*scanner.next(batch)) {
    for (const Record& record : batch.records) {
      const auto fetched = fetcher.fetch(Place(0, record.offset));
      check(fetched && fetched->id == record.id && fetched->length_bytes == record.length_bytes);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  MemoryDirectory directory;
  directory.put("activemq-data-1.amq", {bytes.begin(), bytes.end()});
  directory.put("journal-rename-control.ctr", {bytes.begin(), bytes.end()});
  Counter findings;
  const auto folder = read_folder(directory, JournalKind::kMessages, "journal", findings);
  check(folder.has_value());
  const auto file = directory.open("activemq-data-1.amq");
  check(file.has_value());
  const auto header = read_file_header(**file, "activemq-data-1.amq");
  check(header.has_value());
  const JournalFile info = *header ? **header : JournalFile{.name = "activemq-data-1.amq"};
  const std::size_t window_bytes = size == 0 ? 32 : 32 + data[size - 1];
  for (const bool reclaimed : {false, true}) {
    const Outcome whole = scan(**file, info, {.reclaimed = reclaimed});
    const Outcome windows =
        scan(**file, info, {.reclaimed = reclaimed, .window_bytes = window_bytes});
    check(whole == windows);
  }
  fetch_all(directory, **file, {info});
  return 0;
}
