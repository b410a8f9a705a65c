// Stores in memory from recipes (docs/recipes.md), and a recipe with something changed in it.
#pragma once

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/store/parts.h"
#include "saranga/store/recipe.h"
#include "tests/support/faulty_directory.h"

namespace saranga::test {

/// The text of fixtures/recipes/NAME.store.
inline std::string example_recipe(std::string_view name) {
  std::ifstream in(fmt::format("{}/fixtures/recipes/{}.store", SARANGA_SOURCE_DIR, name));
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

inline std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

/// A recipe in which something is changed, as `edits` says line by line: "- add 20" takes away the
/// line that begins like this, the lines "+ …" behind it take its place, and all others go behind
/// the recipe.
inline std::string edited_recipe(std::string_view recipe, std::string_view edits) {
  std::map<std::string_view, std::string> replaced;  // by the beginning of what goes
  std::string behind;
  std::string* place = nullptr;
  for (const std::string_view edit : split_lines(edits)) {
    if (edit.starts_with("- ")) {
      place = &replaced[edit.substr(2)];
    } else if (edit.starts_with("+ ")) {
      REQUIRE(place != nullptr);
      *place += std::string(edit.substr(2)) + "\n";
    } else {
      behind += std::string(edit) + "\n";
    }
  }
  std::string result;
  for (const std::string_view line : split_lines(recipe)) {
    const auto gone = std::ranges::find_if(
        replaced, [&](const auto& one) { return without_indent(line).starts_with(one.first); });
    if (gone == replaced.end()) {
      result += std::string(line) + "\n";
      continue;
    }
    result += gone->second;
    replaced.erase(gone);
  }
  INFO("no line begins with '" << (replaced.empty() ? "" : replaced.begin()->first) << "'");
  REQUIRE(replaced.empty());
  return result + behind;
}

/// Builds what a recipe says.
inline void build_into(WritableDirectory& directory, std::string_view recipe) {
  store::RecipeBuilder builder(directory, {.label = "recipe"});
  const auto fed = builder.feed(recipe);
  const auto done = fed ? builder.finish() : std::unexpected(fed.error());
  INFO((done ? "" : done.error().message()));
  REQUIRE(done);
}

/// The four folders of the store that a recipe says.
inline store::StoreParts build_store(std::string_view recipe) {
  FaultyDirectory built;
  build_into(built, recipe);
  std::map<std::string, std::unique_ptr<MemoryDirectory>> folders;
  for (const char* name : {"bindings", "journal", "paging", "large-messages"}) {
    folders[name] = std::make_unique<MemoryDirectory>(name);
  }
  for (auto& [path, content] : built.files()) {
    const std::size_t slash = path.find('/');
    folders.at(path.substr(0, slash))->put(path.substr(slash + 1), content);
  }
  return {.bindings = std::move(folders["bindings"]),
          .journal = std::move(folders["journal"]),
          .paging = std::move(folders["paging"]),
          .large_messages = std::move(folders["large-messages"])};
}

/// Bytes as a recipe says them.
inline std::string hex_word(Bytes bytes) {
  std::string word = "hex:";
  for (const std::byte byte : bytes) word += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return word;
}

}  // namespace saranga::test
