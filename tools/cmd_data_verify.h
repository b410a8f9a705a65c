// `saranga data verify`: checks every byte of a store, and what its parts say of each other.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_verify(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
