#include "saranga/bytes/error.h"

#include <fmt/format.h>

namespace saranga {

std::string Error::message() const {
  std::string out;
  if (!file.empty()) {
    out += file;
    if (offset) out += fmt::format(":{:#x}", *offset);
    out += ": ";
  } else if (offset) {
    out += fmt::format("offset {:#x}: ", *offset);
  }
  if (record) out += fmt::format("record {}: ", *record);
  return out + text;
}

}  // namespace saranga
