// Copying a folder with everything below it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/io/writable_directory.h"

namespace saranga {

/// Copies what is in a folder, with all folders below it, in steps. Each file is synced. One
/// thread.
class SARANGA_API FolderCopy {
 public:
  /// `to` is an existing, empty folder on disk. What is no file (a link that leads nowhere, a pipe)
  /// is left behind and told to `sink`, with `label` in front of its name. All must outlive this.
  FolderCopy(const ReadableDirectory& from, std::string to, std::string label, FindingSink& sink);
  ~FolderCopy();
  FolderCopy(const FolderCopy&) = delete;
  FolderCopy& operator=(const FolderCopy&) = delete;

  /// Copies some megabytes; false when all is copied.
  [[nodiscard]] Result<bool> step();
  [[nodiscard]] std::uint64_t copied_files() const { return files_; }
  [[nodiscard]] std::uint64_t copied_bytes() const { return bytes_; }

 private:
  struct Level;
  struct Current;
  [[nodiscard]] Result<void> begin(const DirectoryEntry& entry);
  [[nodiscard]] Result<void> push(std::unique_ptr<ReadableDirectory> owned,
                                  const ReadableDirectory& from, std::string below);
  [[nodiscard]] Result<void> copy_piece();

  const ReadableDirectory& from_;
  std::string to_;
  std::string label_;
  FindingSink& sink_;
  bool begun_ = false;
  std::vector<std::unique_ptr<Level>> levels_;
  std::unique_ptr<Current> current_;
  std::vector<std::byte> buffer_;
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

/// The bytes of all files in a folder and up to `depth` folders below each other in it. What cannot
/// be listed counts as nothing.
[[nodiscard]] SARANGA_API std::uint64_t folder_bytes(const ReadableDirectory& folder,
                                                     unsigned depth = 16);

}  // namespace saranga
