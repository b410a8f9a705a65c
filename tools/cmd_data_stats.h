// `saranga data stats`: counts and sizes of a store by queue, address, record type and file.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_stats(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
