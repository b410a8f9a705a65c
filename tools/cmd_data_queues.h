// `saranga data queues`: what is on the queues and addresses of a store.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_queues(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
