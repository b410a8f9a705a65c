// Fuzzes recipes: what builds is printed as a recipe again, and that builds the same files. The
// first byte is the size of the pieces in which the text arrives.
#include <cstdlib>
#include <string_view>

#include "saranga/store/recipe.h"
#include "tests/support/faulty_directory.h"

using namespace saranga;

namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 16;

void check(bool right) {
  if (!right) std::abort();
}

Result<store::BuiltStore> build(test::FaultyDirectory& directory, std::string_view text,
                                std::size_t piece) {
  store::RecipeBuilder builder(directory, {.label = "recipe", .largest_file_bytes = kLargestFile});
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (auto fed = builder.feed(text.substr(at, piece)); !fed) return std::unexpected(fed.error());
  }
  return builder.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  test::FaultyDirectory first;
  const auto built = build(first, text, std::size_t{data[0]} + 1);
  if (!built) {
    check(!built.error().text.empty());
    return 0;
  }
  TextBuffer printed;
  for (const auto& [name, content] : first.files()) {
    const auto file = first.open(name);
    check(file.has_value());
    const auto written = store::write_recipe(**file, name, [&](TextBuffer& out) {
      printed.put(out.view());
      return true;
    });
    if (!written) {
      check(written.error().code == ErrorCode::kUnsupported);  // a name that is no UTF-8
      return 0;
    }
  }
  test::FaultyDirectory second;
  check(build(second, printed.view(), printed.size() + 1).has_value());
  check(first.files() == second.files());
  return 0;
}
