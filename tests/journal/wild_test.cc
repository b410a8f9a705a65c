// Conditions met in the data folders of real brokers, each as a small store, read by the program.
#include <catch2/catch.hpp>

#include "tests/io/temporary_folder.h"
#include "tests/journal/print_run.h"
#include "tests/journal/store_bodies.h"
#include "tests/support/odd_store.h"

using namespace saranga;
using namespace saranga::test;

namespace {

constexpr std::int64_t kQueue = 12;

// All fields of a queue binding behind its address, in the order in which releases appended them.
constexpr std::string_view kBindingFields[] = {"filter=null",
                                               "metadata=user=ann;",
                                               "auto_created=false",
                                               "max_consumers=-1",
                                               "purge_on_no_consumers=false",
                                               "routing_type=ANYCAST",
                                               "exclusive=false",
                                               "last_value=false",
                                               "configuration_managed=true",
                                               "consumers_before_dispatch=0",
                                               "delay_before_dispatch_ms=-1",
                                               "last_value_key=null",
                                               "non_destructive=false",
                                               "group_rebalance=false",
                                               "group_buckets=-1",
                                               "auto_delete=false",
                                               "auto_delete_delay_ms=0",
                                               "auto_delete_message_count=0",
                                               "group_first_key=null",
                                               "ring_size=-1",
                                               "enabled=true",
                                               "group_rebalance_pause_dispatch=false",
                                               "internal=false"};

/// A queue binding that ends behind so many fields.
std::string binding(std::string_view verb, std::int64_t id, std::string_view name,
                    std::size_t fields) {
  std::string line =
      fmt::format("{} {} QUEUE_BINDING_RECORD name={} address={}", verb, id, name, name);
  for (std::size_t i = 0; i + 2 < fields; ++i) line += fmt::format(" {}", kBindingFields[i]);
  return line + "\n";
}

std::string usual_bindings() {
  return "journal bindings/activemq-bindings-1.bindings id=1 size=65536\n" +
         binding("add", kQueue, "orders", 25) + "add 13 ID_COUNTER_RECORD counter=1000\n";
}

// A message on the queue.
constexpr std::string_view kMessage =
    "add 100 ADD_MESSAGE_PROTOCOL core address=orders timestamp_ms=1700000000000 body=hex:55\n"
    "update 100 ADD_REF queue_id=12\n";

/// A store on disk: a bindings journal, a message journal that begins with these records, an empty
/// file behind each.
class Store {
 public:
  explicit Store(std::string_view records, std::string_view bindings = usual_bindings(),
                 std::int64_t second_id = 2) {
    build(
        fmt::format("{}journal bindings/activemq-bindings-2.bindings id={} size=65536\n"
                    "folder paging\n"
                    "folder large-messages\n"
                    "journal journal/activemq-data-2.amq id=2 size=102400\n"
                    "journal journal/activemq-data-1.amq id=1 size=102400\n{}",
                    bindings, second_id, records));
  }
  /// Any other store.
  struct Whole {
    std::string recipe;
  };
  explicit Store(const Whole& whole) { build(whole.recipe); }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] CommandRun print() const { return test::print(folder_.path()); }
  [[nodiscard]] CommandRun messages() const { return list_messages(folder_.path()); }

 private:
  void build(std::string_view recipe) {
    const auto directory = open_writable_directory(folder_.path());
    REQUIRE(directory);
    build_into(**directory, recipe);
  }

  TemporaryFolder folder_;
};

/// The counts of a journal, of what survives or of what is prepared.
nlohmann::json counts(const CommandRun& run, std::string_view journal, const char* part) {
  for (const nlohmann::json& line : run.of("counts")) {
    if (line["journal"] == journal) return line[part];
  }
  return {};
}

/// Puts a file through a program that takes it for text.
void take_for_text(const TemporaryFolder& folder, const std::string& name) {
  std::string out;
  for (const char c : folder.content(name)) {
    if (static_cast<unsigned char>(c) < 0x80) {
      out += c == '\r' ? '\n' : c;
    } else {
      out += "\xEF\xBF\xBD";
    }
  }
  folder.put(name, out);
}

}  // namespace

TEST_CASE("wild: a plain small store is clean") {
  const Store store(kMessage);
  const CommandRun run = store.print();
  INFO(run.narration);
  CHECK(run.exit_code == 0);
  CHECK(run.findings().empty());
  CHECK(run.survivors(45) == std::vector<std::int64_t>{100});
  CHECK(store.messages().of("message").size() == 1);
}

