// Fuzzes reading a page file and decoding its entries. The window of the scan must make no
// difference, and every byte is either in an entry or unreadable.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "saranga/io/directory.h"
#include "saranga/paging/page_file.h"

namespace {

using namespace saranga;

struct Seen {
  std::uint64_t offset = 0;
  std::int32_t number = 0;
  std::size_t payload_bytes = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> scan(const ReadableFile& file, std::size_t window_bytes) {
  paging::PageScanner scanner(file, window_bytes);
  std::vector<Seen> seen;
  paging::PageEntry entry;
  while (true) {
    const auto more = scanner.next(entry);
    if (!more) __builtin_trap();  // memory does not fail
    if (!*more) break;
    seen.push_back({entry.offset, entry.number, entry.payload.size()});
    Cursor cursor(entry.payload);
    const paging::PagedMessage message = paging::read_paged_message(cursor);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < message.queues.size(); ++i) sum ^= message.queues[i];
    static_cast<void>(sum);
  }
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
  if (scan(**file, std::size_t{1} << 20) != scan(**file, 64 + size % 509)) __builtin_trap();
  return 0;
}
