// How errors name their place.
#include "saranga/bytes/error.h"

#include <catch2/catch.hpp>

using saranga::Error;
using saranga::ErrorCode;

TEST_CASE("an error tells what is known of its place and leaves out the rest") {
  CHECK(Error{.text = "is odd"}.message() == "is odd");
  CHECK(Error{.text = "is odd", .file = "a.amq"}.message() == "a.amq: is odd");
  CHECK(Error{.text = "is odd", .file = "a.amq", .offset = 0x1f40}.message() ==
        "a.amq:0x1f40: is odd");
  CHECK(Error{.text = "is odd", .offset = 16}.message() == "offset 0x10: is odd");
  CHECK(Error{.text = "is odd", .file = "a.amq", .offset = 0x1f40, .record = 8841}.message() ==
        "a.amq:0x1f40: record 8841: is odd");
  CHECK(Error{.text = "is odd", .record = -1}.message() == "record -1: is odd");
}

TEST_CASE("a failure carries its code through a result") {
  const saranga::Result<int> result = saranga::fail(ErrorCode::kBusy, "is locked", "server.lock");
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kBusy);
  CHECK(result.error().message() == "server.lock: is locked");
}
