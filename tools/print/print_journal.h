// Prints one journal: every record of every file, then what survives, open transactions and counts.
#pragma once

#include "saranga/bytes/error.h"
#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"
#include "saranga/store/survivor_facts.h"
#include "tools/print/print_session.h"

namespace saranga::print {

struct JournalRequest {
  journal::JournalKind kind = journal::JournalKind::kMessages;
  std::string label;       ///< "journal": in front of file names
  bool reclaimed = false;  ///< also records of previous lives
  bool silent = false;     ///< read, but print nothing (--skip-journal)
};

/// The sums over the surviving records, and those over the records of prepared transactions.
struct JournalFacts {
  store::SurvivorFacts surviving;
  store::SurvivorFacts prepared;
  std::uint64_t records = 0;
  journal::ByteAccount account;
  std::size_t files = 0;
};

/// Prints the journal in a folder. Errors are those that keep it from being read at all.
[[nodiscard]] Result<JournalFacts> print_journal(PrintSession& session,
                                                 const ReadableDirectory& directory,
                                                 const JournalRequest& request);

/// The same for a folder whose files have been chosen already.
[[nodiscard]] Result<JournalFacts> print_journal(PrintSession& session,
                                                 const ReadableDirectory& directory,
                                                 const JournalRequest& request,
                                                 const journal::JournalFolder& folder);

}  // namespace saranga::print
