// Which journal of a store `encode` and `decode` are about: the options that Artemis has for it.
#pragma once

#include <optional>
#include <string>

#include "saranga/journal/folder.h"
#include "tools/cli/verb_options.h"

namespace saranga::encode {

/// The options of both verbs, with Artemis' names.
struct JournalOptions {
  std::optional<std::string> directory;
  std::optional<std::string> prefix;
  std::optional<std::string> suffix;
  std::uint64_t file_size_bytes = 10'485'760;
};

/// Declares them; both objects must outlive the parsing. The texts say what they mean to the verb.
void add_journal_options(cli::CommandLine& line, JournalOptions& options,
                         const char* directory_text, const char* prefix_text,
                         const char* size_text);

/// The journal that the suffix belongs to; that of messages when none is given. An error when no
/// journal has such files.
[[nodiscard]] Result<journal::JournalKind> journal_kind(const JournalOptions& options);

/// The store with --directory in the place of the journal's folder.
[[nodiscard]] cli::StoreOptions with_directory(cli::StoreOptions store,
                                               const JournalOptions& options,
                                               journal::JournalKind kind);

}  // namespace saranga::encode
