// Page files for the tests, built from their parts.
#pragma once

#include <vector>

#include "saranga/paging/page_file.h"
#include "tests/message/core_samples.h"

namespace saranga::test {

/// A payload: transaction, kind, what stands for the message, queue ids.
inline Buffer paged(Bytes message, const std::vector<std::int64_t>& queues = {12},
                    std::int64_t tx_id = -1, unsigned kind = 0) {
  BodyBuilder out;
  out.i64(tx_id).u8(kind).raw(message).i32(static_cast<std::int64_t>(queues.size()));
  for (const std::int64_t queue : queues) out.i64(queue);
  return out.bytes();
}

/// The payload of a small message.
inline Buffer paged_core(std::int64_t id, std::size_t body_bytes = 1) {
  return paged(stored_core({.id = id, .body = Buffer(body_bytes, std::byte{0x55})}));
}

inline Buffer frame(Bytes payload) {
  BodyBuilder out;
  out.u8(0x7B).sized(payload);
  return out.u8(0x7D).bytes();
}

inline void append(Buffer& to, Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

/// What a scan of a page gives.
struct ScannedPage {
  struct Entry {
    std::uint64_t offset = 0;
    std::int32_t number = 0;
    bool estimated = false;
    Buffer payload;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;
  std::vector<paging::PageDamage> damage;
  std::uint64_t entry_bytes = 0;
  std::uint64_t unreadable_bytes = 0;
};

inline ScannedPage scan_page(const ReadableFile& file, std::size_t window = std::size_t{1} << 20) {
  paging::PageScanner scanner(file, window);
  ScannedPage page;
  paging::PageEntry entry;
  while (true) {
    const auto more = scanner.next(entry);
    if (!more) throw std::runtime_error(more.error().message());
    if (!*more) break;
    page.entries.push_back({entry.offset, entry.number, entry.number_estimated,
                            Buffer(entry.payload.begin(), entry.payload.end())});
  }
  page.damage = scanner.damage();
  page.entry_bytes = scanner.entry_bytes();
  page.unreadable_bytes = scanner.unreadable_bytes();
  if (scanner.entry_count() != page.entries.size()) throw std::runtime_error("entry_count()");
  return page;
}

/// Scans bytes with windows of several sizes, which must make no difference.
inline ScannedPage scan_page(const Buffer& bytes) {
  const auto file = memory_file(bytes);
  ScannedPage page = scan_page(*file);
  for (const std::size_t window : {1U, 7U, 64U, 1000U}) {
    const ScannedPage again = scan_page(*file, window);
    if (again.entries != page.entries || again.unreadable_bytes != page.unreadable_bytes) {
      throw std::runtime_error("another window gives another result");
    }
  }
  return page;
}

}  // namespace saranga::test
