// The copying itself: reads the records of a list, wherever they are, and writes them anew.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libjournal/journal/compaction_copy.h"
#include "libjournal/journal/compaction_output.h"
#include "libjournal/journal/copy_list.h"
#include "saranga/journal/folder.h"

namespace saranga::journal {

/// One copying. One thread.
class ListedCopy {
 public:
  /// All must outlive it. The layout is a fresh one, which gives each record the place that it got
  /// when the list was made.
  ListedCopy(const ReadableDirectory& directory, std::span<const JournalFile> files, CopyList& list,
             OutputLayout& layout, OutputWriter& writer, std::size_t window_bytes)
      : directory_(directory),
        files_(files),
        list_(list),
        layout_(layout),
        writer_(writer),
        window_bytes_(window_bytes),
        next_(list.next()) {}

  /// Copies about a window of records; false when all are copied. kDamaged when a record is not
  /// there any more.
  [[nodiscard]] Result<bool> next();
  [[nodiscard]] const CopyCounts& counts() const { return counts_; }
  /// How far it has come, in bytes of the files.
  [[nodiscard]] std::uint64_t done_bytes() const;

 private:
  [[nodiscard]] Result<void> open(std::size_t file);
  /// Takes what lies close together from the list.
  [[nodiscard]] std::uint64_t gather();
  [[nodiscard]] Result<void> copy(const ListedRecord& listed, Bytes bytes);

  const ReadableDirectory& directory_;
  std::span<const JournalFile> files_;
  CopyList& list_;
  OutputLayout& layout_;
  OutputWriter& writer_;
  std::size_t window_bytes_;
  std::optional<ListedRecord> next_;
  std::vector<ListedRecord> gathered_;
  std::vector<std::byte> window_;
  std::unique_ptr<ReadableFile> opened_;
  std::size_t file_ = 0;
  CopyCounts counts_;
};

}  // namespace saranga::journal
