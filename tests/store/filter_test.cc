// The filter vocabulary: globs, times, and what each member of a filter selects.
#include "saranga/store/filter.h"

#include <catch2/catch.hpp>

#include <chrono>

#include "saranga/store/times.h"

namespace {

using namespace saranga;
using store::Filter;
using store::FilterSpec;
using store::Glob;
using store::LiveMessage;
using store::MessageState;

constexpr std::int64_t kNow = 1'700'000'000'000;  // 2023-11-14T22:13:20Z

bool fits(std::string_view pattern, std::string_view name) {
  const auto glob = Glob::compile(pattern);
  REQUIRE(glob);
  return glob->matches(name);
}

std::int64_t time_of(std::string_view text) {
  const auto time = store::parse_time(text, kNow);
  INFO(text);
  REQUIRE(time);
  return *time;
}

bindings::Queue queue_named(std::int64_t id, std::string name, std::string address) {
  bindings::Queue queue;
  queue.id = id;
  queue.name = std::move(name);
  queue.address = std::move(address);
  return queue;
}

const bindings::Queue kOrders = queue_named(19, "orders", "shop.orders");
const bindings::Queue kWildcard = queue_named(20, "all", "shop.#");

// A Core message to shop.orders, as far as the filter looks at it.
LiveMessage live_message(std::int64_t id, const bindings::Queue* queue = &kOrders) {
  static const std::string kAddress = "shop.orders";
  LiveMessage live{.id = id, .queue_id = queue == nullptr ? 22 : queue->id, .queue = queue};
  live.file = "journal/activemq-data-1.amq";
  live.record_type = 45;
  live.facts.timestamp_ms = kNow - 1000;
  live.message.core.emplace();
  live.message.core->id = id;
  live.message.core->address = Text(kAddress);
  live.message.core->headers.priority = 4;
  live.message.core->headers.durable = true;
  return live;
}

Filter compiled(const FilterSpec& spec) {
  auto filter = Filter::compile(spec, kNow);
  if (!filter) FAIL(filter.error().text);
  return std::move(*filter);
}

bool selects(const FilterSpec& spec, const LiveMessage& live) {
  return compiled(spec).matches(live);
}

std::string error_of(const FilterSpec& spec) {
  const auto filter = Filter::compile(spec, kNow);
  return filter ? std::string() : filter.error().text;
}

}  // namespace

TEST_CASE("a glob fits whole names") {
  CHECK(fits("orders", "orders"));
  CHECK_FALSE(fits("orders", "orders."));
  CHECK_FALSE(fits("orders", "order"));
  CHECK(fits("", ""));
  CHECK_FALSE(fits("", "a"));
  CHECK(fits("*", ""));
  CHECK(fits("orders.*", "orders.eu"));
  CHECK_FALSE(fits("orders.*", "orders"));
  CHECK(fits("*.eu", "orders.eu"));
  CHECK(fits("o*s*u", "orders.eu"));
  CHECK(fits("**a**", "banana"));
  CHECK(fits("*ana", "banana"));
  CHECK(fits("order?", "orders"));
  CHECK_FALSE(fits("order?", "order"));
}

TEST_CASE("a set fits one character") {
  CHECK(fits("q[0-9]", "q7"));
  CHECK_FALSE(fits("q[0-9]", "qx"));
  CHECK(fits("q[!0-9]", "qx"));
  CHECK(fits("q[^0-9]", "qx"));
  CHECK(fits("[]]", "]"));
  CHECK(fits("[a-]", "-"));
  CHECK(fits("[\\]]", "]"));
  CHECK(fits("\\*", "*"));
  CHECK_FALSE(fits("\\*", "a"));
  CHECK(fits("a\\", "a\\"));
  CHECK_FALSE(Glob::compile("q[0-9"));
  CHECK_FALSE(Glob::compile("["));
  CHECK_FALSE(Glob::compile(std::string(5000, 'a')));
}

TEST_CASE("characters are code points") {
  CHECK(fits("orders.?", "orders.\u00fc"));
  CHECK(fits("?", "\U0001F680"));
  CHECK(fits("[\u3041-\u30ff]*", "\u30ad\u30e5\u30fc"));
  // A byte that is no UTF-8 is one character of its own.
  CHECK(fits("a?b",
             "a\xff"
             "b"));
  CHECK(fits("a??b",
             "a\xed\xa0"
             "b"));
}

