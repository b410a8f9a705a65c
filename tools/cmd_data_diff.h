// `saranga data diff`: what one store holds and another does not.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_diff(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
