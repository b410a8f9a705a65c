// The growing buffer that everything is printed into.
#include "saranga/bytes/text_buffer.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

using saranga::TextBuffer;

TEST_CASE("a fresh buffer is empty and takes empty texts") {
  TextBuffer out;
  CHECK(out.empty());
  CHECK(out.view().empty());
  out.put("");
  out.put(std::string_view());
  CHECK(out.size() == 0);
  CHECK(out.str().empty());
}

TEST_CASE("numbers are written in full at the ends of their ranges") {
  TextBuffer out;
  out.put_int(std::numeric_limits<std::int64_t>::min());
  out.put(' ');
  out.put_int(std::numeric_limits<std::int64_t>::max());
  out.put(' ');
  out.put_unsigned(std::numeric_limits<std::uint64_t>::max());
  out.put(' ');
  out.put_int(0);
  CHECK(out.view() == "-9223372036854775808 9223372036854775807 18446744073709551615 0");
}

TEST_CASE("booleans are written as words") {
  TextBuffer out;
  out.put_boolean(true);
  out.put_boolean(false);
  CHECK(out.view() == "truefalse");
}

TEST_CASE("whatever is appended, in whatever sizes, comes out in order") {
  TextBuffer out;
  std::string expected;
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::string piece(i % 97, static_cast<char>('a' + i % 26));
    out.put(piece);
    out.put(static_cast<char>('A' + i % 26));
    expected += piece + static_cast<char>('A' + i % 26);
  }
  CHECK(out.size() == expected.size());
  CHECK(out.str() == expected);
}

TEST_CASE("reserved room counts only when it is committed") {
  TextBuffer out;
  out.put("ab");
  char* at = out.reserve(1000);
  at[0] = 'c';
  CHECK(out.view() == "ab");
  out.commit(1);
  CHECK(out.view() == "abc");
}

TEST_CASE("a buffer is cut back and used again") {
  TextBuffer out;
  out.put("one two");
  out.truncate(3);
  CHECK(out.view() == "one");
  out.clear();
  CHECK(out.empty());
  out.put("three");
  CHECK(out.view() == "three");
}

TEST_CASE("a buffer that was moved away is empty and can be used again") {
  TextBuffer out;
  out.put(std::string(1000, 'x'));
  TextBuffer taken = std::move(out);
  CHECK(taken.size() == 1000);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  CHECK(out.empty());
  out.put("again");
  CHECK(out.view() == "again");
  // NOLINTEND(bugprone-use-after-move)
  taken = std::move(out);
  CHECK(taken.view() == "again");
}
