// `saranga data print`: every record and page of a store, as text or JSON Lines.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_print(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
