// What a broker with a retention folder does when it closes a journal file.
#pragma once

#include <ctime>
#include <string>

#include "saranga/io/directory.h"

namespace saranga::cli {

/// Copies the last file of a message journal that has records into the retention folder, as a
/// broker would when it goes on to the next one; all before it were copied when they were closed
/// (docs/format/journal.md#retention). The folder is made when it is not there. `now` is the time
/// that the copy's name tells, in the local time zone.
[[nodiscard]] Result<void> copy_current_file(const ReadableDirectory& journal,
                                             const std::string& retention, std::time_t now);

}  // namespace saranga::cli
