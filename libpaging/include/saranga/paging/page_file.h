// Reading one page file: a row of framed entries and nothing else
// (docs/format/paging.md#page-file).
//
//   offset  width  meaning
//   0       1      0x7B, '{'
//   1       4      N, length of the payload
//   5       N      payload
//   5+N     1      0x7D, '}'
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "saranga/io/directory.h"
#include "saranga/paging/paged_message.h"

namespace saranga::paging {

inline constexpr std::uint64_t kFrameBytes = 6;  ///< of an entry, besides its payload

/// One entry; `payload` is a view of the scanner's window, valid until the next call.
struct PageEntry {
  std::uint64_t offset = 0;
  std::int32_t number = 0;        ///< position in the page, from 0: what cursors refer to
  bool number_estimated = false;  ///< found behind damage, so entries may be missing before it
  Bytes payload{};
};

/// A stretch of a page file that is no entry.
struct PageDamage {
  std::uint64_t offset = 0;
  std::uint64_t length_bytes = 0;
  std::string problem;
  bool at_end = false;  ///< nothing readable follows: usual after a crash
};

/// Scans a page front to back. Artemis stops at the first damaged entry; this goes on at the next
/// frame whose payload decodes. Memory is bounded by the largest whole entry.
class SARANGA_API PageScanner {
 public:
  /// `file` must outlive the scanner.
  explicit PageScanner(const ReadableFile& file, std::size_t window_bytes = std::size_t{1} << 20);

  /// The next entry; false behind the last. Errors are failures of the system.
  [[nodiscard]] Result<bool> next(PageEntry& entry);

  /// Complete once next() has returned false.
  [[nodiscard]] const std::vector<PageDamage>& damage() const { return damage_; }
  [[nodiscard]] std::uint64_t entry_count() const { return entry_count_; }
  [[nodiscard]] std::uint64_t entry_bytes() const { return entry_bytes_; }
  [[nodiscard]] std::uint64_t unreadable_bytes() const { return unreadable_bytes_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_; }

 private:
  /// Makes `count` bytes from `at_` on available; false when the file ends before.
  [[nodiscard]] Result<bool> ensure(std::uint64_t count);
  [[nodiscard]] Result<std::optional<Bytes>> frame_here();
  [[nodiscard]] Result<std::optional<std::byte>> byte_at(std::uint64_t offset) const;
  [[nodiscard]] Result<bool> is_plausible(Bytes payload);
  [[nodiscard]] Result<bool> resynchronise();
  void close_damage(bool at_end);

  const ReadableFile& file_;
  std::uint64_t size_;
  std::size_t window_bytes_;
  std::vector<std::byte> window_;
  std::uint64_t base_ = 0;  // file offset of the window's first byte
  std::size_t filled_ = 0;
  std::uint64_t at_ = 0;  // file offset of the next byte to look at
  std::int32_t number_ = 0;
  bool estimated_ = false;
  const char* problem_ = nullptr;
  std::optional<std::uint64_t> damage_from_{};
  std::vector<PageDamage> damage_;
  std::uint64_t entry_count_ = 0;
  std::uint64_t entry_bytes_ = 0;
  std::uint64_t unreadable_bytes_ = 0;
};

}  // namespace saranga::paging
