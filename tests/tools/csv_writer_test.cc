// CSV after RFC 4180.
#include "tools/cli/csv_writer.h"

#include <catch2/catch.hpp>

namespace {

using saranga::TextBuffer;
using saranga::cli::CsvWriter;

std::string field(std::string_view text) {
  TextBuffer out;
  CsvWriter csv(out);
  csv.text(text);
  return out.str();
}

}  // namespace

TEST_CASE("rows have commas between and CR LF behind") {
  TextBuffer out;
  CsvWriter csv(out);
  csv.text("id");
  csv.text("name");
  csv.end_row();
  csv.number(std::int64_t{-7});
  csv.nullable(std::nullopt);
  csv.truth(true);
  csv.number(std::uint64_t{18446744073709551615U});
  csv.nothing();
  csv.end_row();
  CHECK(out.view() == "id,name\r\n-7,,true,18446744073709551615,\r\n");
}

TEST_CASE("a field is quoted where it has to be") {
  CHECK(field("plain") == "plain");
  CHECK(field("") == "\"\"");
  CHECK(field("a,b") == "\"a,b\"");
  CHECK(field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(field("a\nb") == "\"a\nb\"");
  CHECK(field(" a") == "\" a\"");
  CHECK(field("\u00fc;\t") == "\u00fc;\t");
}

TEST_CASE("a field is always valid UTF-8") {
  CHECK(field("a\xff"
              "b") ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(field("\xed\xa0\x80") == "\xef\xbf\xbd");
  CHECK(field({"a\0b", 3}) ==
        "a\xef\xbf\xbd"
        "b");
}

TEST_CASE("fields in which something was replaced are counted") {
  TextBuffer out;
  CsvWriter csv(out);
  csv.text("a");
  csv.text({"\0\0", 2});
  csv.text("\xff");
  CHECK(csv.replaced() == 2);
}
