// Conditions met in the data folders of real brokers, each as a small store, read by the program.
#include <catch2/catch.hpp>

#include "tests/io/temporary_folder.h"
#include "tests/journal/print_run.h"
#include "tests/journal/store_bodies.h"
#include "tests/support/journal_builder.h"

using namespace saranga;
using namespace saranga::test;

namespace {

constexpr std::size_t kJournalSize = 100 << 10;
constexpr std::size_t kBindingsSize = 64 << 10;
constexpr std::int64_t kQueue = 12;

/// A store with a bindings journal of one queue and an empty message journal, to be added to.
class Store {
 public:
  Store() {
    for (const char* name : {"paging", "large-messages"}) folder_.folder(name);
    JournalBuilder bindings(1);
    bindings.add(kQueue, 21, queue_binding("orders", 25)).add(13, 24, counter(1000));
    put_bindings(bindings);
    folder_.put("bindings/activemq-bindings-2.bindings",
                JournalBuilder(2).pad_to(kBindingsSize).bytes());
    folder_.put("journal/activemq-data-2.amq", JournalBuilder(2).pad_to(kJournalSize).bytes());
    put_journal(JournalBuilder(1));
  }
  void put_journal(JournalBuilder built) const {
    folder_.put("journal/activemq-data-1.amq", built.pad_to(kJournalSize).bytes());
  }
  void put_bindings(JournalBuilder built) const {
    folder_.put("bindings/activemq-bindings-1.bindings", built.pad_to(kBindingsSize).bytes());
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] CommandRun print() const { return test::print(folder_.path()); }
  [[nodiscard]] CommandRun messages() const { return list_messages(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

/// The counts of a journal, of what survives or of what is prepared.
nlohmann::json counts(const CommandRun& run, std::string_view journal, const char* part) {
  for (const nlohmann::json& line : run.of("counts")) {
    if (line["journal"] == journal) return line[part];
  }
  return {};
}

Buffer as_text_file(const Buffer& bytes) {
  Buffer out;
  for (const std::byte byte : bytes) {
    if (byte < std::byte{0x80}) {
      out.push_back(byte == std::byte{'\r'} ? std::byte{'\n'} : byte);
      continue;
    }
    for (const unsigned part : {0xEFU, 0xBFU, 0xBDU}) out.push_back(static_cast<std::byte>(part));
  }
  return out;
}

}  // namespace

TEST_CASE("wild: a plain small store is clean") {
  const Store store;
  JournalBuilder built(1);
  built.add(100, 45, core_message(100, "orders", hex_bytes("55")))
      .update(100, 32, queue_id(kQueue));
  store.put_journal(built);
  const CommandRun run = store.print();
  INFO(run.narration);
  CHECK(run.exit_code == 0);
  CHECK(run.findings().empty());
  CHECK(run.survivors(45) == std::vector<std::int64_t>{100});
  CHECK(store.messages().of("message").size() == 1);
}

TEST_CASE("wild: a store that was put through a text filter is named as such") {
  const Store store;
  JournalBuilder built(1);
  for (std::int64_t id = 100; id < 120; ++id) {
    built.add(id, 45, core_message(id, "orders", Buffer(9, std::byte{0xC3})));
    built.update(id, 32, queue_id(kQueue));
  }
  built.pad_to(kJournalSize);
  JournalBuilder bindings(1);
  for (std::int64_t id = 1; id <= 10; ++id) bindings.add(id, 21, queue_binding("orders", 25));
  store.folder().put("journal/activemq-data-1.amq", as_text_file(built.bytes()));
  store.folder().put("bindings/activemq-bindings-1.bindings",
                     as_text_file(bindings.pad_to(kBindingsSize).bytes()));
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
  TemporaryFolder folder;
  folder.folder("paging");
  JournalBuilder built(1);
  built.add(100, 31, old_message(100, "jms.queue.orders", hex_bytes("55")));
  built.update(100, 32, queue_id(5)).fill(40, 'J');
  built.add(50, 29, BodyBuilder().i64(101));
  built.add_tx(9, 101, 30, headers_block(101, "jms.queue.orders", true));
  built.remove_tx(9, 50, BodyBuilder().u8(29).i64(101)).commit(9, 2);
  built.update(101, 32, queue_id(5)).pad_to(kJournalSize, 'J');
  folder.put("journal/hornetq-data-1.hq", built.bytes());
  folder.put("journal/hornetq-data-2.hq", JournalBuilder(2).pad_to(kJournalSize, 'J').bytes());
  folder.put("large-messages/101.msg", "the body of a large message");
  JournalBuilder bindings(1);
  bindings.add(5, 21, queue_binding("jms.queue.orders", 3));
  bindings.add(6, 21, queue_binding("jms.topic.news", 3, "__HQX=-1"));
  bindings.add(7, 21, queue_binding("jms.queue.later", 5));
  for (std::int64_t i = 0; i < 250; ++i) bindings.add(1000 + i, 24, counter(100 * i));
  folder.put("bindings/hornetq-bindings-1.bindings", bindings.pad_to(kBindingsSize, 'J').bytes());
  const CommandRun run = print(folder.path());
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
  CHECK(list_messages(folder.path()).of("message").size() == 2);
}

TEST_CASE("wild: branches that wrote nothing are prepared and committed, one stays in doubt") {
  const Store store;
  JournalBuilder built(1);
  for (std::int64_t tx = 200; tx < 320; ++tx) {
    built.prepare(tx, 0, xid("branch", "global")).commit(tx, 0);
  }
  built.prepare(400, 0, xid("left", "alone"));
  store.put_journal(built);
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
  const Store store;
  JournalBuilder built(1);
  built.add(100, 45, core_message(100, "orders", hex_bytes("55")))
      .update(100, 32, queue_id(kQueue));
  built.update_tx(7, 100, 33, queue_id(kQueue)).commit(7, 1);
  built.add(101, 45, core_message(101, "orders", hex_bytes("56")))
      .update(101, 32, queue_id(kQueue));
  store.put_journal(built);
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
  const Store store;
  JournalBuilder bindings(1);
  bindings.add(1, 24, counter(INT32_MAX));
  for (const int fields : {3, 5, 8, 9, 10, 22, 23, 24, 25}) {
    bindings.add(fields, 21, queue_binding("q" + std::to_string(fields), fields));
    bindings.remove(0);
  }
  bindings.add(kQueue, 21, queue_binding("orders", 10))
      .update(kQueue, 21, queue_binding("orders", 25));
  for (std::int64_t id = 100; id < 225; ++id) {
    if (id > 100) bindings.remove(id - 1);
    bindings.add(id, 27, divert("copy"));
  }
  bindings.add(2, 24, counter(33));
  store.put_bindings(bindings);
  store.folder().put("bindings/activemq-bindings-2.bindings",
                     JournalBuilder(2'147'484'000).pad_to(kBindingsSize).bytes());
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
  const Store store;
  const std::string pages = "paging/0f0e0d0c-aaaa-11ee-8000-0242ac120002";
  store.folder().put(pages + "/address.txt", "orders\n");
  store.folder().put(pages + "/000000012.page");
  JournalBuilder built(1);
  built.add(100, 45, core_message(100, "orders", hex_bytes("55")))
      .update(100, 32, queue_id(kQueue));
  store.put_journal(built);
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
