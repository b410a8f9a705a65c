// The counts of queues against the listing of their messages, and against what is known of
// fixtures.
#include "saranga/store/queue_summary.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>

#include "saranga/store/live_messages.h"
#include "saranga/store/location.h"

namespace {

using namespace saranga;
using store::MessageState;
using store::MessageTotals;
using store::QueueSummary;

constexpr std::int64_t kNow = 1796050000000;  // when the fixtures were made

class Findings final : public FindingSink {
 public:
  void finding(Finding finding) override { codes.emplace_back(finding.code); }
  std::vector<std::string> codes;
};

/// A loaded fixture with its summary.
struct Loaded {
  explicit Loaded(const std::string& name) {
    const auto location =
        store::locate({.store = std::string(SARANGA_FIXTURES) + "/" + name + "/store"});
    REQUIRE(location);
    auto parts = store::open_parts(*location);
    REQUIRE(parts);
    auto loaded = store::load_store(std::move(*parts), {.now_ms = kNow}, findings, jobs);
    REQUIRE(loaded);
    store = std::move(*loaded);
    summary = store::summarise_queues(*store, jobs, findings);
  }
  [[nodiscard]] const QueueSummary& queue(std::string_view name) const {
    for (const QueueSummary& queue : summary.queues) {
      if (queue.queue != nullptr && queue.queue->name == name) return queue;
    }
    FAIL("no queue " << name);
    return summary.queues.front();
  }
  [[nodiscard]] const QueueSummary& queue(std::int64_t id) const {
    for (const QueueSummary& queue : summary.queues) {
      if (queue.id == id) return queue;
    }
    FAIL("no queue id " << id);
    return summary.queues.front();
  }

  Findings findings;
  InlineRunner jobs;
  std::unique_ptr<store::LoadedStore> store;
  store::StoreSummary summary;
};

/// Counts the messages of the listing.
class Counter final : public store::MessageVisitor {
 public:
  explicit Counter(const store::LoadedStore& store) : store_(store) {}

  bool wants_unbound_pages() override { return true; }
  bool message(const store::LiveMessage& message) override {
    MessageTotals& totals = queues[message.queue_id];
    if (message.state == MessageState::kInDoubtAck) ++totals.prepared_acks;
    if (message.state == MessageState::kInDoubtSend) ++totals.prepared_sends;
    if (message.tx_id >= 0) return true;
    ++totals.messages;
    totals.scheduled += message.state == MessageState::kScheduled ? 1 : 0;
    totals.paged += message.paged ? 1 : 0;
    totals.delivered += message.delivery_count > 0 ? 1 : 0;
    const std::int64_t expiration_ms = message.facts.expiration_ms;
    totals.expired += expiration_ms > 0 && expiration_ms < kNow ? 1 : 0;
    totals.large += message.facts.large ? 1 : 0;
    const message::LargeFile* file = store_.large_file(message.id);
    totals.body_bytes += !message.facts.large ? message.facts.body_bytes
                         : file == nullptr    ? 0
                                              : file->size_bytes;
    return true;
  }
  std::map<std::int64_t, MessageTotals> queues;

 private:
  const store::LoadedStore& store_;
};

void compare(const MessageTotals& summed, const MessageTotals& listed) {
  CHECK(summed.messages == listed.messages);
  CHECK(summed.scheduled == listed.scheduled);
  CHECK(summed.paged == listed.paged);
  CHECK(summed.delivered == listed.delivered);
  CHECK(summed.expired == listed.expired);
  CHECK(summed.large == listed.large);
  CHECK(summed.prepared_acks == listed.prepared_acks);
  CHECK(summed.prepared_sends == listed.prepared_sends);
  CHECK(summed.body_bytes == listed.body_bytes);
}

}  // namespace

