// `saranga data build`: a store from a recipe.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_build(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
