// Folders and files for reading. Nothing in this header can write: a reader that is handed a
// ReadableDirectory has no call that could change the store.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/error.h"

namespace saranga {

/// A file opened for reading. Reads are positioned, so several threads may share one.
class SARANGA_API ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  /// The size when the file was opened, in bytes. A live file may have shrunk or grown since.
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
  /// Reads up to `to.size()` bytes from `offset`; fewer only at the end of the file.
  [[nodiscard]] virtual Result<std::size_t> read_at(std::uint64_t offset,
                                                    std::span<std::byte> to) const = 0;
};

/// What a folder says of one entry.
struct DirectoryEntry {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ms = 0;  ///< milliseconds since 1970, UTC
  bool is_directory = false;
  bool unreadable = false;  ///< a link that leads nowhere, a pipe, a device: no file to read
};

/// A folder opened for reading.
class SARANGA_API ReadableDirectory {
 public:
  virtual ~ReadableDirectory() = default;
  /// How messages call the folder.
  [[nodiscard]] virtual const std::string& path() const = 0;
  /// The entries, sorted by name; "." and ".." are left out.
  [[nodiscard]] virtual Result<std::vector<DirectoryEntry>> list() const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const = 0;
};

/// Opens a folder on disk. Files are opened O_RDONLY and, where the system lets us, O_NOATIME.
[[nodiscard]] SARANGA_API Result<std::unique_ptr<ReadableDirectory>> open_disk_directory(
    const std::string& path);

/// A folder in memory, for tests and for fuzzing the readers in-process.
class SARANGA_API MemoryDirectory final : public ReadableDirectory {
 public:
  explicit MemoryDirectory(std::string path = "memory") : path_(std::move(path)) {}
  void put(std::string name, std::vector<std::byte> content);
  [[nodiscard]] const std::string& path() const override { return path_; }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override;

 private:
  std::string path_;
  std::map<std::string, std::shared_ptr<const std::vector<std::byte>>, std::less<>> files_;
};

/// The whole content of a file of at most `limit_bytes`; longer ones are an error.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> read_whole(const ReadableDirectory& from,
                                                                    std::string_view name,
                                                                    std::uint64_t limit_bytes);

}  // namespace saranga
