#include "tools/cmd_data_build.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "saranga/store/recipe.h"
#include "tools/cli/command_line.h"
#include "tools/cli/feed.h"
#include "tools/cli/new_store.h"
#include "tools/cli/unpacked_input.h"
#include "tools/cli/verb_options.h"

namespace saranga::cli {
namespace {

constexpr const char* kVerb = "saranga data build";

struct Options {
  VerbOptions verb;
  std::string recipe;
  std::string folder;
  bool force = false;
};

void add_options(CommandLine& line, Options& options) {
  line.option("RECIPE", options.recipe, "the recipe, also packed by gzip; - is standard input")
      .required();
  line.option("DIR", options.folder, "the new folder; it must not be there, or be empty")
      .required();
  line.flag("--force", options.force, "replace a store that is there");
  add_narration_options(line, options.verb);
  line.footer(
      "A recipe says every byte of a store, as text: docs/recipes.md. The folder appears whole or "
      "not\nat all. `saranga data print --format recipe` writes the recipe of a store.\n"
      "Exit codes: 0 built, 2 the recipe makes no sense, 3 could not finish, 4 in use, 64 usage.");
}

ExitCode run_build(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  auto input = Input::open(options.recipe, context.interrupted);
  if (!input) return run.fail(input.error());
  UnpackedInput recipe(std::move(*input));
  auto folder = begin_new_folder(options.folder, options.force, options.recipe);
  if (!folder) return run.fail(folder.error());
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  store::RecipeBuilder builder((*folder)->directory(), {.label = recipe.label()});
  const auto built = feed_all(run, recipe, builder);
  if (!built) return fail_input(run, built.error());
  if (auto placed = commit_new_folder(**folder, options.folder, options.force); !placed)
    return run.fail(placed.error());
  run.done("building");
  if (!options.verb.quiet) {
    context.say(
        fmt::format("{}: {} bytes in {} files", options.folder, built->bytes, built->files));
  }
  return run.finish([](ExitCode) {});
}

}  // namespace

ExitCode cmd_data_build(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Build a store, sound or damaged on purpose, from a recipe.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_build(context, options);
}

}  // namespace saranga::cli
