// The options by which every verb is told which store it is about.
#pragma once

#include <optional>
#include <string>

#include "saranga/store/location.h"
#include "saranga/store/parts.h"
#include "tools/cli/context.h"

namespace saranga::cli {

class CommandLine;

/// STORE and the folder options that Artemis has as well.
struct StoreOptions {
  std::string store;
  std::optional<std::string> bindings;
  std::optional<std::string> journal;
  std::optional<std::string> paging;
  std::optional<std::string> large_messages;
  std::optional<std::string> broker;
  bool ignored_f = false;  ///< --f skips a lock that is never taken here
  bool jdbc = false;
  std::string jdbc_text;  ///< of the options that only make sense with --jdbc

  [[nodiscard]] bool asks_for_jdbc() const { return jdbc || !jdbc_text.empty(); }
};

/// Declares the options; both objects must outlive the parsing.
void add_store_options(CommandLine& line, StoreOptions& options);

/// Finds the folders. What should be told about that goes to the narration when `tell` is set.
[[nodiscard]] Result<store::Location> locate_store(const Context& context,
                                                   const StoreOptions& options, bool tell);

/// Opens the folders, those inside of an archive (a support case as .tar, .tar.gz or .zip)
/// included.
[[nodiscard]] Result<store::StoreParts> open_store_parts(const Context& context,
                                                         const StoreOptions& options, bool tell);

}  // namespace saranga::cli
