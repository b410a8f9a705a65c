// What the journal says of paged messages.
#include <catch2/catch.hpp>

#include "saranga/paging/cursors.h"
#include "saranga/store/survivor_facts.h"
#include "tests/support/journal_builder.h"

using namespace saranga;
using namespace saranga::test;
using paging::Cursors;

TEST_CASE("an acknowledgement is for one message, page and queue", "[paging]") {
  Cursors cursors;
  cursors.acknowledge(1, 2, 3);
  cursors.acknowledge(1, 2, 3);
  CHECK(cursors.acknowledged(1, 2, 3));
  CHECK_FALSE(cursors.acknowledged(1, 2, 4));
  CHECK_FALSE(cursors.acknowledged(1, 3, 3));
  CHECK_FALSE(cursors.acknowledged(2, 2, 3));
}

TEST_CASE("a bookmark acknowledges nothing", "[paging]") {
  Cursors cursors;
  cursors.acknowledge(1, 4, -1);
  for (const std::int32_t message : {-1, 0, 1}) CHECK_FALSE(cursors.acknowledged(1, 4, message));
}

TEST_CASE("a complete page is so for one queue", "[paging]") {
  Cursors cursors;
  cursors.complete(1, 2);
  CHECK(cursors.completed(1, 2));
  CHECK_FALSE(cursors.completed(2, 2));
  CHECK_FALSE(cursors.completed(1, 1));
  CHECK_FALSE(cursors.acknowledged(1, 2, 0));
}

TEST_CASE("transactions commit by their id", "[paging]") {
  Cursors cursors;
  CHECK_FALSE(cursors.committed(77));
  cursors.commit(77);
  CHECK(cursors.committed(77));
  CHECK(cursors.committed_transactions().size() == 1);
}

TEST_CASE("cursors are made from the records that survive", "[paging]") {
  const auto add = [](store::SurvivorFacts& facts, int type, const Buffer& body,
                      journal::RecordKind kind = journal::RecordKind::kAdd) {
    facts.add(journal::JournalKind::kMessages,
              {.kind = kind, .user_type = static_cast<std::int8_t>(type), .id = 1, .body = body});
  };
  store::SurvivorFacts facts;
  add(facts, 39, BodyBuilder().i64(12).i64(4).i32(7));
  add(facts, 39, BodyBuilder().i64(12).i64(5).i32(-1));
  add(facts, 42, BodyBuilder().i64(13).i64(4).i32(9));
  add(facts, 35, BodyBuilder().i64(77).i32(2));
  add(facts, 35, BodyBuilder().i64(78).i32(1), journal::RecordKind::kUpdate);
  add(facts, 39, BodyBuilder().i64(12).i64(6));  // cut: counts for nothing
  const Cursors cursors = facts.cursors();
  CHECK(cursors.acknowledged(12, 4, 7));
  CHECK_FALSE(cursors.acknowledged(12, 5, -1));
  CHECK(cursors.completed(13, 4));
  CHECK(cursors.committed(77));
  CHECK_FALSE(cursors.committed(78));
  CHECK_FALSE(cursors.acknowledged(12, 6, 0));
}
