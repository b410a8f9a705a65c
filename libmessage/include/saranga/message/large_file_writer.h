// Writing the body of a large message into a file of its own
// (docs/format/messages.md#large-message-files).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "saranga/io/writable_directory.h"

namespace saranga::message {

/// One body in the making. Until finish() it has the name of a non-durable one, "42.tmp", which the
/// start of a broker removes; then it is "42.msg", with all of its bytes, durably. Only then may a
/// record refer to it. The destructor removes what was not finished. One thread.
class SARANGA_API LargeFileWriter {
 public:
  /// kExists when there is a body of that message already. `folder` must outlive the writer.
  [[nodiscard]] static Result<std::unique_ptr<LargeFileWriter>> create(WritableDirectory& folder,
                                                                       std::int64_t message_id);
  ~LargeFileWriter();
  LargeFileWriter(const LargeFileWriter&) = delete;
  LargeFileWriter& operator=(const LargeFileWriter&) = delete;

  /// After an error the body cannot be finished.
  [[nodiscard]] Result<void> append(Bytes bytes);
  /// Returns when the body is durable under its name.
  [[nodiscard]] Result<void> finish();
  /// What was appended: the value of _AMQ_LARGE_SIZE of a body that is not compressed.
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  struct Names {
    std::string temporary;
    std::string body;
  };
  LargeFileWriter(WritableDirectory& folder, std::unique_ptr<WritableFile> file,
                  const Names& names);

  WritableDirectory& folder_;
  std::unique_ptr<WritableFile> file_;
  Names names_;
  std::uint64_t size_bytes_ = 0;
  bool failed_ = false;
};

}  // namespace saranga::message
