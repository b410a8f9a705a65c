// Reading a journal that is small at once: bindings, and the JMS journal of old releases. Private
// to this folder.
#pragma once

#include <functional>

#include "saranga/store/loader.h"

namespace saranga::store {

/// What somebody wants to know of the journal besides what is loaded; all may be left out.
struct SmallJournalReaders {
  RecordObserver* observer = nullptr;
  RecordCheck* check = nullptr;
  /// Gets every record that survives, in load order.
  std::function<void(const journal::Record&)> survivor{};
};

/// Errors are failures to list the folder.
[[nodiscard]] Result<LoadedJournal> load_small_journal(const ReadableDirectory& directory,
                                                       journal::JournalKind kind,
                                                       std::string_view label,
                                                       const SmallJournalReaders& readers,
                                                       FindingSink& sink);

/// The names of a journal's files in findings.
[[nodiscard]] std::vector<std::string> label_files(const journal::JournalFolder& folder,
                                                   std::string_view label);

/// What the scan of a file found.
[[nodiscard]] ScannedFile summary_of(const journal::FileScanner& scanner, const std::string& label);

/// Reports a file that the system does not let us read.
void report_unreadable(const std::string& label, const Error& error, FindingSink& sink);

}  // namespace saranga::store
