// Whether a text is well-formed enough for a fuzz target: strings end, brackets match, no raw
// control characters.
#pragma once

#include <string>
#include <string_view>

namespace saranga::test {

inline bool is_balanced_json(std::string_view text) {
  std::string open;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') open.push_back(c);
    if (c != '}' && c != ']') continue;
    if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return false;
    open.pop_back();
  }
  return open.empty() && !in_string;
}

}  // namespace saranga::test
