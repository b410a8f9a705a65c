// `saranga data compact`: journals written anew with nothing but what is live.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_compact(Context& context,
                                        const std::vector<std::string>& arguments);

}  // namespace saranga::cli
