// What keeps files, on small stores made here: every reason once, with the truth worked out by
// hand.
#include "saranga/store/explain.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/journal/store_bodies.h"
#include "tests/support/journal_builder.h"

using namespace saranga;
using namespace saranga::store;
using journal::FileState;
using test::Buffer;
using test::JournalBuilder;

namespace {

constexpr std::int64_t kOrders = 5;
constexpr std::int64_t kDead = 6;
constexpr std::size_t kFileSize = 4096;

class Silent final : public FindingSink {
 public:
  void finding(Finding /*finding*/) override {}
};

/// A store in memory with two queues, and its explanation.
class Explained {
 public:
  explicit Explained(std::vector<JournalBuilder> files, ExplainOptions options = {}) {
    StoreParts parts;
    auto bindings = std::make_unique<MemoryDirectory>("bindings");
    JournalBuilder binding(1);
    binding.add(kOrders, 21, test::queue_binding("orders", 25));
    binding.add(kDead, 21, test::queue_binding("DLQ", 25)).pad_to(kFileSize);
    bindings->put("activemq-bindings-1.bindings", binding.bytes());
    auto journal = std::make_unique<MemoryDirectory>("journal");
    for (std::size_t i = 0; i < files.size(); ++i) {
      journal->put("activemq-data-" + std::to_string(i + 1) + ".amq",
                   files[i].pad_to(kFileSize).bytes());
    }
    parts.bindings = std::move(bindings);
    parts.journal = std::move(journal);
    parts.paging = std::make_unique<MemoryDirectory>("paging");
    parts.large_messages = std::make_unique<MemoryDirectory>("large-messages");
    auto loaded = load_store(
        std::move(parts), {.now_ms = 1'800'000'000'000, .observer = &accounting_}, silent_, jobs_);
    REQUIRE(loaded);
    store_ = std::move(*loaded);
    accounting_.finish();
    options.rules.file_size_bytes = kFileSize;
    explanation_ = explain(*store_, accounting_, options, jobs_, silent_);
  }
  [[nodiscard]] const Explanation& operator*() const { return explanation_; }
  [[nodiscard]] const Explanation* operator->() const { return &explanation_; }
  [[nodiscard]] const JournalFileReport& file(std::size_t index) const {
    return explanation_.journal[index];
  }
  [[nodiscard]] const Advice* advice(Advice::Action action) const {
    for (const Advice& advice : explanation_.advice) {
      if (advice.action == action) return &advice;
    }
    return nullptr;
  }
  [[nodiscard]] std::vector<Pin> pins(std::size_t file) const {
    Collector collector;
    REQUIRE(visit_pins(*store_, accounting_, explanation_, journal::JournalKind::kMessages, file,
                       collector));
    return collector.pins;
  }
  [[nodiscard]] std::vector<Pin> records_of(std::int64_t id) {
    Collector collector;
    REQUIRE(visit_records_of(*store_, accounting_, id, collector, silent_));
    return collector.pins;
  }

 private:
  struct Collector final : PinVisitor {
    bool pin(const Pin& pin) override {
      pins.push_back(pin);
      return true;
    }
    std::vector<Pin> pins;
  };
  Silent silent_;
  InlineRunner jobs_;
  StoreAccounting accounting_;
  std::unique_ptr<LoadedStore> store_;
  Explanation explanation_;
};

void send(JournalBuilder& file, std::int64_t id, const std::vector<std::int64_t>& queues) {
  file.add(id, 45, test::core_message(id, "orders", Buffer(20)));
  for (const std::int64_t queue : queues) file.update(id, 32, test::queue_id(queue));
}

void acknowledge(JournalBuilder& file, std::int64_t id, std::int64_t queue) {
  file.update(id, 33, test::queue_id(queue));
}

void consume(JournalBuilder& file, std::int64_t id, std::int64_t queue) {
  acknowledge(file, id, queue);
  file.remove(id);
}

std::vector<JournalBuilder> files(int count) {
  std::vector<JournalBuilder> made;
  for (int i = 1; i <= count; ++i) made.emplace_back(i);
  return made;
}

}  // namespace

