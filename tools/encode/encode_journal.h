// Writes the text form of a journal (docs/format/journal.md#text-form).
#pragma once

#include <string>

#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"
#include "tools/cli/verb_options.h"

namespace saranga::encode {

/// The journal to write.
struct EncodeRequest {
  const ReadableDirectory& directory;
  const journal::JournalFolder& folder;
  std::string label;  ///< in front of file names in findings, e.g. "journal"
};

/// Writes the lines of every file to the run's output. A file that cannot be read is a finding.
void encode_journal(cli::VerbRun& run, const EncodeRequest& request);

}  // namespace saranga::encode
