// The text of the paging folder.
#include "tests/print/printed_store.h"

using namespace saranga;
using namespace saranga::test;

namespace {

// A queue binding's body is not looked at for the id of its queue.
JournalBuilder bindings_of(const std::vector<std::int64_t>& queues) {
  JournalBuilder bindings;
  const Buffer body = hex_bytes("00000002 5100 00000002 4100 00 00 00");
  for (const std::int64_t queue : queues) bindings.add(queue, 21, body);
  return bindings;
}

StoreFiles store_of(const Buffer& page, const JournalBuilder& journal = JournalBuilder{}) {
  return {.files = {{"bindings/activemq-bindings-1.bindings", bindings_of({12, 13, 14}).bytes()},
                    {"journal/activemq-data-1.amq", journal.bytes()},
                    {"paging/f/address.txt", text_bytes("pg.a\n")},
                    {"paging/f/000000002.page", page}}};
}

/// A store whose only page has these lines of a recipe.
StoreFiles with_page(std::string_view lines) {
  return built_files(
      fmt::format("journal bindings/activemq-bindings-1.bindings id=1\n"
                  "  add 12 QUEUE_BINDING_RECORD name=Q address=A\n"
                  "journal journal/activemq-data-1.amq id=1\n"
                  "file paging/f/address.txt\n"
                  "  bytes \"pg.a\\n\"\n"
                  "page paging/f/000000002.page\n{}",
                  lines));
}

std::string paging_text(const PrintedStore& printed) {
  return printed.output.substr(printed.output.find("P A G I N G"));
}

Buffer ack(std::int64_t queue, std::int64_t page, std::int32_t message) {
  return BodyBuilder().i64(queue).i64(page).i32(message);
}

constexpr std::string_view kMessage =
    ",userMessageID=, msg=CoreMessage[messageID=1, durable=true, userID=null, priority=4, "
    "timestamp=0, expiration=0, durable=true, address=q1, size=42, "
    "properties=TypedProperties[]]@0,Queues = ";

}  // namespace

TEST_CASE("a page store has its heading", "[print]") {
  StoreFiles store = store_of(Buffer{});
  store.files["paging/f/000000007.page"] = Buffer{};
  const std::string text = paging_text(print_text(store));
  CHECK(text.find(std::string(100, '#') + "\nExploring store pg.a folder = /store/paging/f\n"
                                          "Number of pages ::2, Current writing page ::7\n"
                                          "*******   Page 2\n*******   Page 7\n") !=
        std::string::npos);
}

TEST_CASE("a paged message tells what became of it on each queue", "[print]") {
  JournalBuilder journal;
  journal.add(50, 39, ack(12, 2, 0)).add(51, 42, ack(13, 2, 9)).add(52, 39, ack(14, 2, 1));
  const Buffer page = frame(paged(stored_core({.id = 1}), {12, 13, 14, 99}));
  const std::string text = paging_text(print_text(store_of(page, journal)));
  CHECK(text.find("pg=2, msg=0,pgTX=-1" + std::string(kMessage) +
                  "12 (ACK),13 (PG-COMPLETE),14 (OK) ,99 (N/A) \n"
                  "^^^ Previous record has 2 acked queues and 4 queues routed\n\n") !=
        std::string::npos);
}

TEST_CASE("a message consumed by all its queues needs no second line", "[print]") {
  JournalBuilder journal;
  journal.add(50, 39, ack(12, 2, 0)).add(51, 42, ack(12, 2, 9)).add(52, 42, ack(99, 2, 9));
  const Buffer page = frame(paged(stored_core({.id = 1}), {12, 99}));
  const std::string text = paging_text(print_text(store_of(page, journal)));
  CHECK(text.find("Queues = 12 (ACK) (PG-COMPLETE),99 (PG-COMPLETE) (N/A) \n") !=
        std::string::npos);
  CHECK(text.find("^^^") == std::string::npos);
}

TEST_CASE("a transaction that never committed is told", "[print]") {
  JournalBuilder journal;
  journal.add(60, 35, BodyBuilder().i64(77).i32(1));
  Buffer page = frame(paged(stored_core({.id = 1}), {12}, 77));
  append(page, frame(paged(stored_core({.id = 1}), {12}, 78)));
  append(page, frame(paged(stored_core({.id = 1}), {12}, 0)));
  const std::string text = paging_text(print_text(store_of(page, journal)));
  CHECK(text.find("pg=2, msg=0,pgTX=77" + std::string(kMessage) + "12 (OK) \n") !=
        std::string::npos);
  CHECK(text.find("pg=2, msg=1,pgTX=78" + std::string(kMessage) +
                  "12 (OK) , **PG_TX_NOT_FOUND**\n") != std::string::npos);
  CHECK(text.find("msg=2,pgTX=0" + std::string(kMessage) + "12 (OK) , **PG_TX_NOT_FOUND**\n") !=
        std::string::npos);
}

