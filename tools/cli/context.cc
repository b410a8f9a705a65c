#include "tools/cli/context.h"

#include <unistd.h>

#include "tools/cli/progress.h"
#include "tools/cli/text_width.h"

namespace saranga::cli {

void Context::say(std::string_view text) const {
  // Names come from strangers: they must neither steer the terminal nor forge a line.
  std::string line = "saranga: ";
  line += printable(text);
  line += '\n';
  if (progress != nullptr) progress->clear();
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t done = ::write(narration_descriptor, left.data(), left.size());
    if (done <= 0) return;  // there is nobody left to tell
    left.remove_prefix(static_cast<std::size_t>(done));
  }
}

std::string_view program_version() { return "saranga " SARANGA_VERSION; }

}  // namespace saranga::cli
