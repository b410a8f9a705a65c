// Recipes: the same files whatever the pieces, and nothing that fails goes unsaid.
#include "saranga/store/recipe.h"

#include <catch2/catch.hpp>

#include "tests/support/faulty_directory.h"

namespace {

using namespace saranga;
using saranga::test::FaultyDirectory;

constexpr std::string_view kRecipe =
    "# A comment.\n"
    "journal journal/activemq-data-1.amq id=7 size=512\n"
    "  add 20 ADD_MESSAGE_PROTOCOL core address=orders text=\"one\\n\" prop.n=int:1\n"
    "  update 20 ADD_REF tx=3 queue_id=3\n"
    "  commit tx=3\n"
    "  life 1\n"
    "  add 9 DUPLICATE_ID address=a duplicate_id_b64=hex:00ff\n"
    "page paging/s/1.page\n"
    "  entry core id=1 address=a queues=3,4\n"
    "  bytes {\n"
    "file large-messages/20.msg size=4\n"
    "  bytes hex:01\n"
    "file large-messages/21.msg\n"
    "  bytes abc\n"
    "change paging/s/1.page\n"
    "  flip 0 hex:01\n"
    "without large-messages/21.msg\n";

Result<store::BuiltStore> build(FaultyDirectory& directory, std::string_view text,
                                std::size_t piece) {
  store::RecipeBuilder builder(directory, {.label = "recipe", .largest_file_bytes = 4096});
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (auto fed = builder.feed(text.substr(at, piece)); !fed) return std::unexpected(fed.error());
  }
  return builder.finish();
}

}  // namespace

TEST_CASE("pieces of any size build the same files") {
  FaultyDirectory whole;
  const auto built = build(whole, kRecipe, kRecipe.size());
  REQUIRE(built);
  CHECK(built->files == 3);
  CHECK(built->lines == 17);
  REQUIRE(whole.files().size() == 3);
  CHECK(whole.files().at("large-messages/20.msg").size() == 4);
  for (std::size_t piece = 1; piece < 60; piece += 7) {
    FaultyDirectory other;
    REQUIRE(build(other, kRecipe, piece));
    CHECK(other.files() == whole.files());
  }
}

TEST_CASE("a recipe that was written builds the files that it was written of") {
  FaultyDirectory first;
  REQUIRE(build(first, kRecipe, kRecipe.size()));
  TextBuffer text;
  for (const auto& [name, content] : first.files()) {
    const auto file = first.open(name);
    REQUIRE(file);
    REQUIRE(store::write_recipe(**file, name, [&](TextBuffer& out) {
      text.put(out.view());
      return true;
    }));
  }
  CHECK(text.view().find("  commit tx=3 records=1\n") != std::string_view::npos);
  CHECK(text.view().find("  add 9 DUPLICATE_ID tag=1 address=\"a\"") != std::string_view::npos);
  FaultyDirectory second;
  REQUIRE(build(second, text.view(), text.size()));
  CHECK(second.files() == first.files());
}

TEST_CASE("every failure of the disk is told") {
  FaultyDirectory clean;
  REQUIRE(build(clean, kRecipe, kRecipe.size()));
  for (std::uint64_t call = 1; call <= clean.calls(); ++call) {
    FaultyDirectory directory({.fails_at = call});
    const auto built = build(directory, kRecipe, kRecipe.size());
    INFO("call " << call);
    REQUIRE(!built);
    CHECK(built.error().code == ErrorCode::kIo);
  }
}

TEST_CASE("a line or file that is too long is refused") {
  FaultyDirectory directory;
  const auto line = build(directory, "file a\n  bytes " + std::string(9000, 'a'), 1000);
  REQUIRE(!line);
  CHECK(line.error().text == "line 2, column 1: the line is longer than any file may be");
  const auto file = build(directory, "file b size=4097\n", 1000);
  REQUIRE(!file);
  CHECK(file.error().text == "line 1, column 13: 4097 is not from 0 to 4096");
  const auto rows = build(directory, "file c size=1\n  zeros 4096\n  bytes a\n", 1000);
  REQUIRE(!rows);
  CHECK(rows.error().text == "line 3, column 3: the file becomes larger than 4096 bytes");
}
