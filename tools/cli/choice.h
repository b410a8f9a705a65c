// Options whose value is one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saranga::cli {

/// Declares an option that takes one of the names and sets `value` to what it stands for; `value`
/// must outlive the parsing. The help lists the names in the order given.
template <class Value>
void add_choice(CLI::App& app, const std::string& name, Value& value,
                const std::vector<std::pair<std::string, Value>>& choices,
                const std::string& text) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  const auto take = [&value, choices, names, name](const std::string& given) {
    for (const auto& [known, meaning] : choices) {
      if (known != given) continue;
      value = meaning;
      return;
    }
    throw CLI::ValidationError(name,
                               fmt::format("'{}' is none of {}", given, fmt::join(names, ", ")));
  };
  app.add_option_function<std::string>(name, take, text)
      ->type_name(fmt::format("{}", fmt::join(names, "|")));
}

}  // namespace saranga::cli
