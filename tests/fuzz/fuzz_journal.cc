// Fuzzes reading a journal file: header, scan, and what survives. The window of the scan must make
// no difference, and the byte account must add up.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"
#include "saranga/journal/survivors.h"

namespace {

using namespace saranga;

class Sink : public FindingSink {
 public:
  void finding(Finding) override {}
};

/// What a scan says, in a form that can be compared.
struct Summary {
  std::vector<std::uint64_t> offsets;
  std::uint64_t stale_bytes = 0;
  std::uint64_t padding_bytes = 0;
  std::uint64_t unreadable_bytes = 0;
  std::size_t survivors = 0;
  friend bool operator==(const Summary&, const Summary&) = default;
};

Summary scan(const ReadableFile& file, const journal::FileHeader& header,
             journal::ScanOptions options) {
  Sink sink;
  const std::vector<std::string> names{"activemq-data-1.amq"};
  journal::Survivors survivors(sink, names);
  journal::FileScanner scanner(file, header, options);
  journal::Batch batch;
  Summary summary;
  while (true) {
    const auto more = scanner.next(batch);
    if (!more) __builtin_trap();  // memory does not fail
    if (!*more) break;
    for (const journal::Record& record : batch.records) {
      summary.offsets.push_back(record.offset);
      survivors.apply(record, 0);
    }
  }
  survivors.finish();
  const journal::ByteAccount& account = scanner.account();
  if (account.total_bytes() != file.size_bytes()) __builtin_trap();
  summary.stale_bytes = account.stale_bytes;
  summary.padding_bytes = account.padding_bytes;
  summary.unreadable_bytes = account.unreadable_bytes;
  summary.survivors = survivors.records().size();
  return summary;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes content = std::as_bytes(std::span(data, size));
  MemoryDirectory folder("journal");
  folder.put("activemq-data-1.amq", {content.begin(), content.end()});
  Sink sink;
  const auto found = journal::read_folder(folder, journal::JournalKind::kMessages, "journal", sink);
  if (!found) __builtin_trap();
  for (const journal::JournalFile& file : found->files) {
    const auto opened = folder.open(file.name);
    if (!opened) __builtin_trap();
    const std::size_t small = 64 + size % 509;
    for (const bool reclaimed : {false, true}) {
      const Summary whole = scan(**opened, file.header, {.reclaimed = reclaimed});
      const Summary pieces =
          scan(**opened, file.header, {.reclaimed = reclaimed, .window_bytes = small});
      if (whole != pieces) __builtin_trap();
    }
  }
  return 0;
}
