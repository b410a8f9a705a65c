// Prints a whole store, part by part, and what does not fit together between the parts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "saranga/io/directory.h"
#include "saranga/store/parts.h"
#include "tools/print/print_session.h"

namespace saranga::print {

struct StoreRequest {
  bool reclaimed = false;
  std::int64_t max_pages = -1;  ///< of each address; -1 = all
  bool skip_bindings = false;
  bool skip_journal = false;
};

/// Prints the store. Errors are those that keep a part from being read at all.
[[nodiscard]] Result<void> print_store(PrintSession& session, store::StoreParts parts,
                                       const StoreRequest& request);

/// Prints a single file: of a journal, a page, or a large-message body.
[[nodiscard]] Result<void> print_single_file(PrintSession& session, const std::string& path,
                                             bool reclaimed);

/// The node id in server.lock, as text; nothing when there is none. `folder` is that of the node
/// manager's lock files: the journal's, if no other is configured.
[[nodiscard]] std::optional<std::string> read_server_id(const ReadableDirectory& folder);

}  // namespace saranga::print
