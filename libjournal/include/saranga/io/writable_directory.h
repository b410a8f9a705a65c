// Folders and files for writing. Everything that the library writes into a store passes this seam,
// so that a test can lose power at any call of it.
//
// What is durable: the bytes of a file up to its last sync_data(), and the names of a folder up to
// its last sync(). Anything newer may be lost in a power failure, in any combination: a write
// without the ones before it, a part of a write, a renamed file under its old name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "saranga/io/directory.h"

namespace saranga {

/// A file opened for writing. It is closed by its destructor, which syncs nothing. Writes are
/// positioned; several threads may write to and sync one file.
class SARANGA_API WritableFile {
 public:
  virtual ~WritableFile() = default;
  /// For messages.
  [[nodiscard]] virtual const std::string& path() const = 0;
  /// A descriptor that writes to the file past the page cache, for whole blocks at multiples of
  /// their size. It belongs to the file and is closed with it. kUnsupported, with the reason, when
  /// the file has none.
  [[nodiscard]] virtual Result<int> direct_descriptor() {
    return fail(ErrorCode::kUnsupported, "is not on a disk, so it has no direct writes", path());
  }
  /// Writes all of `bytes` at `offset`, extending the file if need be. After an error any part of
  /// them may have been written.
  [[nodiscard]] virtual Result<void> write_at(std::uint64_t offset, Bytes bytes) = 0;
  /// Returns when all that was written before is durable, and the size of the file with it. After
  /// an error nobody knows what is: a second attempt that succeeds proves nothing.
  [[nodiscard]] virtual Result<void> sync_data() = 0;
};

/// A folder opened for writing. A name may lead into a folder below ("attic/x"). Errors name the
/// file and say what the system said.
class SARANGA_API WritableDirectory : public ReadableDirectory {
 public:
  /// Makes an empty file; kExists when the name is taken.
  [[nodiscard]] virtual Result<std::unique_ptr<WritableFile>> create(std::string_view name) = 0;
  /// Opens a file that is there, without changing it; kNotFound when there is none.
  [[nodiscard]] virtual Result<std::unique_ptr<WritableFile>> open_for_writing(
      std::string_view name) = 0;
  /// Gives a file another name in one step; a file of that name is replaced.
  [[nodiscard]] virtual Result<void> rename(std::string_view from, std::string_view to) = 0;
  [[nodiscard]] virtual Result<void> remove(std::string_view name) = 0;
  /// Makes a folder; nothing happens when it is there already.
  [[nodiscard]] virtual Result<void> create_directory(std::string_view name) = 0;
  /// Returns when all names made, changed and removed in this folder so far are durable.
  [[nodiscard]] virtual Result<void> sync() = 0;
};

/// Opens a folder on disk. New files and folders have the mode that the mask of the process leaves.
[[nodiscard]] SARANGA_API Result<std::unique_ptr<WritableDirectory>> open_writable_directory(
    const std::string& path);

}  // namespace saranga
