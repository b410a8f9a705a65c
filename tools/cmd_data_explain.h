// `saranga data explain`: why the files of a store are still there, and what would let them go.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_explain(Context& context,
                                        const std::vector<std::string>& arguments);

}  // namespace saranga::cli
