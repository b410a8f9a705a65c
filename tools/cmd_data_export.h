// `saranga data export`: the live messages of a store, for another broker.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_export(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
