// The loaded state against what the real broker of each fixture held in memory after its own start.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <zlib.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "saranga/store/live_messages.h"

namespace {

using namespace saranga;
using nlohmann::json;

constexpr std::int64_t kNow = 1796050000000;  // when the fixtures were made

json read_golden(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::string text;
  char buffer[1 << 16];
  for (int got = gzread(file, buffer, sizeof buffer); got > 0;
       got = gzread(file, buffer, sizeof buffer)) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  gzclose(file);
  return json::parse(text);
}

class Findings final : public FindingSink {
 public:
  void finding(Finding finding) override {
    if (finding.severity == Severity::kDamage) damage.push_back(finding.text);
  }
  std::vector<std::string> damage;
};

struct Seen {
  std::vector<json> messages;
  std::vector<json> scheduled;
  std::set<std::int64_t> paged_in_doubt;
  std::uint64_t prepared_acks = 0;
};

std::string class_of(const store::LiveMessage& message) {
  if (message.message.amqp) {
    return message.message.amqp->is_large() ? "AMQPLargeMessage" : "AMQPStandardMessage";
  }
  return message.core_large ? "LargeServerMessageImpl" : "CoreMessage";
}

bool has_delay(const store::LiveMessage& message) {
  if (!message.message.amqp) return false;
  const auto scanned = message::amqp::Message::of(*message.message.amqp);
  return scanned.annotation("x-opt-delivery-delay").has_value();
}

// The same members as the golden has of a message.
json describe(const store::LiveMessage& message) {
  json result;
  result["id"] = message.id;
  const auto address = message.message.address();
  result["address"] = address ? json(address->str()) : json();
  result["class"] = class_of(message);
  result["deliveryCount"] = message.delivery_count;
  result["durable"] = message.facts.durable;
  result["paged"] = message.paged;
  result["priority"] = message.facts.priority;
  // A delay counts from the moment of a start: which time that gave can't be known from the files.
  if (has_delay(message)) return result;
  result["scheduledTime"] =
      message.state == store::MessageState::kScheduled ? message.scheduled_ms : 0;
  return result;
}

class Collector final : public store::MessageVisitor {
 public:
  bool message(const store::LiveMessage& message) override {
    if (message.queue == nullptr) return true;
    Seen& seen = queues[message.queue->name];
    // A browser lists a paged message also when it is scheduled or acknowledged in doubt: the
    // former in its place, the latter wherever its iteration meets it.
    if (message.paged && message.state == store::MessageState::kScheduled) {
      seen.messages.push_back(describe(message));
      return true;
    }
    if (message.paged && message.state == store::MessageState::kInDoubtAck) {
      seen.paged_in_doubt.insert(message.id);
      return true;
    }
    switch (message.state) {
      case store::MessageState::kPending: seen.messages.push_back(describe(message)); break;
      case store::MessageState::kScheduled: seen.scheduled.push_back(describe(message)); break;
      case store::MessageState::kInDoubtAck: ++seen.prepared_acks; break;
      case store::MessageState::kInDoubtSend: break;
    }
    return true;
  }
  std::map<std::string, Seen> queues;
};

struct Counts {
  std::uint64_t fixtures = 0;
  std::uint64_t queues = 0;
  std::uint64_t messages = 0;
  std::uint64_t fields = 0;
};

void compare_list(const std::string& where, const json& wanted, const std::vector<json>& got,
                  Counts& counts) {
  INFO(where);
  CHECK(wanted.size() == got.size());
  for (std::size_t i = 0; i < std::min(wanted.size(), got.size()); ++i) {
    ++counts.messages;
    for (const auto& [name, value] : got[i].items()) {
      if (!wanted[i].contains(name)) continue;
      INFO(name << " of message " << wanted[i]["id"] << " at " << i);
      CHECK(value == wanted[i][name]);
      ++counts.fields;
    }
  }
}

void compare_fixture(const std::string& name, const json& golden, Counts& counts) {
  INFO("fixture " << name);
  const auto location =
      store::locate({.store = std::string(SARANGA_FIXTURES) + "/" + name + "/store"});
  REQUIRE(location);
  auto parts = store::open_parts(*location);
  REQUIRE(parts);
  Findings findings;
  InlineRunner jobs;
  auto loaded = store::load_store(std::move(*parts), {.now_ms = kNow}, findings, jobs);
  REQUIRE(loaded);
  Collector collector;
  store::visit_messages(**loaded, collector, findings);
  CHECK(findings.damage.empty());
  ++counts.fixtures;
  for (const auto& [queue, wanted] : golden["queues"].items()) {
    ++counts.queues;
    const Seen& seen = collector.queues[queue];
    json listed = json::array();
    std::set<std::int64_t> in_doubt;
    for (const json& message : wanted["messages"]) {
      const std::int64_t id = message["id"];
      if (seen.paged_in_doubt.contains(id)) {
        in_doubt.insert(id);
      } else {
        listed.push_back(message);
      }
    }
    CHECK(in_doubt == seen.paged_in_doubt);
    compare_list("queue " + queue, listed, seen.messages, counts);
    compare_list("scheduled on " + queue, wanted["scheduled"], seen.scheduled, counts);
  }
}

}  // namespace

TEST_CASE("the loaded state is that of the real broker") {
  Counts counts;
  const std::filesystem::path root = std::string(SARANGA_SOURCE_DIR) + "/fixtures";
  std::set<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(root)) folders.insert(entry.path());
  for (const auto& folder : folders) {
    const json golden = read_golden(folder / "golden" / "inside.json.gz");
    if (!golden.is_null()) compare_fixture(folder.filename(), golden, counts);
  }
  fmt::print("compared with real brokers: {} fixtures, {} queues, {} messages, {} fields\n",
             counts.fixtures, counts.queues, counts.messages, counts.fields);
  CHECK(counts.messages > 1000);
}
