// Fuzzes reading a page file, decoding its entries, and both printers. The window of the scan must
// make no difference, and every byte is either in an entry or unreadable.
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "saranga/io/directory.h"
#include "saranga/paging/page_file.h"
#include "tests/fuzz/json_check.h"
#include "tools/print/json_printer.h"
#include "tools/print/text_printer.h"

namespace {

using namespace saranga;

struct Seen {
  std::uint64_t offset = 0;
  std::int32_t number = 0;
  std::size_t payload_bytes = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

void print_entry(const paging::PageEntry& entry) {
  static const print::TextPrinter kText({});
  static const print::JsonPrinter kJson({.body = print::BodyDetail::kFull});
  const paging::Cursors cursors;
  const std::set<std::int64_t> queues;
  const print::PagedEntry paged{
      .page = 1, .label = "page", .entry = entry, .cursors = &cursors, .queues = &queues};
  TextBuffer text;
  TextBuffer json;
  print::RecordNotes text_notes;
  print::RecordNotes json_notes;
  kText.paged_message(text, text_notes, paged);
  kJson.paged_message(json, json_notes, paged);
  if (!saranga::test::is_balanced_json(json.view())) __builtin_trap();
  if (text_notes.findings.size() != json_notes.findings.size()) __builtin_trap();
}

std::vector<Seen> scan(const ReadableFile& file, std::size_t window_bytes, bool print) {
  paging::PageScanner scanner(file, window_bytes);
  std::vector<Seen> seen;
  paging::PageEntry entry;
  while (true) {
    const auto more = scanner.next(entry);
    if (!more) __builtin_trap();  // memory does not fail
    if (!*more) break;
    seen.push_back({entry.offset, entry.number, entry.payload.size()});
    if (print) print_entry(entry);
  }
  if (scanner.entry_count() != seen.size()) __builtin_trap();
  if (scanner.entry_bytes() + scanner.unreadable_bytes() != file.size_bytes()) __builtin_trap();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes content = std::as_bytes(std::span(data, size));
  MemoryDirectory folder("paging");
  folder.put("000000001.page", {content.begin(), content.end()});
  const auto file = folder.open("000000001.page");
  if (!file) __builtin_trap();
  if (scan(**file, std::size_t{1} << 20, true) != scan(**file, 64 + size % 509, false)) {
    __builtin_trap();
  }
  return 0;
}
