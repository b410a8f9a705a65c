// The folder of large-message bodies: one file a message
// (docs/format/messages.md#large-message-files).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/io/directory.h"

namespace saranga::message {

/// One body file.
struct LargeFile {
  enum class Kind : std::uint8_t {
    kDurable,     ///< .msg
    kNonDurable,  ///< .tmp: every start deletes it
    kSync,        ///< .sync: received while a replica was synchronising
  };
  std::int64_t id = 0;  ///< message id
  Kind kind = Kind::kDurable;
  std::string name;
  std::uint64_t size_bytes = 0;
};

/// Whether a file name is that of a body: "42.msg", and the other two kinds.
[[nodiscard]] SARANGA_API bool is_large_file_name(std::string_view name);

/// Lists the bodies by id. A .msg file whose name is no number keeps a broker from starting and
/// goes to `sink`. Errors are failures to list the folder.
[[nodiscard]] SARANGA_API Result<std::vector<LargeFile>> list_large_files(
    const ReadableDirectory& directory, std::string_view label, FindingSink& sink);

}  // namespace saranga::message
