// `saranga perf-journal`: how fast a disk makes a journal durable.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_perf_journal(Context& context,
                                        const std::vector<std::string>& arguments);

}  // namespace saranga::cli
