// How wide text is, and that nothing from a store can steer a terminal.
#include "tools/cli/text_width.h"

#include <catch2/catch.hpp>

using saranga::cli::cut_to_width;
using saranga::cli::printable;
using saranga::cli::text_width;

TEST_CASE("wide characters take two columns, marks none") {
  CHECK(text_width("") == 0);
  CHECK(text_width("orders") == 6);
  CHECK(text_width("\u00fcn\u00ef") == 3);
  CHECK(text_width("\u30ad\u30e5\u30fc") == 6);  // katakana
  CHECK(text_width("\u4e16\u754c") == 4);        // ideographs
  CHECK(text_width("\uff21") == 2);              // a fullwidth letter
  CHECK(text_width("\U0001F680") == 2);          // an emoji
  CHECK(text_width("e\u0301") == 1);             // a combining accent
  CHECK(text_width("\u200b\u2060") == 0);        // invisible ones
  CHECK(text_width("\u1112\u1161\u11ab") == 2);  // conjoining Hangul
  CHECK(text_width("\U00020000") == 2);
}

TEST_CASE("what steers a terminal is written out") {
  CHECK(printable("plain \u00fc \U0001F680") == "plain \u00fc \U0001F680");
  CHECK(printable("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(printable("\x1b[31mred") == "\\u001b[31mred");
  CHECK(printable(std::string_view("\0", 1)) == "\\u0000");
  CHECK(printable("\x7f") == "\\u007f");
  CHECK(printable("\u009b") == "\\u009b");      // a control sequence in one character
  CHECK(printable("a\u202eb") == "a\\u202eb");  // turns the direction around
  CHECK(printable("\u2028") == "\\u2028");
  CHECK(printable("\xed\xa0\x80") == "\\ud800");  // half of a surrogate pair
  CHECK(printable("a\xff"
                  "b") == "a\\xffb");
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");  // an overlong form
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("text is cut with an ellipsis") {
  CHECK(cut_to_width("orders", 6) == "orders");
  CHECK(cut_to_width("orders", 5) == "orde\u2026");
  CHECK(cut_to_width("orders", 1) == "\u2026");
  CHECK(cut_to_width("orders", 0).empty());
  // A wide character that does not fit is left out as a whole.
  CHECK(cut_to_width("\u4e16\u754c\u4e16", 4) == "\u4e16\u2026");
  CHECK(cut_to_width("e\u0301e\u0301e\u0301", 2) == "e\u0301\u2026");
}
