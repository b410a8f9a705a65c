// Options whose value is one of a few words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/cli/command_line.h"

namespace saranga::cli {

/// Declares an option that takes one of the names and sets `value` to what it stands for; `value`
/// must outlive the parsing. The help lists the names in the order given.
template <class Value>
void add_choice(CommandLine& line, const std::string& name, Value& value,
                const std::vector<std::pair<std::string, Value>>& choices,
                const std::string& text) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  const auto take = [&value, choices](std::size_t place) { value = choices[place].second; };
  line.choice(name, words, take, text);
}

}  // namespace saranga::cli
