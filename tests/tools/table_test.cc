// Tables: alignment, cutting, and what happens when they grow.
#include "tools/cli/table.h"

#include <catch2/catch.hpp>

#include <string>

#include "tools/cli/text_width.h"

namespace {

using namespace saranga;
using cli::Column;
using cli::Table;
using Kind = Column::Kind;

std::vector<Column> columns() {
  return {{"QUEUE", Kind::kText, 6}, {"ID", Kind::kNumber, 0, 1}, {"STATE", Kind::kText, 4}};
}

std::string printed(std::optional<std::size_t> width,
                    const std::vector<std::vector<std::string>>& rows) {
  TextBuffer out;
  Table table(columns(), width);
  for (const auto& row : rows) table.add(out, row);
  table.finish(out);
  return out.str();
}

}  // namespace

TEST_CASE("columns are aligned by what they hold") {
  CHECK(printed({}, {{"orders", "7", "paused"}, {"a", "1234", ""}}) ==
        "QUEUE     ID  STATE\n"
        "orders     7  paused\n"
        "a       1234\n");
}

TEST_CASE("a table without rows prints nothing") { CHECK(printed({}, {}).empty()); }

TEST_CASE("wide and combining characters keep the columns straight") {
  CHECK(printed({}, {{"\u30ad\u30e5\u30fc", "1", "x"}, {"e\u0301", "2", "y"}}) ==
        "QUEUE   ID  STATE\n"
        "\u30ad\u30e5\u30fc   1  x\n"
        "e\u0301        2  y\n");
}

TEST_CASE("names are cut to fit a terminal, numbers are not") {
  CHECK(printed(24, {{"orders.from.far.away", "123456", "ok"}}) ==
        "QUEUE          ID  STATE\n"
        "orders.f\u2026  123456  ok\n");
  const std::string name(300, 'n');
  for (std::size_t width = 16; width < 120; ++width) {
    const std::string text = printed(width, {{name, "1", name}, {"a", "22", "b"}});
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', start)) {
      CHECK(cli::text_width(text.substr(start, end - start)) <= width);
      start = end + 1;
    }
  }
}

TEST_CASE("columns that can be missed are left out when cutting is not enough") {
  CHECK(printed(12, {{"orders.from.far.away", "123456", "ok"}}) ==
        "QUEUE   STA\u2026\n"
        "order\u2026  ok\n");
}

TEST_CASE("nothing is cut without a terminal") {
  const std::string name(5000, 'n');
  CHECK(printed({}, {{name, "1", "x"}}).find(name) != std::string::npos);
}

TEST_CASE("text from a store cannot break a row") {
  const std::string text = printed({}, {{"a\nb", "1", "\x1b[2J"}});
  CHECK(text.find("a\\nb") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(std::ranges::count(text, '\n') == 2);
}

TEST_CASE("lines below a row stay with it") {
  TextBuffer out;
  Table table(columns(), {});
  table.add(out, {"a", "1", "x"}, "    body\n");
  table.add(out, {"b", "2", "y"});
  table.finish(out);
  CHECK(out.str() ==
        "QUEUE  ID  STATE\n"
        "a       1  x\n"
        "    body\n"
        "b       2  y\n");
}

TEST_CASE("a long table is printed while it grows") {
  TextBuffer out;
  Table table(columns(), {});
  for (int i = 0; i < 1000; ++i) table.add(out, {"queue", std::to_string(i), "x"});
  CHECK(std::ranges::count(out.view(), '\n') == 1001);
  table.add(out, {"a name that is longer than all before", "1", "x"});
  table.finish(out);
  CHECK(out.str().ends_with("a name that is longer than all before    1  x\n"));
}

TEST_CASE("a pipe has no width") {
  cli::Context context;
  context.data_descriptor = -1;
  context.environment["COLUMNS"] = "80";
  CHECK_FALSE(cli::terminal_width(context));
}