TEST_CASE("wild: a store that was put through a text filter is named as such") {
  std::string records;
  for (std::int64_t id = 100; id < 120; ++id) {
    records += fmt::format(
        "add {} ADD_MESSAGE_PROTOCOL core address=orders timestamp_ms=1700000000000 "
        "body=hex:c3c3c3c3c3c3c3c3c3\n"
        "update {} ADD_REF queue_id=12\n",
        id, id);
  }
  std::string bindings = "journal bindings/activemq-bindings-1.bindings id=1 size=65536\n";
  for (std::int64_t id = 1; id <= 10; ++id) bindings += binding("add", id, "orders", 25);
  const Store store(records, bindings);
  take_for_text(store.folder(), "journal/activemq-data-1.amq");
  take_for_text(store.folder(), "bindings/activemq-bindings-1.bindings");
  const CommandRun run = store.print();
  CHECK(run.exit_code == 2);
  std::size_t named = 0;
  for (const nlohmann::json& line : run.of("finding")) {
    if (line["code"] == "text-filtered") ++named;
    CHECK(line["code"] != "record-damaged");
    CHECK(line["code"] != "record-undecodable");
  }
  CHECK(named == 2);
  CHECK(run.of("file").size() == 4);  // headers survive and are read
  CHECK(run.survivors(45).empty());
  for (const nlohmann::json& line : run.of("record")) CHECK(line["kind"] == "update");
}

TEST_CASE("wild: a HornetQ journal has another fill, other names and old record types") {
  std::string counters;
  for (std::int64_t i = 0; i < 250; ++i) {
    counters += fmt::format("add {} ID_COUNTER_RECORD counter={}\n", 1000 + i, 100 * i);
  }
  const Store store(Store::Whole{fmt::format(
      "folder paging\n"
      "journal journal/hornetq-data-1.hq id=1 size=102400 fill=0x4a\n"
      "  add 100 ADD_MESSAGE {}\n"
      "  update 100 ADD_REF queue_id=5\n"
      "  bytes JJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJJ\n"
      "  add 50 ADD_LARGE_MESSAGE_PENDING message_id=101\n"
      "  add 101 ADD_LARGE_MESSAGE tx=9 {}\n"
      "  delete 50 tx=9 hex:1d0000000000000065\n"
      "  commit tx=9\n"
      "  update 101 ADD_REF queue_id=5\n"
      "journal journal/hornetq-data-2.hq id=2 size=102400 fill=0x4a\n"
      "file large-messages/101.msg\n"
      "  bytes \"the body of a large message\"\n"
      "journal bindings/hornetq-bindings-1.bindings id=1 size=65536 fill=0x4a\n"
      "  add 5 QUEUE_BINDING_RECORD name=jms.queue.orders address=jms.queue.orders\n"
      "  add 6 QUEUE_BINDING_RECORD name=jms.topic.news address=jms.topic.news filter=__HQX=-1\n"
      "{}{}",
      hex_word(old_message(100, "jms.queue.orders", hex_bytes("55"))),
      hex_word(headers_block(101, "jms.queue.orders", true).bytes()),
      binding("add", 7, "jms.queue.later", 5), counters)});
  const CommandRun run = store.print();
  INFO(run.narration);
  CHECK(run.exit_code == 0);
  CHECK(run.findings().empty());
  CHECK(run.survivors(31) == std::vector<std::int64_t>{100});
  CHECK(run.survivors(30) == std::vector<std::int64_t>{101});
  CHECK(run.survivors(29).empty());
  CHECK(run.survivors(24).size() == 250);
  CHECK(run.survivors(21) == std::vector<std::int64_t>{5, 6, 7});
  for (const nlohmann::json& line : run.of("record")) {
    INFO(line.dump());
    CHECK_FALSE(line.contains("problem"));
  }
  for (const nlohmann::json& line : run.of("file_end")) {
    CHECK(line["account"]["unreadable_bytes"] == 0);
    CHECK(line["account"]["stale_bytes"] == 0);
  }
  CHECK(store.messages().of("message").size() == 2);
}

TEST_CASE("wild: branches that wrote nothing are prepared and committed, one stays in doubt") {
  std::string records;
  for (std::int64_t tx = 200; tx < 320; ++tx) {
    records +=
        fmt::format("prepare tx={} format=1 branch=branch global=global\ncommit tx={}\n", tx, tx);
  }
  const Store store(records + "prepare tx=400 format=1 branch=left global=alone\n");
  const CommandRun run = store.print();
  CHECK(run.exit_code == 0);
  CHECK(run.findings().empty());
  const auto transactions = run.of("transaction");
  REQUIRE(transactions.size() == 1);
  CHECK(transactions[0]["tx"] == 400);
  CHECK(transactions[0]["state"] == "prepared");
  CHECK(transactions[0]["record_count"] == 0);
  CHECK(transactions[0]["delete_count"] == 0);
}