TEST_CASE("large and AMQP messages of pages have their classes", "[print]") {
  Buffer page = frame(paged(BodyBuilder().sized(hex_bytes(kLargeMessageHex)).bytes(), {12}, -1, 1));
  append(page, frame(paged(hex_bytes(kAmqpLargeHex), {12}, -1, 2)));
  append(page, frame(paged(hex_bytes(kAmqpV3Hex), {12})));
  const PrintedStore printed = print_text(store_of(page));
  CHECK(
      printed.has(", msg=NullStorageLargeServerMessage[messageID=2000, durable=true, address=q1,"
                  "properties=TypedProperties[_AMQ_LARGE_SIZE=200000]],Queues = 12"));
  CHECK(printed.has(",userMessageID=m1, msg=AMQPLargeMessage( ["));
  CHECK(printed.has(",userMessageID=m1, msg=AMQPStandardMessage( ["));

  const PrintedStore safe = print_text(store_of(page), {}, {.safe = true});
  CHECK(safe.has("pg=2, msg=0,pgTX=-1, msg=NullStorageLargeServerMessage(safe data, size=85),"));
  CHECK(safe.has(", msg=AMQPStandardMessage(safe data, size=37),Queues = 12"));
  CHECK_FALSE(safe.has("userMessageID"));
}

TEST_CASE("an entry that does not decode is named, the next one follows", "[print]") {
  const PrintedStore printed =
      print_text(with_page("entry hex:ffffffffffffffff0009\n"
                           "entry core id=1 address=q1 queues=12\n"));
  CHECK(printed.has("pg=2, msg=0,pgTX=-1, msg=** undecodable: has an unknown persister id **\n"));
  CHECK(printed.has("pg=2, msg=1,pgTX=-1"));
  CHECK(printed.findings == std::vector<std::string>{"body-undecodable"});
  CHECK(printed.exit_code == 2);
}

TEST_CASE("what stands behind a tear is shown, and damage is told", "[print]") {
  const PrintedStore printed =
      print_text(with_page("entry core id=1 address=q1 queues=12\n"
                           "zeros 1\n"
                           "entry core id=1 address=q1 queues=12\n"));
  CHECK(printed.has("pg=2, msg=2,pgTX=-1"));
  CHECK(printed.findings == std::vector<std::string>{"page-entry-damaged"});

  const PrintedStore torn = print_text(with_page("bytes hex:7b000001f401020304"));
  CHECK(torn.findings == std::vector<std::string>{"torn-page-entry"});
  CHECK(torn.exit_code == 2);
  const PrintedStore trifle = print_text(with_page("bytes hex:7b000001f4"));
  CHECK(trifle.findings == std::vector<std::string>{"torn-page-entry"});
  CHECK(trifle.exit_code == 1);
}

TEST_CASE("pages are shown up to a number of each address", "[print]") {
  StoreFiles store = store_of(frame(paged_core(1)));
  store.files["paging/f/000000005.page"] = frame(paged_core(2));
  store.files["paging/f/000000009.page"] = frame(paged_core(3));
  store.files["paging/g/address.txt"] = text_bytes("z");
  store.files["paging/g/000000001.page"] = frame(paged_core(4));
  const std::string two = paging_text(print_text(store, {.max_pages = 2}));
  CHECK(two.find("*******   Page 2\n") != std::string::npos);
  CHECK(two.find("*******   Page 5\n") != std::string::npos);
  CHECK(two.find("******* Giving up at Page 9, System has a total of 3 pages\n") !=
        std::string::npos);
  CHECK(two.find("*******   Page 9\n") == std::string::npos);
  CHECK(two.find("*******   Page 1\n") != std::string::npos);
  const std::string none = paging_text(print_text(store, {.max_pages = 0}));
  CHECK(none.find(".... skipping") != std::string::npos);
  CHECK(none.find("Exploring") == std::string::npos);
}

TEST_CASE("without bindings no queue is known", "[print]") {
  const Buffer page = frame(paged(stored_core({.id = 1}), {12}));
  CHECK(print_text(store_of(page), {.skip_bindings = true}).has("Queues = 12 (N/A) \n"));
}

TEST_CASE("the journal is read for its cursors even when it is not shown", "[print]") {
  JournalBuilder journal;
  journal.add(50, 39, ack(12, 2, 0));
  const Buffer page = frame(paged(stored_core({.id = 1}), {12}));
  const PrintedStore printed = print_text(store_of(page, journal), {.skip_journal = true});
  CHECK(printed.has("Queues = 12 (ACK)\n"));
  CHECK_FALSE(printed.has("userRecordType=39"));
}
