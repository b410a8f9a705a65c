// Writing a folder so that it is there whole or not at all: beside its place, synced, renamed.
#pragma once

#include <memory>
#include <string>

#include "saranga/io/writable_directory.h"

namespace saranga {

/// One folder in the making. Until commit() succeeds the target is untouched; the destructor
/// removes what was written beside it.
class SARANGA_API NewFolder {
 public:
  /// Starts a folder beside `path`, whose parent must be there. An empty folder at `path` is taken
  /// for none; anything else is kExists, but a folder when `overwrite` is set.
  [[nodiscard]] static Result<std::unique_ptr<NewFolder>> create(const std::string& path,
                                                                 bool overwrite);
  /// Whether create() would find its place free; makes nothing.
  [[nodiscard]] static Result<void> check(const std::string& path, bool overwrite);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Where it is until then.
  [[nodiscard]] const std::string& beside() const { return temporary_; }
  /// Makes a folder in it, if there is none, and opens that.
  [[nodiscard]] Result<std::unique_ptr<WritableDirectory>> add_folder(const std::string& name);
  /// Where the content goes. Whoever writes files there syncs them; commit() syncs the folders.
  [[nodiscard]] WritableDirectory& directory() { return *directory_; }
  /// Puts the folder in place and syncs its parent. What was there before is exchanged for it in
  /// one step where the file system can do that, and then removed.
  [[nodiscard]] Result<void> commit();

 private:
  NewFolder(std::string path, std::string temporary, bool overwrite)
      : path_(std::move(path)), temporary_(std::move(temporary)), overwrite_(overwrite) {}
  [[nodiscard]] Result<void> put_in_place();

  std::string path_;
  std::string temporary_;
  bool overwrite_;
  std::unique_ptr<WritableDirectory> directory_;
};

}  // namespace saranga
