// Numbers for people.
#include "tools/cli/humanise.h"

#include <catch2/catch.hpp>

using namespace saranga::cli;

TEST_CASE("sizes have three digits and a unit") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1 KiB");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes(10 * 1024 + 300) == "10.3 KiB");
  CHECK(human_bytes(100 * 1024) == "100 KiB");
  CHECK(human_bytes(1023 * 1024) == "1023 KiB");
  CHECK(human_bytes(1024 * 1024 - 1) == "1 MiB");
  CHECK(human_bytes(3221225489) == "3 GiB");
  CHECK(human_bytes(UINT64_MAX) == "16 EiB");
}

TEST_CASE("counts have separators") {
  CHECK(human_count(0) == "0");
  CHECK(human_count(999) == "999");
  CHECK(human_count(1000) == "1,000");
  CHECK(human_count(1234567) == "1,234,567");
  CHECK(human_count(UINT64_MAX) == "18,446,744,073,709,551,615");
  CHECK(human_plural(1, "message") == "1 message");
  CHECK(human_plural(0, "message") == "0 messages");
  CHECK(human_plural(1200, "message") == "1,200 messages");
}

TEST_CASE("ages have their two largest units") {
  CHECK(human_age(0) == "0ms");
  CHECK(human_age(350) == "350ms");
  CHECK(human_age(12'345) == "12s");
  CHECK(human_age(60'000) == "1m");
  CHECK(human_age(302'000) == "5m 2s");
  CHECK(human_age(3 * 3'600'000 + 20 * 60'000) == "3h 20m");
  CHECK(human_age(std::int64_t{52} * 3'600'000) == "2d 4h");
  CHECK(human_age(std::int64_t{395} * 86'400'000) == "1y 30d");
  CHECK(human_age(-302'000) == "in 5m 2s");
  CHECK(human_age(INT64_MIN).starts_with("in 292471208y"));
}
