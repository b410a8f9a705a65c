// Finding the folders of a store: from a data folder, an instance folder with its configuration, or
// single folders. Nothing here opens a journal, and nothing writes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "saranga/bytes/error.h"

namespace saranga::store {

/// What the caller knows. Paths may be relative to `current_folder`.
struct LocationRequest {
  /// STORE: a data folder, an instance folder, its etc folder, a broker.xml or bootstrap.xml, or a
  /// folder that is itself one part of a store. Empty: what Artemis does without an instance.
  std::string store;
  /// The options of the same names; they win over everything else.
  std::optional<std::string> bindings{};
  std::optional<std::string> journal{};
  std::optional<std::string> paging{};
  std::optional<std::string> large_messages{};
  std::optional<std::string> broker{};
  /// The environment variables; the library never asks the process for them.
  std::map<std::string, std::string, std::less<>> environment{};
  /// What relative paths count from. Empty: the process' own folder, and paths stay relative.
  std::string current_folder{};
};

/// A folder of the store, and who said so.
struct Place {
  std::string path;    ///< empty: nothing says where it is. The folder need not exist.
  std::string source;  ///< "option --journal", "etc/broker.xml: journal-directory", "default", …
};

/// What the configuration says of the journal, as far as a reader can use it.
struct JournalSettings {
  std::optional<std::uint64_t> file_size_bytes{};
  std::optional<std::int64_t> min_files{};
  std::optional<std::int64_t> pool_files{};
  std::optional<std::int64_t> compact_min_files{};
  std::optional<std::int64_t> compact_percentage{};
  std::string type{};                     ///< ASYNCIO, NIO, MAPPED; empty when not configured
  std::string retention_unit{};           ///< attributes of journal-retention-directory, as written
  std::string retention_period{};         ///< likewise
  std::string retention_storage_limit{};  ///< likewise
};

/// Where the parts of a store are.
struct Location {
  Place bindings;
  Place journal;
  Place paging;
  Place large_messages;
  std::optional<Place> retention{};          ///< when the broker keeps copies of journal files
  std::optional<Place> node_manager_lock{};  ///< holds server.lock; unset: the journal folder does
  std::string instance{};                    ///< the instance folder; empty when there is none
  std::string configuration{};               ///< the broker.xml that was read; empty: none
  JournalSettings settings{};
  bool jdbc = false;                 ///< the configuration names a database instead of folders
  std::vector<std::string> notes{};  ///< what a careful reader should be told, as sentences
};

/// Finds the folders. An error when STORE does not exist or does not look like any part of a store,
/// and when a configuration that is needed cannot be read. A folder that is named but missing is
/// not an error: it counts as an empty one.
[[nodiscard]] SARANGA_API Result<Location> locate(const LocationRequest& request);

/// Whether a file with this path would lie in a store: among journal files, pages or bodies, or in
/// a folder that is named like a part of a store, beside a part with such files.
[[nodiscard]] SARANGA_API bool lies_in_store(const std::string& path);

}  // namespace saranga::store
