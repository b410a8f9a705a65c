// `saranga data show ID…`: everything known about a message, a queue, a transaction or FILE:OFFSET.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_show(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
