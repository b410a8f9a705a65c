// `saranga data messages`: the live messages of a store, in the order of their queues.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_messages(Context& context,
                                         const std::vector<std::string>& arguments);

}  // namespace saranga::cli
