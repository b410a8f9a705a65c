// The files of a journal that hold nothing: how they come to be, wait, and are used again
// (docs/format/journal.md#files-and-names, docs/format/journal.md#reclaiming-and-reuse).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "saranga/io/writable_directory.h"
#include "saranga/journal/writer_options.h"

namespace saranga::journal {

/// A journal file by name and present header id.
struct PoolFile {
  std::string name;
  std::int64_t id = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t dirty_bytes = 0;  ///< from here on there are only zeros
};

/// Writes zeros from `begin` to `end`.
[[nodiscard]] Result<void> write_zeros(WritableFile& file, std::uint64_t begin, std::uint64_t end);

/// Creates, frees and hands out files; every step is durable before the next one begins. Ids grow
/// in the order in which files are handed out. One thread.
class FilePool {
 public:
  /// `directory` and `options` must outlive the pool. `last_id` is the greatest number in a name or
  /// header so far.
  FilePool(WritableDirectory& directory, const WriterOptions& options, std::int64_t last_id)
      : directory_(directory), options_(options), last_id_(last_id) {}

  /// Makes one more free file of zeros. On failure nothing is left behind, as far as the system
  /// lets us remove it.
  [[nodiscard]] Result<void> create();
  /// The free file that has waited longest, or a new one.
  [[nodiscard]] Result<PoolFile> take();
  /// Frees a file that nothing needs any more. `others` counts all files of the journal that are
  /// not free, without this one; the configured limit decides whether it is kept. After an error it
  /// holds what it held before or nothing, and may be freed again.
  [[nodiscard]] Result<void> release(const PoolFile& file, std::size_t others);
  /// As release(), but never removes a file because there are enough.
  [[nodiscard]] Result<void> keep(const PoolFile& file);

  [[nodiscard]] std::size_t free_files() const { return free_.size(); }
  /// Where the first record of a file goes.
  [[nodiscard]] std::uint64_t first_record_offset() const;

 private:
  [[nodiscard]] std::vector<std::byte> header(std::int64_t id) const;
  [[nodiscard]] Result<void> fill(WritableFile& file, std::int64_t id) const;
  [[nodiscard]] Result<void> sync(WritableFile& file) const;
  [[nodiscard]] Result<void> make(const std::string& temporary, const std::string& name,
                                  std::int64_t id);
  [[nodiscard]] Result<void> retire(const PoolFile& file);
  [[nodiscard]] Result<void> remove(const std::string& name);
  [[nodiscard]] Result<void> sync_names();
  [[nodiscard]] Result<void> sync_names_after(Result<void> change);

  WritableDirectory& directory_;
  const WriterOptions& options_;
  std::int64_t last_id_;
  std::deque<PoolFile> free_;  // ascending by id
};

}  // namespace saranga::journal
