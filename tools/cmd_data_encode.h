// `saranga data encode`: a journal as lines of text, in the form of Artemis.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/context.h"

namespace saranga::cli {

[[nodiscard]] ExitCode cmd_data_encode(Context& context, const std::vector<std::string>& arguments);

}  // namespace saranga::cli
