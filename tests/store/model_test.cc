// The model's lists of references: short ones are walked, long ones indexed, and both must give the
// same.
#include "saranga/store/model.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <random>
#include <set>

#include "saranga/message/record_ids.h"

namespace {

using namespace saranga;
using store::Fact;
using store::Model;
using store::Reference;

class Findings final : public FindingSink {
 public:
  void finding(Finding finding) override { findings.push_back(std::move(finding)); }
  std::vector<Finding> findings;
};

Fact fact(std::int64_t id, std::int8_t type, std::int64_t queue = 0) {
  return {.user_type = type, .length_bytes = 30, .id = id, .place = {0, 16}, .queue = queue};
}

Fact remove(std::int64_t id) { return {.kind = journal::RecordKind::kDelete, .id = id}; }

/// The queues of a message, in the order of its list.
std::vector<std::int64_t> queues_of(const Model& model, std::int64_t id) {
  std::vector<std::int64_t> queues;
  const store::Message* message = model.find(id);
  if (message == nullptr) return queues;
  std::uint32_t at = message->first_reference;
  for (; at != store::kNone; at = model.references()[at].next) {
    CHECK(model.references()[at].state != Reference::State::kDead);
    queues.push_back(model.queue_ids()[model.references()[at].queue]);
  }
  return queues;
}

const std::vector<std::string> kFiles = {"journal/x.amq"};

}  // namespace

TEST_CASE("references of one message, many queues, added and taken in any order") {
  const unsigned seed = 20240501;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  Findings findings;
  Model model(findings, kFiles);
  model.count_bytes();
  std::map<std::int64_t, std::vector<std::int64_t>> expected;  // newest first, as the lists are
  for (std::int64_t id = 1; id <= 3; ++id) model.apply(fact(id, message::kAddMessageProtocol));
  for (int step = 0; step < 6000; ++step) {
    const std::int64_t id = 1 + static_cast<std::int64_t>(random() % 3);
    // Message 3 stays on few queues.
    const std::int64_t queue = static_cast<std::int64_t>(random() % (id == 3 ? 5 : 120));
    std::vector<std::int64_t>& queues = expected[id];
    const auto present = std::ranges::find(queues, queue);
    if (random() % 3 != 0) {
      model.apply(fact(id, message::kAddReference, queue));
      if (present == queues.end()) queues.insert(queues.begin(), queue);
    } else if (present != queues.end()) {
      model.apply(fact(id, message::kAcknowledgeReference, queue));
      queues.erase(present);
    }
  }
  for (std::int64_t id = 1; id <= 3; ++id) CHECK(queues_of(model, id) == expected[id]);
  CHECK(model.find(1)->has(store::Message::kIndexed));
  CHECK_FALSE(model.find(3)->has(store::Message::kIndexed));
  model.apply(remove(1));
  CHECK(model.live_references() == expected[2].size() + expected[3].size());
  model.finish({}, false);
  CHECK(model.live_bytes() % 30 == 0);
  CHECK(findings.findings.empty());
}

TEST_CASE("the lists are right behind a sweep") {
  Findings findings;
  Model model(findings, kFiles);
  model.count_bytes();
  model.apply(fact(1, message::kAddMessageProtocol));
  for (std::int64_t queue = 0; queue < 100; ++queue) {
    model.apply(fact(1, message::kAddReference, queue));
  }
  for (std::int64_t id = 1000; id < 80000; ++id) {
    model.apply(fact(id, message::kAddMessageProtocol));
    model.apply(remove(id));
  }
  for (std::int64_t queue = 0; queue < 100; queue += 2) {
    model.apply(fact(1, message::kAcknowledgeReference, queue));
  }
  std::vector<std::int64_t> expected;
  for (std::int64_t queue = 99; queue > 0; queue -= 2) expected.push_back(queue);
  CHECK(queues_of(model, 1) == expected);
  CHECK(model.messages().size() < 79000);  // it was swept
  model.finish({}, false);
  // The message, its references, and what acknowledged some of them.
  CHECK(model.live_bytes() == 30 * (1 + 100 + 50));
}

TEST_CASE("the bytes of records add up, however many a message has") {
  Findings findings;
  Model model(findings, kFiles);
  model.count_bytes();
  model.apply(fact(1, message::kAddMessageProtocol));
  model.apply(fact(2, message::kAddMessageProtocol));
  std::uint64_t expected = 2 * 30;
  // More than a message has room for beside its body, and then a message behind it.
  for (std::int64_t queue = 0; queue < 100; ++queue) {
    model.apply(fact(1, message::kAddReference, queue));
    expected += 30;
  }
  Fact long_one = fact(3, message::kAddMessageProtocol);
  long_one.length_bytes = 5000;
  long_one.message.body_bytes = 4900;
  model.apply(long_one);
  Fact longer = fact(4, message::kAddMessageProtocol);
  longer.length_bytes = UINT32_MAX;
  model.apply(longer);
  model.apply(remove(2));
  model.finish({}, false);
  CHECK(model.live_bytes() == expected - 30 + 5000 + UINT32_MAX);
}

TEST_CASE("a message with 100,000 references takes no time") {
  Findings findings;
  Model model(findings, kFiles);
  const auto begin = std::chrono::steady_clock::now();
  model.apply(fact(1, message::kAddMessageProtocol));
  constexpr std::int64_t kQueues = 100000;
  for (std::int64_t queue = 0; queue < kQueues; ++queue) {
    model.apply(fact(1, message::kAddReference, queue));
  }
  CHECK(model.live_references() == kQueues);
  for (std::int64_t queue = 0; queue < kQueues; ++queue) {
    model.apply(fact(1, message::kAcknowledgeReference, (queue * 7919) % kQueues));
  }
  CHECK(model.live_references() == 0);
  // Walking the list for each would take minutes.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("what comes before a delete of its message is no stray") {
  Findings findings;
  Model model(findings, kFiles);
  // The file with the add has been reclaimed; the delete is in a later one.
  model.apply(fact(5, message::kAddReference, 3));
  model.apply(fact(5, message::kAcknowledgeReference, 3));
  model.apply(remove(5));
  model.apply(fact(6, message::kAddReference, 3));
  model.finish({}, false);
  REQUIRE(findings.findings.size() == 1);
  CHECK(findings.findings[0].code == "reference-without-message");
  CHECK(findings.findings[0].id == 6);
}
