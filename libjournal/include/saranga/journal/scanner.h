// Reading one journal file: every record of its present life, and what all its other bytes are
// (docs/format/journal.md#scanning-a-file, #byte-account).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/io/directory.h"
#include "saranga/journal/format.h"

namespace saranga::journal {

/// What a byte of a journal file is.
enum class ByteClass : std::uint8_t {
  kHeader,
  kRecord,      ///< of a record of the file's present life
  kStale,       ///< of records of a previous life of a reused file
  kPadding,     ///< fill that was never written
  kUnreadable,  ///< none of the above
};

/// Bytes a class; the five always sum up to the size of the file.
struct ByteAccount {
  std::uint64_t header_bytes = 0;
  std::uint64_t record_bytes = 0;
  std::uint64_t stale_bytes = 0;
  std::uint64_t padding_bytes = 0;
  std::uint64_t unreadable_bytes = 0;
  std::uint64_t stale_records = 0;

  SARANGA_API void add(ByteClass kind, std::uint64_t count);
  SARANGA_API void add(const ByteAccount& other);
  [[nodiscard]] std::uint64_t total_bytes() const {
    return header_bytes + record_bytes + stale_bytes + padding_bytes + unreadable_bytes;
  }
};

/// Bytes with the file's tag that look like the start of a record and are none.
struct NearRecord {
  std::uint64_t offset = 0;
  RecordKind kind = RecordKind::kAdd;
  std::int64_t id = 0;  ///< record or transaction id, as far as it could be read
  std::int8_t user_type = 0;
  std::string problem;  ///< "check size is 90, expected 118"
  std::uint32_t early_bytes =
      0;  ///< the right check size stands so much in front of its place: the
          ///< record was written shorter than it says, by a broker's mistake
};

/// A stretch between records that is not simply fill.
struct Gap {
  std::uint64_t offset = 0;
  std::uint64_t length_bytes = 0;
  ByteClass kind = ByteClass::kUnreadable;
  std::optional<NearRecord> near{};  ///< the first one in it
  std::uint64_t near_count = 0;
  bool followed_by_record = false;  ///< a record of the present life comes later in the file
};

/// Records that share a window of the file. Hand it back to next() to reuse its memory.
struct Batch {
  std::vector<Record> records;  ///< views of `window`
  std::unique_ptr<std::byte[]> window;
  std::size_t capacity_bytes = 0;
};

struct ScanOptions {
  bool reclaimed = false;  ///< deliver records of previous lives as well
  std::size_t window_bytes = std::size_t{256} << 10;
};

/// Scans a file front to back in windows. One thread at a time. Sizes found in the file are checked
/// against the file before anything is allocated for them.
class SARANGA_API FileScanner {
 public:
  /// `file` must outlive the scanner. `header` tells tag and format version.
  FileScanner(const ReadableFile& file, FileHeader header, ScanOptions options = {});

  /// Fills `batch` with the next records; false when the file is read to its end.
  /// Errors are failures of the system; damage is never an error here.
  [[nodiscard]] Result<bool> next(Batch& batch);

  [[nodiscard]] const ReadableFile& file() const { return file_; }
  /// The next byte to look at.
  [[nodiscard]] std::uint64_t position() const { return base_ + at_; }

  /// The following are complete once next() has returned false.
  [[nodiscard]] const ByteAccount& account() const { return account_; }
  [[nodiscard]] const std::vector<Gap>& gaps() const { return gaps_; }
  /// The records that were delivered.
  [[nodiscard]] std::uint64_t record_count() const { return record_count_; }
  /// Just behind the last record of the present life, or kHeaderBytes when there is none: where a
  /// broker would go on.
  [[nodiscard]] std::uint64_t end_of_records() const { return end_of_records_; }
  /// The file looked damaged to Artemis, so that it would not take it for a free file.
  [[nodiscard]] bool marked() const { return marked_; }

 private:
  enum class Match : std::uint8_t { kNo, kYes, kNeedMore };
  struct Problem;

  [[nodiscard]] Result<void> refill(Batch& batch);
  [[nodiscard]] Result<void> scan_window(Batch& batch);
  [[nodiscard]] Match match(bool any_tag, Record& record, Problem& problem);
  [[nodiscard]] Match match_length(const KindTraits& kind, std::uint64_t length, Problem& problem);
  /// Looks for a record at the present byte; kNo when there is none of any life.
  [[nodiscard]] Match look(Batch& batch);
  void take(const Record& record);
  void take_stale(const Record& record);
  void skip();
  void note_near(const Record& record, const Problem& problem);
  [[nodiscard]] std::uint32_t early_check(std::uint64_t length) const;
  void account_skipped(std::uint64_t from, std::uint64_t to, bool fill);
  void close_unknown(std::uint64_t end, bool before_stale, bool before_record);
  [[nodiscard]] std::uint64_t remnant_end(std::uint64_t end, bool before_stale) const;
  void finish();

  const ReadableFile& file_;
  FileHeader header_;
  ScanOptions options_;
  std::uint64_t size_;

  const std::byte* data_ = nullptr;  // the window
  std::size_t filled_ = 0;           // valid bytes in it
  std::size_t at_ = 0;               // next byte to look at
  std::uint64_t base_ = 0;           // file offset of the window's first byte
  std::uint64_t wanted_ = 0;         // bytes that a record at `at_` needs
  std::vector<std::byte> carry_;     // bytes kept between windows

  std::uint64_t stale_until_ = 0;                // end of the stale record under the present byte
  std::optional<std::uint64_t> stale_from_{};    // first stale byte since the last record
  std::optional<std::uint64_t> unknown_from_{};  // first byte of a stretch not yet classified
  std::uint64_t unknown_end_ = 0;                // behind its last byte that is not fill
  std::optional<NearRecord> near_{};
  std::uint64_t near_count_ = 0;
  std::uint64_t short_end_ = 0;  // end of the records in it that are just too short

  ByteAccount account_;
  std::vector<Gap> gaps_;
  std::uint64_t record_count_ = 0;
  std::uint64_t end_of_records_ = kHeaderBytes;
  bool marked_ = false;
  bool done_ = false;
};

/// Reads the record at `offset`, for second passes and single look-ups. `buffer` receives its bytes
/// and must live as long as the view. Damaged when there is no valid record of any tag.
[[nodiscard]] SARANGA_API Result<Record> read_record(const ReadableFile& file,
                                                     std::int32_t format_version,
                                                     std::uint64_t offset,
                                                     std::vector<std::byte>& buffer);

/// Parses the record at the start of `bytes`, whatever its tag; nothing when it is not a whole
/// valid record. `offset` is only noted in the result.
[[nodiscard]] SARANGA_API std::optional<Record> parse_record(Bytes bytes,
                                                             std::int32_t format_version,
                                                             std::uint64_t offset);

}  // namespace saranga::journal
