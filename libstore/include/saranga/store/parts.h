// The four folders of a store, opened for reading.
#pragma once

#include <memory>
#include <string>

#include "saranga/bytes/error.h"
#include "saranga/io/directory.h"
#include "saranga/store/location.h"

namespace saranga::store {

/// Owns the folders. A folder that is not there is an empty one: copies often lack the empty ones.
struct StoreParts {
  std::unique_ptr<ReadableDirectory> bindings;
  std::unique_ptr<ReadableDirectory> journal;
  std::unique_ptr<ReadableDirectory> paging;
  std::unique_ptr<ReadableDirectory> large_messages;
};

/// What stands for a part that was not named: an empty folder.
[[nodiscard]] SARANGA_API std::unique_ptr<ReadableDirectory> not_given();
/// Whether a part was named or found at all; one that was not is an empty folder.
[[nodiscard]] SARANGA_API bool is_given(const ReadableDirectory& part);

/// Opens the folders of a location on disk.
[[nodiscard]] SARANGA_API Result<StoreParts> open_parts(const Location& location);

/// Finds the folders of a data or instance folder inside of an archive, by their names.
[[nodiscard]] SARANGA_API Result<StoreParts> open_archive_parts(const std::string& path);

}  // namespace saranga::store