TEST_CASE("the counts of a queue are those of its listing, in every fixture") {
  std::size_t compared = 0;
  for (const char* group : {"", "/cases"}) {
    const std::filesystem::path root = std::string(SARANGA_FIXTURES) + group;
    for (const auto& folder : std::filesystem::directory_iterator(root)) {
      if (!std::filesystem::is_directory(folder.path() / "store")) continue;
      const std::string name = std::string(group).empty()
                                   ? folder.path().filename().string()
                                   : "cases/" + folder.path().filename().string();
      INFO(name);
      const Loaded loaded(name);
      Counter counter(*loaded.store);
      Findings ignored;
      store::visit_messages(*loaded.store, counter, ignored);
      for (const QueueSummary& queue : loaded.summary.queues) {
        INFO("queue " << queue.id);
        compare(queue.totals, counter.queues[queue.id]);
        ++compared;
      }
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("queues are sorted by address and name, orphans last") {
  const Loaded loaded("cases/g12-select-one-queue");
  std::vector<std::string> names;
  for (const QueueSummary& queue : loaded.summary.queues) {
    names.push_back(queue.queue == nullptr ? "" : queue.queue->name);
  }
  REQUIRE(names.size() > 2);
  CHECK(names.back().empty());
  names.pop_back();
  CHECK(std::ranges::is_sorted(names));
}

TEST_CASE("a queue id without a binding is told and counted") {
  const Loaded loaded("cases/g12-select-one-queue");
  CHECK(std::ranges::count(loaded.findings.codes, "references-without-queue") == 1);
  CHECK(loaded.queue(22).queue == nullptr);
  CHECK(loaded.queue(22).address == "news");
  CHECK(loaded.queue(22).totals.messages == 10);
  CHECK(loaded.queue("news.a").totals.messages == 8);
  CHECK(loaded.queue("dead").totals.messages == 5);
}

TEST_CASE("without bindings every queue id is counted, paged messages too") {
  const Loaded loaded("cases/k3-no-bindings");
  CHECK(loaded.findings.codes.front() == "bindings-missing");
  CHECK(loaded.summary.queues.size() == 5);
  const std::pair<std::int64_t, std::pair<std::uint64_t, std::string>> known[] = {
      {19, {18, "orders"}},
      {24, {70, "p.q"}},
      {29, {6, "news"}},
      {32, {4, "news"}},
      {147, {40, "p.o"}}};
  for (const auto& [id, expected] : known) {
    CHECK(loaded.queue(id).totals.messages == expected.first);
    CHECK(loaded.queue(id).address == expected.second);
  }
}

TEST_CASE("in doubt is what prepared transactions hold") {
  const Loaded loaded("xa");
  const MessageTotals& in = loaded.queue("orders.in").totals;
  CHECK(in.messages == 18);
  CHECK(in.prepared_acks == 3);
  CHECK(in.prepared_sends == 0);
  const MessageTotals& out = loaded.queue("orders.out").totals;
  CHECK(out.messages == 4);
  CHECK(out.prepared_sends == 3);
}

TEST_CASE("times are exact, and those of messages in doubt do not count") {
  const Loaded loaded("xa");
  CHECK(loaded.queue("orders.in").totals.oldest_ms == 1700000000000);
  CHECK(loaded.queue("orders.in").totals.newest_ms == 1700000019000);
  const Loaded orders("orders");
  CHECK(orders.queue("orders.jms").totals.oldest_ms == 1796049931005);
  CHECK(orders.queue("orders.dead").totals.oldest_ms == 0);
}

TEST_CASE("a paused address pauses its queues") {
  const Loaded loaded("bindings");
  CHECK(loaded.queue("paused.address.q1").paused);
  CHECK_FALSE(loaded.queue("paused.address.q1").queue->paused);
}

TEST_CASE("addresses are those of records, queues and pages") {
  const Loaded loaded("paging");
  std::map<std::string, store::AddressSummary> addresses;
  for (const auto& address : loaded.summary.addresses) addresses[address.name] = address;
  CHECK(addresses["activemq.notifications"].queues == 0);
  CHECK(addresses["paged.topic"].queues == 3);
  CHECK(addresses["paged.topic"].pages == 17);
  CHECK(addresses["paged.topic"].page_bytes == 162585);
  CHECK(addresses["paged.drained"].pages == 0);  // one that is empty
  CHECK(addresses["paged.topic"].totals.messages == 291);
}

TEST_CASE("totals add up, and unknown times do not count") {
  MessageTotals sum{.messages = 1, .oldest_ms = 50, .newest_ms = 50};
  sum.add({.messages = 2, .oldest_ms = 0, .newest_ms = 0});
  CHECK(sum.messages == 3);
  CHECK(sum.oldest_ms == 50);
  sum.add({.oldest_ms = 20, .newest_ms = 70});
  CHECK(sum.oldest_ms == 20);
  CHECK(sum.newest_ms == 70);
}
