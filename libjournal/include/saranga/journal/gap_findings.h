// Tells what the bytes between the records of a scanned file mean.
#pragma once

#include <string_view>

#include "saranga/bytes/finding.h"
#include "saranga/journal/scanner.h"

namespace saranga::journal {

/// Reports every gap of a file that has been scanned to its end. `file` is its name in findings;
/// `missing_bytes` is what it lacks of the journal's usual size, so that a file that was cut is
/// told from one whose last record is torn.
SARANGA_API void report_gaps(const FileScanner& scanner, std::string_view file,
                             std::uint64_t missing_bytes, FindingSink& sink);

}  // namespace saranga::journal
