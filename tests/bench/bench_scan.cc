// The framing scan alone: how fast the library finds every record of a journal folder. Two threads
// share the files, as two cores do in the program. Prints the records and bytes it has seen.
//
//   bench_scan JOURNAL_FOLDER
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"

namespace {

using namespace saranga;

class NoSink final : public FindingSink {
 public:
  void finding(Finding /*finding*/) override {}
};

struct Totals {
  std::atomic<std::uint64_t> records{0};
  std::atomic<std::uint64_t> bytes{0};
};

void scan_files(const ReadableDirectory& directory, const journal::JournalFolder& folder,
                std::atomic<std::size_t>& next, Totals& totals) {
  journal::Batch batch;
  for (std::size_t i = next++; i < folder.files.size(); i = next++) {
    auto file = directory.open(folder.files[i].name);
    if (!file) continue;
    journal::FileScanner scanner(**file, folder.files[i].header,
                                 {.window_bytes = std::size_t{256} << 10});
    while (true) {
      const auto more = scanner.next(batch);
      if (!more || !*more) break;
    }
    totals.records += scanner.record_count();
    totals.bytes += scanner.account().total_bytes();
  }
}

}  // namespace

int main(int count, char** values) {
  if (count != 2) {
    fmt::print(stderr, "usage: bench_scan JOURNAL_FOLDER\n");
    return 64;
  }
  NoSink sink;
  auto directory = open_disk_directory(values[1]);
  if (!directory) {
    fmt::print(stderr, "{}\n", directory.error().message());
    return 3;
  }
  const auto folder =
      journal::read_folder(**directory, journal::JournalKind::kMessages, "journal", sink);
  if (!folder) return 3;
  std::atomic<std::size_t> next{0};
  Totals totals;
  {
    const std::jthread helper([&] { scan_files(**directory, *folder, next, totals); });
    scan_files(**directory, *folder, next, totals);
  }
  fmt::print("{} records, {} bytes\n", totals.records.load(), totals.bytes.load());
  return 0;
}
