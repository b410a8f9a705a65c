#include "libstore/location/config_properties.h"

#include <charconv>

#include "saranga/bytes/text.h"
#include "saranga/bytes/text_buffer.h"

namespace saranga::store {

namespace {

constexpr std::string_view kBlanks = " \t\f";

/// The next logical line: continued ones joined, leading blanks and line ends dropped.
std::string next_line(std::string_view text, std::size_t& at) {
  std::string line;
  bool continued = true;
  while (continued && at < text.size()) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    std::string_view part = text.substr(at, end - at);
    at = end + 1;
    part.remove_prefix(std::min(part.find_first_not_of(kBlanks), part.size()));
    // A comment cannot be continued, and nothing continues into one.
    if (line.empty() && (part.starts_with('#') || part.starts_with('!'))) return {};
    const std::size_t last = part.find_last_not_of('\\');
    const std::size_t backslashes = part.size() - (last == std::string_view::npos ? 0 : last + 1);
    continued = backslashes % 2 == 1;
    if (continued) {
      part.remove_suffix(1);
      if (text.substr(end).starts_with("\r\n")) ++at;
    }
    line += part;
  }
  return line;
}

std::string unescaped(std::string_view text) {
  TextBuffer out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      append_code_point(out, static_cast<unsigned char>(text[i]));
      continue;
    }
    const char c = text[++i];
    std::uint32_t unit = 0;
    const char* digits = text.data() + i + 1;
    if (c == 'u' && i + 4 < text.size() &&
        std::from_chars(digits, digits + 4, unit, 16).ptr == digits + 4) {
      append_code_point(out, unit);
      i += 4;
      continue;
    }
    constexpr std::string_view kLetters = "tnrf";
    const std::size_t letter = kLetters.find(c);
    out.put(letter == std::string_view::npos ? c : "\t\n\r\f"[letter]);
  }
  return out.str();
}

/// Where the key ends: at the first separator that no backslash precedes.
std::size_t key_length(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (std::string_view("=: \t\f").contains(line[i])) {
      return i;
    }
  }
  return line.size();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_java_properties(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string line = next_line(text, at);
    if (line.empty()) continue;
    const std::size_t key = key_length(line);
    std::string_view value = std::string_view(line).substr(key);
    value.remove_prefix(std::min(value.find_first_not_of(kBlanks), value.size()));
    if (value.starts_with('=') || value.starts_with(':')) value.remove_prefix(1);
    value.remove_prefix(std::min(value.find_first_not_of(kBlanks), value.size()));
    entries.emplace_back(unescaped(std::string_view(line).substr(0, key)), unescaped(value));
  }
  return entries;
}

}  // namespace saranga::store
