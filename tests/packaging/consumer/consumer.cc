// A program of somebody else: counts the records of a store through the installed library.
#include <cstdio>
#include <memory>
#include <string>

#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"
#include "saranga/store/location.h"

namespace {

class Counter : public saranga::FindingSink {
 public:
  void finding(saranga::Finding) override { ++count; }
  int count = 0;
};

/// The number of records of the message journal in a folder, or -1.
long long count_records(const std::string& path, Counter& findings) {
  using namespace saranga;
  const auto folder = open_disk_directory(path);
  if (!folder) return -1;
  const auto journal =
      journal::read_folder(**folder, journal::JournalKind::kMessages, "journal", findings);
  if (!journal) return -1;
  long long records = 0;
  for (const journal::JournalFile& file : journal->files) {
    const auto opened = (*folder)->open(file.name);
    if (!opened) return -1;
    journal::FileScanner scanner(**opened, file.header);
    journal::Batch batch;
    auto more = scanner.next(batch);
    while (more && *more) more = scanner.next(batch);
    if (!more) return -1;
    records += static_cast<long long>(scanner.record_count());
  }
  return records;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const auto location = saranga::store::locate({.store = argv[1]});
  if (!location) {
    std::fprintf(stderr, "%s\n", location.error().message().c_str());
    return 3;
  }
  Counter findings;
  std::printf("%lld records, %d findings\n", count_records(location->journal.path, findings),
              findings.count);
  return 0;
}