TEST_CASE("a chain of files is freed by the few messages at its beginning") {
  auto f = files(6);
  send(f[0], 101, {kDead});
  send(f[0], 102, {kDead});
  send(f[0], 103, {kOrders});
  for (std::size_t i = 1; i < 5; ++i) {
    const auto id = static_cast<std::int64_t>(102 + i);
    consume(f[i], id, kOrders);
    send(f[i], id + 1, {kOrders});
  }
  consume(f[5], 107, kOrders);
  const Explained explained(f);
  CHECK(explained.file(0).state() == FileState::kKept);
  CHECK(explained.file(4).state() == FileState::kKept);
  CHECK(explained.file(5).state() == FileState::kCurrent);
  REQUIRE(explained.file(0).queues.size() == 1);
  CHECK(explained.file(0).queues[0].queue_id == kDead);
  CHECK(explained.file(0).queues[0].messages == 2);
  REQUIRE(explained.file(0).oldest);
  CHECK(explained.file(0).oldest->id == 101);
  CHECK(explained.file(0).oldest->timestamp_ms == 1'700'000'000'000);
  // Deletes alone keep the third file, and in the end only the two messages of the first.
  CHECK(explained.file(2).live_records == 0);
  CHECK(explained.file(2).verdict.needed_for.size() == 1);
  CHECK(explained.file(2).held_by == std::vector<std::uint32_t>{0});
  REQUIRE(explained.file(2).needs);
  CHECK(explained.file(2).needs->messages == 2);
  // The last message of the fifth file is deleted in the current one.
  CHECK(explained.file(4).verdict.cancelled_by_current == 2);
  CHECK(explained.file(4).needs->close_current);
  const Advice* advice = explained.advice(Advice::Action::kAcknowledge);
  REQUIRE(advice);
  CHECK(advice->messages == 2);
  CHECK(advice->message_ids == std::vector<std::int64_t>{101, 102});
  CHECK(advice->queues[0].queue_id == kDead);
  CHECK(advice->frees.journal_files == 5);
  CHECK(advice->frees.bytes == 5 * kFileSize);
  CHECK(explained->queues[0].queue_id == kDead);
  CHECK(explained->queues[0].when_empty->journal_files == 5);
}

TEST_CASE("pins are the records that count, each with its reason") {
  auto f = files(3);
  send(f[0], 101, {kDead, kOrders});
  acknowledge(f[0], 101, kOrders);
  send(f[0], 102, {kOrders});
  consume(f[1], 102, kOrders);
  send(f[1], 103, {kOrders});
  consume(f[1], 103, kOrders);
  f[1].add_tx(9, 104, 45, test::core_message(104, "orders", Buffer(3))).commit(9, 1);
  f[2].add(200, 37, Buffer(8));
  Explained explained(f);
  const auto first = explained.pins(0);
  REQUIRE(first.size() == 4);  // the add, two references and an acknowledgement of 101
  for (const Pin& pin : first) {
    CHECK(pin.id == 101);
    CHECK(pin.why == Pin::Why::kMessage);
    CHECK(pin.queues == std::vector<std::int64_t>{kDead});
    CHECK(pin.file == "journal/activemq-data-1.amq");
  }
  CHECK(first[0].offset == 16);
  const auto second = explained.pins(1);
  REQUIRE(second.size() == 2);
  CHECK(second[0].why == Pin::Why::kNeededDelete);
  CHECK(second[0].id == 102);
  REQUIRE(second[0].needed_for.size() == 1);
  CHECK(second[0].needed_for[0] == "journal/activemq-data-1.amq");
  CHECK(second[1].why == Pin::Why::kUnreferenced);  // 104 is on no queue
  CHECK(explained.file(1).unreferenced == 1);
  CHECK(explained.records_of(101).size() == 4);
  CHECK(explained.records_of(102).empty());
  const Advice* start = explained.advice(Advice::Action::kStart);
  CHECK(start == nullptr);  // the delete for the first file keeps the second one
}

TEST_CASE("a message on two queues is counted once, and goes when both have it") {
  auto f = files(2);
  send(f[0], 101, {kDead, kOrders});
  send(f[1], 102, {kOrders});
  const Explained explained(f);
  CHECK(explained.file(0).messages == 1);
  CHECK(explained.file(0).queues.size() == 2);
  REQUIRE(explained.file(0).needs);
  CHECK(explained.file(0).needs->messages == 1);
  CHECK(explained.file(0).needs->acknowledge.size() == 2);
  for (const QueueUsage& queue : explained->queues) {
    REQUIRE(queue.when_empty);
    CHECK(queue.when_empty->nothing());
  }
}

