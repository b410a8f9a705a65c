// Printing a store as a recipe (docs/recipes.md).
#pragma once

#include <string>

#include "saranga/store/parts.h"
#include "tools/cli/verb_options.h"

namespace saranga::print {

/// Prints the folders of a store, those that were given.
[[nodiscard]] Result<void> print_store_recipe(cli::VerbRun& run, const store::StoreParts& parts,
                                              bool skip_bindings, bool skip_journal);

/// Prints one file, in the folder of the store in which its kind belongs.
[[nodiscard]] Result<void> print_file_recipe(cli::VerbRun& run, const std::string& path);

}  // namespace saranga::print
