// What became of messages, against what is known of fixtures.
#include "saranga/store/message_story.h"

#include <catch2/catch.hpp>

#include "saranga/store/location.h"

namespace {

using namespace saranga;
using store::Fate;
using store::MessageStory;
using store::Outcome;

constexpr std::int64_t kNow = 1796050000000;  // when the fixtures were made

class NoFindings final : public FindingSink {
 public:
  void finding(Finding /*finding*/) override {}
};

/// A loaded fixture with the records about some ids.
struct Loaded {
  Loaded(const std::string& name, std::set<std::int64_t> ids) : stories(std::move(ids)) {
    const auto location =
        store::locate({.store = std::string(SARANGA_FIXTURES) + "/" + name + "/store"});
    REQUIRE(location);
    auto parts = store::open_parts(*location);
    REQUIRE(parts);
    auto loaded = store::load_store(std::move(*parts), {.now_ms = kNow, .observer = &stories},
                                    findings, jobs);
    REQUIRE(loaded);
    store = std::move(*loaded);
  }
  [[nodiscard]] std::unique_ptr<MessageStory> tell(std::int64_t id) const {
    return store::tell_message(*store, stories, id);
  }

  NoFindings findings;
  InlineRunner jobs;
  store::StoryCollector stories;
  std::unique_ptr<store::LoadedStore> store;
};

TEST_CASE("what became of a message is told queue by queue") {
  const Loaded loaded("compacted", {77, 867, 868});
  const auto story = loaded.tell(77);
  REQUIRE(story != nullptr);
  CHECK(story->state == MessageStory::State::kInDoubt);
  REQUIRE(story->queues.size() == 2);
  CHECK(story->queues[0].fate == Fate::kAcknowledged);
  CHECK(story->queues[0].outcome == Outcome::kCommitted);
  CHECK(story->queues[1].fate == Fate::kInDoubtAck);
  CHECK(story->queues[1].tx_id == 867);
  CHECK(story->queues[1].delivery_count == 6);
  REQUIRE(story->content);
  CHECK(story->content->message.id() == 77);
  CHECK(loaded.tell(868)->queues.at(0).fate == Fate::kInDoubtSend);
  CHECK(loaded.tell(867) == nullptr);  // a transaction
}

TEST_CASE("a message that is gone leads to its copy, and the copy to it") {
  const Loaded loaded("orders", {258, 274});
  CHECK(loaded.tell(258)->state == MessageStory::State::kGone);
  CHECK(loaded.tell(258)->deleted);
  const auto copies = store::find_copies(*loaded.store, {258});
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].id == 274);
  const auto copy = loaded.tell(274);
  REQUIRE(copy->content);
  const auto origin = store::origin_of(copy->content->message);
  REQUIRE(origin);
  CHECK(origin->message_id == 258);
  CHECK(origin->queue == "orders.dead");
}

TEST_CASE("a paged message is told from its page") {
  const Loaded loaded("paging", {78});
  const auto story = loaded.tell(78);
  REQUIRE(story != nullptr);
  CHECK(story->state == MessageStory::State::kLive);
  CHECK(story->content->page == 5);
  CHECK(story->queues.at(0).fate == Fate::kAcknowledged);
  CHECK(story->queues.at(1).fate == Fate::kPending);
}

TEST_CASE("a user id is found whatever its case and prefix") {
  const Loaded loaded("protocols", {});
  const std::set<std::int64_t> expected{67};
  for (const char* id :
       {"00112233-4455-6677-8899-aabbccddeeff", "ID:00112233-4455-6677-8899-AABBCCDDEEFF"}) {
    CHECK(store::find_user_id(*loaded.store, id) == expected);
  }
  CHECK(store::find_user_id(*loaded.store, "nobody").empty());
}

TEST_CASE("reading again shows what loading has shown") {
  const Loaded loaded("orders", {258, 19});
  store::StoryCollector again({258, 19});
  store::read_again(*loaded.store, again);
  REQUIRE(again.records().size() == loaded.stories.records().size());
  for (std::size_t i = 0; i < again.records().size(); ++i) {
    CHECK(again.records()[i].place == loaded.stories.records()[i].place);
    CHECK(again.outcome(again.records()[i]) == loaded.stories.outcome(loaded.stories.records()[i]));
  }
}

TEST_CASE("queues that were deleted keep their names as long as their records are there") {
  const Loaded loaded("bindings", {});
  const auto names = store::former_queues(*loaded.store);
  REQUIRE(names.contains(182));
  CHECK(names.at(182) == "deleted.queue");
}

}  // namespace