TEST_CASE("a hostile pattern takes no longer than others") {
  std::string pattern;
  for (int i = 0; i < 300; ++i) pattern += "*a";
  pattern += "*b";
  const std::string name(200'000, 'a');
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(fits(pattern, name));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}

TEST_CASE("times are calendar times, numbers, or before now") {
  CHECK(time_of("2023-11-14T22:13:20Z") == kNow);
  CHECK(time_of("2023-11-14T22:13:20") == kNow);
  CHECK(time_of("2023-11-14 22:13:20") == kNow);
  CHECK(time_of("2023-11-15T00:13:20+02:00") == kNow);
  CHECK(time_of("2023-11-14T16:43:20-0530") == kNow);
  CHECK(time_of("2023-11-14T22:13:20.250") == kNow + 250);
  CHECK(time_of("2023-11-14T22:13:20,2") == kNow + 200);
  CHECK(time_of("2023-11-14T22:13") == kNow - 20'000);
  CHECK(time_of("2023-11-14") == kNow - 80'000'000);
  CHECK(time_of("1700000000000") == kNow);
  CHECK(time_of("0") == 0);
  CHECK(time_of("now") == kNow);
  CHECK(time_of("250ms") == kNow - 250);
  CHECK(time_of("2h") == kNow - 7'200'000);
  CHECK(time_of("1d12h") == kNow - 129'600'000);
  CHECK(time_of("1w") == kNow - 604'800'000);
  CHECK(time_of("1970-01-01") == 0);
}

TEST_CASE("what is no time is refused") {
  for (const char* text :
       {"", "yesterday", "2023-13-01", "2023-02-30", "2023-11-14T25:00", "2023-11-14T22", "2h3",
        "h", "-3d", "2023-11-14T22:13:20Zx", "99999999999999999999", "9223372036854775807w"}) {
    INFO(text);
    CHECK_FALSE(store::parse_time(text, kNow));
  }
}

TEST_CASE("a time is written as it is read") {
  CHECK(store::format_time(kNow) == "2023-11-14T22:13:20Z");
  CHECK(store::format_time(kNow + 5) == "2023-11-14T22:13:20.005Z");
  CHECK(store::format_time(0) == "1970-01-01T00:00:00Z");
  CHECK(store::format_time(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(store::format_time(INT64_MAX) == "9223372036854775807");
  for (const std::int64_t time : {kNow, kNow + 5, std::int64_t{-1}, std::int64_t{951782400000}}) {
    CHECK(time_of(store::format_time(time)) == time);
  }
}

TEST_CASE("an empty filter selects everything") {
  Filter filter;
  CHECK(filter.selects_all());
  CHECK(filter.matches(live_message(7)));
  CHECK(compiled({}).selects_all());
  CHECK(compiled({}).wants_queue(1, nullptr));
  CHECK(compiled({}).unmatched(true).empty());
}

TEST_CASE("queues are chosen by name, glob or id") {
  CHECK(selects({.queues = {"orders"}}, live_message(7)));
  CHECK(selects({.queues = {"or*"}}, live_message(7)));
  CHECK(selects({.queues = {"19"}}, live_message(7)));
  CHECK_FALSE(selects({.queues = {"20"}}, live_message(7)));
  CHECK(selects({.queues = {"other", "orders"}}, live_message(7)));
  // A queue without binding has no name, so only its id finds it.
  CHECK(selects({.queues = {"22"}}, live_message(7, nullptr)));
  CHECK_FALSE(selects({.queues = {"*"}}, live_message(7, nullptr)));
  CHECK(compiled({.queues = {"22"}}).may_want_orphans());
  CHECK_FALSE(compiled({.queues = {"orders"}}).may_want_orphans());
}

TEST_CASE("an address is that of the queue or of the message") {
  CHECK(selects({.addresses = {"shop.orders"}}, live_message(7)));
  CHECK(selects({.addresses = {"shop.*"}}, live_message(7)));
  CHECK_FALSE(selects({.addresses = {"shop.returns"}}, live_message(7)));
  CHECK(selects({.addresses = {"shop.orders"}}, live_message(7, &kWildcard)));
  CHECK(selects({.addresses = {"shop.#"}}, live_message(7, &kWildcard)));
  CHECK(selects({.addresses = {"shop.orders"}}, live_message(7, nullptr)));
  Filter filter = compiled({.addresses = {"shop.returns"}});
  CHECK_FALSE(filter.wants_queue(19, &kOrders));
  CHECK(filter.wants_queue(20, &kWildcard));  // its messages tell
}

TEST_CASE("ids are single, listed, or ranges") {
  CHECK(selects({.ids = {"7"}}, live_message(7)));
  CHECK(selects({.ids = {"3, 7,9"}}, live_message(7)));
  CHECK(selects({.ids = {"5-8"}}, live_message(7)));
  CHECK(selects({.ids = {"1", "5-6,6-9"}}, live_message(7)));
  CHECK_FALSE(selects({.ids = {"5-6,8-9"}}, live_message(7)));
  CHECK(selects({.ids = {"-5--1"}}, live_message(-3)));
  CHECK(error_of({.ids = {"8-5"}}).starts_with("id: "));
  CHECK(error_of({.ids = {"x"}}).starts_with("id: "));
  CHECK(error_of({.ids = {"7,"}}).starts_with("id: "));
  CHECK(error_of({.ids = {"99999999999999999999"}}).starts_with("id: "));
}

TEST_CASE("times bound the timestamp") {
  CHECK(selects({.since = "2s"}, live_message(7)));
  CHECK_FALSE(selects({.since = "500ms"}, live_message(7)));
  CHECK(selects({.until = "now"}, live_message(7)));
  CHECK_FALSE(selects({.until = "1s"}, live_message(7)));  // sent at that very moment
  CHECK(selects({.since = "1s", .until = "now"}, live_message(7)));
  LiveMessage timeless = live_message(7);
  timeless.facts.timestamp_ms = 0;
  CHECK_FALSE(selects({.since = "2020-01-01"}, timeless));
  CHECK_FALSE(selects({.until = "now"}, timeless));
  CHECK(error_of({.since = "soon"}).starts_with("since: "));
  CHECK(error_of({.until = "soon"}).starts_with("until: "));
}

TEST_CASE("record types have numbers and names") {
  CHECK(selects({.record_types = {"45"}}, live_message(7)));
  CHECK(selects({.record_types = {"ADD_MESSAGE_PROTOCOL"}}, live_message(7)));
  CHECK(selects({.record_types = {"add-message-protocol,30"}}, live_message(7)));
  CHECK_FALSE(selects({.record_types = {"30"}}, live_message(7)));
  CHECK(compiled({.record_types = {"32"}}).wants_record_type(32));
  CHECK_FALSE(compiled({.record_types = {"32"}}).wants_record_type(33));
  CHECK(error_of({.record_types = {"NO_SUCH"}}).starts_with("type: "));
  CHECK(error_of({.record_types = {"300"}}).starts_with("type: "));
}

TEST_CASE("files are chosen by label or last part") {
  CHECK(selects({.files = {"journal/activemq-data-1.amq"}}, live_message(7)));
  CHECK(selects({.files = {"activemq-data-1.amq"}}, live_message(7)));
  CHECK(selects({.files = {"*-[0-9].amq"}}, live_message(7)));
  CHECK_FALSE(selects({.files = {"*.page"}}, live_message(7)));
}

TEST_CASE("each state selects what is in it") {
  const auto in_state = [](const char* name, auto change) {
    LiveMessage plain = live_message(7);
    LiveMessage changed = live_message(7);
    change(changed);
    INFO(name);
    CHECK(selects({.states = {name}}, changed));
    if (std::string_view(name) != "pending") CHECK_FALSE(selects({.states = {name}}, plain));
  };
  in_state("pending", [](LiveMessage&) {});
  in_state("scheduled", [](LiveMessage& m) { m.state = MessageState::kScheduled; });
  in_state("delivered", [](LiveMessage& m) { m.delivery_count = 1; });
  in_state("prepared", [](LiveMessage& m) { m.state = MessageState::kInDoubtAck; });
  in_state("prepared", [](LiveMessage& m) { m.state = MessageState::kInDoubtSend; });
  in_state("paged", [](LiveMessage& m) { m.paged = true; });
  in_state("orphan", [](LiveMessage& m) { m.queue = nullptr; });
  in_state("expired", [](LiveMessage& m) { m.facts.expiration_ms = kNow - 1; });
  in_state("large", [](LiveMessage& m) { m.facts.large = true; });
  CHECK(selects({.states = {"paged,pending"}}, live_message(7)));
  CHECK(error_of({.states = {"lost"}}).find("expired") != std::string::npos);
  CHECK_FALSE(compiled({.states = {"orphan"}}).wants_queue(19, &kOrders));
  CHECK(compiled({.states = {"orphan"}}).wants_queue(22, nullptr));
}

TEST_CASE("transactions are those in doubt and those of pages") {
  LiveMessage in_doubt = live_message(7);
  in_doubt.tx_id = 61;
  LiveMessage paged = live_message(7);
  paged.page_tx_id = 62;
  CHECK(selects({.transactions = {"61"}}, in_doubt));
  CHECK(selects({.transactions = {"60-70"}}, paged));
  CHECK_FALSE(selects({.transactions = {"61"}}, paged));
  CHECK_FALSE(selects({.transactions = {"61"}}, live_message(7)));
}

TEST_CASE("user ids are texts") {
  const std::vector<std::byte> uuid(16, std::byte{0xAB});
  LiveMessage live = live_message(7);
  live.message.core->headers.user_id = uuid;
  CHECK(selects({.user_ids = {"abababab-abab-abab-abab-abababababab"}}, live));
  CHECK(selects({.user_ids = {"ID:abababab-abab-abab-abab-abababababab"}}, live));
  CHECK_FALSE(selects({.user_ids = {"abababab"}}, live));
  CHECK_FALSE(selects({.user_ids = {"abababab-abab-abab-abab-abababababab"}}, live_message(7)));
  CHECK(error_of({.user_ids = {""}}).starts_with("user-id: "));
}

TEST_CASE("a selector is that of a JMS consumer") {
  CHECK(selects({.where = "JMSPriority = 4"}, live_message(7)));
  CHECK(selects({.where = "AMQPriority = 4 AND JMSDeliveryMode = 'PERSISTENT'"}, live_message(7)));
  CHECK_FALSE(selects({.where = "JMSPriority > 4"}, live_message(7)));
  CHECK(error_of({.where = "JMSPriority >"}).starts_with("where: "));
}

TEST_CASE("members have to hold together") {
  CHECK(selects({.queues = {"orders"}, .ids = {"7"}, .states = {"pending"}}, live_message(7)));
  CHECK_FALSE(
      selects({.queues = {"orders"}, .ids = {"8"}, .states = {"pending"}}, live_message(7)));
}

TEST_CASE("names that fit nothing are known afterwards") {
  Filter filter = compiled({.queues = {"orders", "other"},
                            .ids = {"7", "8"},
                            .user_ids = {"nobody"},
                            .files = {"*.page"}});
  CHECK_FALSE(filter.matches(live_message(7)));
  const auto listed = [&](bool saw_all) {
    std::vector<std::string> names;
    for (const auto& [member, text] : filter.unmatched(saw_all)) {
      names.push_back(std::string(member) + " " + text);
    }
    return names;
  };
  CHECK(listed(false) == std::vector<std::string>{"queue other", "file *.page"});
  CHECK(listed(true) ==
        std::vector<std::string>{"queue other", "file *.page", "id 8", "user-id nobody"});
}

TEST_CASE("what is known without the record rules a message out") {
  Filter filter = compiled({.ids = {"7"}, .since = "2s"});
  store::Message known{.id = 7, .timestamp_ms = kNow - 1000};
  CHECK(filter.may_match(known));
  known.timestamp_ms = kNow - 5000;
  CHECK_FALSE(filter.may_match(known));
  known = {.id = 8, .timestamp_ms = kNow - 1000};
  CHECK_FALSE(filter.may_match(known));
}
