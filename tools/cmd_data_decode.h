// `saranga data decode`: a journal folder made from the text of `encode`.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_decode(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
