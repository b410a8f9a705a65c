// Where a command's data goes: standard output, or a file that appears whole at the end.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "saranga/bytes/error.h"
#include "saranga/bytes/text_buffer.h"
#include "saranga/io/replacer.h"
#include "tools/cli/packer.h"

namespace saranga::cli {

/// Collects small pieces and writes large ones at once. After the first failure it swallows
/// everything; finish() tells. One thread uses it.
class Output {
 public:
  /// Writes to an open descriptor that it does not close.
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  /// Writes to a file, replacing an existing one at finish(). One whose name ends in .gz is packed.
  [[nodiscard]] static Result<Output> to_file(const std::string& path);

  void put(std::string_view text);
  /// The buffer for small pieces; flush() or put() send it on.
  [[nodiscard]] TextBuffer& buffer() { return pending_; }
  void flush();
  /// Where the file is until finish(), for whoever writes to it by its name, and not by put();
  /// empty when the output is no file.
  [[nodiscard]] std::string beside() const { return file_ ? file_->beside() : std::string(); }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  /// Flushes and, for a file, puts it in place.
  [[nodiscard]] Result<void> finish();

 private:
  void write(std::string_view text);

  int descriptor_ = -1;
  std::unique_ptr<Replacer> file_;
  std::unique_ptr<Packer> packer_;  // writes to the file
  TextBuffer pending_;
  std::optional<Error> error_;
};

}  // namespace saranga::cli
