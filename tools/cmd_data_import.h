// `saranga data import`: an export becomes a store, or part of one.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_import(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
