// Sets of record ids.
#include "saranga/journal/id_set.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <set>

using saranga::journal::IdSet;

TEST_CASE("an id is in the set from its insertion to its removal") {
  IdSet ids;
  CHECK(ids.empty());
  CHECK_FALSE(ids.contains(5));
  ids.insert(5);
  ids.insert(5);
  CHECK(ids.contains(5));
  CHECK(ids.size() == 1);
  ids.erase(6);
  ids.erase(5'000'000);
  CHECK(ids.size() == 1);
  ids.erase(5);
  ids.erase(5);
  CHECK(ids.empty());
  CHECK_FALSE(ids.contains(5));
}

TEST_CASE("neighbours and ids at the ends of the range do not get mixed up") {
  const std::int64_t all[] = {INT64_MIN,
                              INT64_MIN + 1,
                              INT64_MIN + 255,
                              INT64_MIN + 256,
                              -257,
                              -256,
                              -255,
                              -65,
                              -64,
                              -63,
                              -1,
                              0,
                              1,
                              63,
                              64,
                              127,
                              128,
                              255,
                              256,
                              INT64_MAX - 256,
                              INT64_MAX - 1,
                              INT64_MAX};
  for (const std::int64_t one : all) {
    IdSet ids;
    ids.insert(one);
    for (const std::int64_t other : all) {
      if (ids.contains(other) != (other == one)) FAIL(one << " and " << other);
    }
    IdSet::Reader reader(ids);
    for (const std::int64_t other : all) {
      if (reader.contains(other) != (other == one)) FAIL("reading " << one << " and " << other);
    }
  }
  IdSet ids;
  for (const std::int64_t one : all) ids.insert(one);
  CHECK(ids.size() == std::size(all));
  for (const std::int64_t one : all) CHECK(ids.contains(one));
}

TEST_CASE("the set agrees with a plain one") {
  std::mt19937_64 draw(11);
  IdSet ids;
  std::set<std::int64_t> plain;
  for (int i = 0; i < 20'000; ++i) {
    const auto id = static_cast<std::int64_t>(draw() % 2000) - 1000;
    if (draw() % 3 != 0) {
      ids.insert(id);
      plain.insert(id);
    } else {
      ids.erase(id);
      plain.erase(id);
    }
  }
  CHECK(ids.size() == plain.size());
  for (std::int64_t id = -1100; id <= 1100; ++id) {
    if (ids.contains(id) != plain.contains(id)) FAIL("id " << id);
  }
  IdSet::Reader reader(ids);
  for (int i = 0; i < 5000; ++i) {
    const auto id = static_cast<std::int64_t>(draw() % 2400) - 1200;
    if (reader.contains(id) != plain.contains(id)) FAIL("reading id " << id);
  }
}