TEST_CASE("prepared transactions and what they acknowledged") {
  auto f = files(4);
  send(f[0], 101, {kOrders});
  f[1].update_tx(7, 101, 33, test::queue_id(kOrders)).prepare(7, 1, test::xid("b", "g"));
  f[2].add_tx(8, 102, 45, test::core_message(102, "orders", Buffer(3)));
  send(f[3], 103, {kOrders});
  const Explained explained(f);
  REQUIRE(explained.file(0).needs);
  CHECK(explained.file(0).needs->messages == 0);
  REQUIRE(explained.file(0).needs->settle.size() == 1);
  CHECK(explained.file(0).needs->settle[0].tx_id == 7);
  CHECK(explained.file(1).transactions[0].prepared);
  const Advice* settle = explained.advice(Advice::Action::kSettle);
  REQUIRE(settle);
  CHECK(settle->tx_id == 7);
  CHECK(settle->outcome == "commit");  // a rollback gives the message back
  CHECK(settle->frees.journal_files == 2);
  // A transaction that is not prepared goes by itself.
  CHECK_FALSE(explained.file(2).transactions[0].prepared);
  const Advice* start = explained.advice(Advice::Action::kStart);
  REQUIRE(start);
  CHECK(start->frees.journal_files == 1);
  CHECK(start->close_current);
  const auto pins = explained.pins(1);
  REQUIRE(pins.size() == 2);
  CHECK(pins[0].why == Pin::Why::kTransaction);
  CHECK(pins[1].kind == journal::RecordKind::kPrepare);
}

TEST_CASE("other records say how long they stay") {
  auto f = files(3);
  f[0].add(200, 37, Buffer(8)).add(201, 39, test::BodyBuilder().i64(kOrders).i64(1).i32(0));
  f[1].add(202, 40, test::BodyBuilder().i64(kOrders).i64(0));
  send(f[2], 103, {kOrders});
  const Explained explained(f);
  REQUIRE(explained.file(0).others.size() == 2);
  std::map<int, Release> releases;
  for (const RecordShare& share : explained.file(0).others) {
    releases[share.user_type] = share.release;
    CHECK(share.records == 1);
    CHECK_FALSE(share.name.empty());
  }
  CHECK(releases == std::map<int, Release>{{37, Release::kNewerIds}, {39, Release::kPageDeleted}});
  CHECK_FALSE(explained.file(0).needs->only_acknowledge());
  CHECK(explained.file(1).needs->only_acknowledge());  // the next start replaces counters
  CHECK(explained.advice(Advice::Action::kStart)->frees.journal_files == 1);
  CHECK(explained.advice(Advice::Action::kAcknowledge) == nullptr);
}

TEST_CASE("what was added twice needs a compaction") {
  auto f = files(3);
  send(f[0], 101, {kOrders});
  send(f[1], 101, {kOrders});
  send(f[2], 103, {kOrders});
  const Explained explained(f);
  CHECK(explained.file(0).replaced_records == 2);
  CHECK(explained.file(0).needs->compaction);
  const auto pins = explained.pins(0);
  REQUIRE(pins.size() == 2);
  CHECK(pins[0].why == Pin::Why::kReplaced);
  const Advice* compact = explained.advice(Advice::Action::kCompact);
  REQUIRE(compact);
  CHECK(compact->frees.journal_files == 1);
  CHECK_FALSE(compact->by_itself);
}

TEST_CASE("every byte of a file is something") {
  auto f = files(2);
  send(f[0], 101, {kOrders});
  consume(f[0], 101, kOrders);
  send(f[0], 102, {kOrders});
  send(f[1], 103, {kOrders});
  const Explained explained(f);
  for (const auto* reports : {&explained->journal, &explained->bindings}) {
    for (const JournalFileReport& file : *reports) {
      CHECK(file.size_bytes == kFileSize);
      CHECK(file.live_bytes + file.pending_bytes + file.dead_bytes == file.account.record_bytes);
      CHECK(file.account.total_bytes() == kFileSize);
    }
  }
  CHECK(explained.file(0).dead_bytes > 0);
  REQUIRE(explained->parts.size() == 4);
  CHECK(explained->parts[0].size_bytes == 2 * kFileSize);
}

TEST_CASE("the best of many steps comes first") {
  auto f = files(9);
  // Two messages keep three files each, by deletes; a third keeps its own file only.
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}}) {
    const auto id = static_cast<std::int64_t>(100 + at * 10);
    send(f[at], id, {kDead});
    send(f[at], id + 1, {kOrders});
    consume(f[at + 1], id + 1, kOrders);
    send(f[at + 1], id + 2, {kOrders});
    consume(f[at + 2], id + 2, kOrders);
  }
  send(f[3], 500, {kOrders});
  send(f[8], 600, {kOrders});
  const Explained explained(f, {.most_advice = 2});
  std::vector<const Advice*> steps;
  for (const Advice& advice : explained->advice) {
    if (advice.action == Advice::Action::kAcknowledge) steps.push_back(&advice);
  }
  REQUIRE(steps.size() == 2);
  for (const Advice* step : steps) {
    CHECK(step->messages == 1);
    CHECK(step->frees.journal_files == 3);
    CHECK(step->queues[0].queue_id == kDead);
  }
  CHECK(steps[0]->message_ids != steps[1]->message_ids);
}
