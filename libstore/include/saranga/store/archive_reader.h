// Reading an archive of a store, as `data export --format jsonl` writes it
// (docs/format/archive.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "saranga/bytes/finding.h"
#include "saranga/store/import_target.h"

namespace saranga::store {

struct ArchiveReaderOptions {
  std::string label = "input";  ///< what messages call the archive
  /// A line that cannot be taken is a finding and left out, with its message. Off: the first one
  /// ends the reading.
  bool keep_going = false;
};

/// What an archive held.
struct ArchiveSummary {
  std::uint64_t lines = 0;
  std::uint64_t left_out = 0;  ///< lines and messages that could not be taken
  bool complete = true;        ///< false: it was cut off
};

/// Takes an archive in pieces and drives a target. Memory: the longest line, of at most 64 MiB, and
/// the longest encoded message. One thread.
///
/// Errors: kDamaged, with line and column in the text, and those of the target.
class SARANGA_API ArchiveReader {
 public:
  /// Both must outlive the reader.
  ArchiveReader(ArchiveTarget& target, ArchiveReaderOptions options, FindingSink& sink);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  [[nodiscard]] Result<void> feed(std::string_view piece);
  /// To be called once, behind the last piece.
  [[nodiscard]] Result<ArchiveSummary> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace saranga::store
