// Stores as recipes: text that a person can write and read, and that says every byte of a store
// (docs/recipes.md). Building gives the same bytes each time; a recipe that is written of a store
// builds that store again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "saranga/bytes/text_buffer.h"
#include "saranga/io/writable_directory.h"

namespace saranga::store {

/// What was built.
struct BuiltStore {
  std::uint64_t lines = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct RecipeOptions {
  std::string label{};  ///< how errors call the recipe
  /// No file may become larger, and no line longer.
  std::uint64_t largest_file_bytes = std::uint64_t{1} << 30;
};

/// Builds what the lines of a recipe say. Memory: one file. One thread.
class SARANGA_API RecipeBuilder {
 public:
  /// `directory` must be empty, and outlive the builder.
  RecipeBuilder(WritableDirectory& directory, RecipeOptions options);
  ~RecipeBuilder();
  RecipeBuilder(const RecipeBuilder&) = delete;
  RecipeBuilder& operator=(const RecipeBuilder&) = delete;

  /// Takes the next piece of the recipe, cut anywhere. kDamaged names line and column of what
  /// cannot be understood; after an error nothing more may be called.
  [[nodiscard]] Result<void> feed(std::string_view piece);
  /// Ends the recipe. Every file is synced, the folders are left to the caller.
  [[nodiscard]] Result<BuiltStore> finish();

 private:
  class Files;
  class Lines;
  std::unique_ptr<Lines> lines_;
};

/// Takes pieces of a recipe that is being written; false when no more is wanted.
using RecipeSink = std::function<bool(TextBuffer& text)>;

/// Writes the recipe of one file of a store, read front to back, with `path` as its name. Records
/// and page entries become readable where that gives the same bytes; everything else becomes
/// base64. Errors are those of reading.
[[nodiscard]] SARANGA_API Result<void> write_recipe(const ReadableFile& file, std::string_view path,
                                                    const RecipeSink& sink);

/// Writes the recipe of a folder and those below it, under the name `path`.
[[nodiscard]] SARANGA_API Result<void> write_recipe(const ReadableDirectory& folder,
                                                    std::string_view path, const RecipeSink& sink);

}  // namespace saranga::store