TEST_CASE("wild: a message whose only reference is acknowledged is gone, without its delete too") {
  const Store store(std::string(kMessage) +
                    "update 100 ACKNOWLEDGE_REF tx=7 queue_id=12\n"
                    "commit tx=7\n"
                    "add 101 ADD_MESSAGE_PROTOCOL core address=orders timestamp_ms=1700000000000 "
                    "body=hex:56\n"
                    "update 101 ADD_REF queue_id=12\n");
  const CommandRun run = store.print();
  CHECK(run.exit_code == 0);
  CHECK(run.findings().empty());
  const nlohmann::json surviving = counts(run, "journal", "surviving");
  REQUIRE(surviving["references"].size() == 1);
  CHECK(surviving["references"][0]["queue_id"] == kQueue);
  CHECK(surviving["references"][0]["count"] == 1);
  const CommandRun live = store.messages();
  CHECK(live.exit_code == 0);
  REQUIRE(live.of("message").size() == 1);
  CHECK(live.of("message")[0]["id"] == 101);
}

TEST_CASE("wild: bindings of a store that three releases have had") {
  std::string bindings =
      "journal bindings/activemq-bindings-1.bindings id=1 size=65536\n"
      "add 1 ID_COUNTER_RECORD counter=2147483647\n";
  for (const int fields : {3, 5, 8, 9, 10, 22, 23, 24, 25}) {
    bindings +=
        binding("add", fields, fmt::format("q{}", fields), static_cast<std::size_t>(fields));
    bindings += "delete 0\n";
  }
  bindings += binding("add", kQueue, "orders", 10) + binding("update", kQueue, "orders", 25);
  for (std::int64_t id = 100; id < 225; ++id) {
    if (id > 100) bindings += fmt::format("delete {}\n", id - 1);
    bindings += fmt::format(
        "add {} DIVERT_RECORD name=copy address=orders forwarding_address=copies "
        "routing_name=route exclusive=false routing_type=STRIP\n",
        id);
  }
  bindings += "add 2 ID_COUNTER_RECORD counter=33\n";
  const Store store("", bindings, 2'147'484'000);
  const CommandRun run = store.print();
  INFO(run.narration);
  CHECK(run.exit_code == 0);
  CHECK(run.findings().empty());
  // The last counter counts, not the greatest.
  CHECK(run.survivors(24) == std::vector<std::int64_t>{1, 2});
  CHECK(run.survivors(27) == std::vector<std::int64_t>{224});
  CHECK(run.survivors(21) ==
        std::vector<std::int64_t>{3, 5, 8, 9, 10, 22, 23, 24, 25, kQueue, kQueue});
  std::size_t diverts = 0;
  for (const nlohmann::json& line : run.of("record")) {
    INFO(line.dump());
    CHECK_FALSE(line.contains("problem"));
    CHECK_FALSE(line.contains("trailing_b64"));
    if (line["kind"] == "add" && line["record_type"] == 27) ++diverts;
  }
  CHECK(diverts == 125);
  const auto files = run.of("file");
  REQUIRE(files.size() == 4);
  CHECK(files[1]["file"] == "bindings/activemq-bindings-2.bindings");
  CHECK(files[1]["file_id"] == 2'147'484'000);
}

TEST_CASE("wild: an empty page and no page records mean that nothing is paged") {
  const Store store(std::string(kMessage) +
                    "file paging/0f0e0d0c-aaaa-11ee-8000-0242ac120002/address.txt\n"
                    "  bytes \"orders\\n\"\n"
                    "page paging/0f0e0d0c-aaaa-11ee-8000-0242ac120002/000000012.page\n");
  const CommandRun run = store.print();
  CHECK(run.exit_code == 0);
  CHECK(run.findings().empty());
  REQUIRE(run.of("page_store").size() == 1);
  CHECK(run.of("page_store")[0]["address"] == "orders");
  REQUIRE(run.of("page").size() == 1);
  CHECK(run.of("page")[0]["page_number"] == 12);
  CHECK(run.of("paged_message").empty());
  CHECK(store.messages().of("message").size() == 1);
}
