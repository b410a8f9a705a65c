// Reading records again by their place, for a second pass over what survived.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/survivors.h"

namespace saranga::journal {

/// Fetches records one by one; cheap when the places mostly ascend. One thread uses it.
class SARANGA_API RecordFetcher {
 public:
  /// `files` in the order that places count; both must outlive the fetcher.
  RecordFetcher(const ReadableDirectory& directory, std::span<const JournalFile> files)
      : directory_(directory), files_(files) {}

  /// The record at a place; its views hold until the next call.
  [[nodiscard]] Result<Record> fetch(Place place);

 private:
  [[nodiscard]] Result<void> open(std::size_t file);
  [[nodiscard]] Result<void> read_window(std::uint64_t offset);

  const ReadableDirectory& directory_;
  std::span<const JournalFile> files_;
  std::unique_ptr<ReadableFile> file_;
  std::size_t file_index_ = 0;
  std::vector<std::byte> window_;
  std::uint64_t base_ = 0;
  std::size_t filled_ = 0;
  std::vector<std::byte> large_;
};

}  // namespace saranga::journal
