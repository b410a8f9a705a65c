// `saranga data hash`: a digest of what a store holds, whatever its files look like.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_hash(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
