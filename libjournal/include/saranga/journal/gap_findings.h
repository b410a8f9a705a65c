// Tells what the bytes between the records of a scanned file mean.
#pragma once

#include <string_view>

#include "saranga/bytes/finding.h"
#include "saranga/journal/scanner.h"

namespace saranga::journal {

/// Reports every gap of a file that has been scanned to its end. `file` is its name in findings.
SARANGA_API void report_gaps(const FileScanner& scanner, std::string_view file, FindingSink& sink);

}  // namespace saranga::journal
