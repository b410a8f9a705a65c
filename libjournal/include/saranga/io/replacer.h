// Writing a file so that it is there whole or not at all: beside its place, synced, renamed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "saranga/bytes/error.h"

namespace saranga {

/// One output file in the making. Until commit() succeeds the target is untouched; the destructor
/// removes what was written beside it.
class SARANGA_API Replacer {
 public:
  /// Starts a file beside `path`. kExists when the target is there and `overwrite` is false. It
  /// keeps the mode of the file that it replaces; a new one has what the mask of the process
  /// leaves.
  [[nodiscard]] static Result<std::unique_ptr<Replacer>> create(const std::string& path,
                                                                bool overwrite);
  ~Replacer();
  Replacer(const Replacer&) = delete;
  Replacer& operator=(const Replacer&) = delete;

  /// Where it is until then, for whoever writes to it by its name; by write() or so, not both.
  [[nodiscard]] const std::string& beside() const { return temporary_; }
  [[nodiscard]] Result<void> write(std::string_view bytes);
  /// Syncs the file, renames it over the target and syncs the folder.
  [[nodiscard]] Result<void> commit();

 private:
  Replacer(int descriptor, std::string path, std::string temporary)
      : descriptor_(descriptor), path_(std::move(path)), temporary_(std::move(temporary)) {}

  int descriptor_;
  std::string path_;
  std::string temporary_;
};

}  // namespace saranga
