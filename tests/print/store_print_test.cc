// What does not fit together between the parts of a store.
#include "tests/print/printed_store.h"

using namespace saranga;
using namespace saranga::test;

namespace {

using Codes = std::vector<std::string>;

Buffer queue(std::int64_t id) { return BodyBuilder().i64(id); }

JournalBuilder bindings_of(std::int64_t id) {
  JournalBuilder bindings;
  bindings.add(id, 21, hex_bytes("00000002 5100 00000002 4100 00 00 00"));
  return bindings;
}

StoreFiles store_of(const JournalBuilder& journal) {
  return {.files = {{"bindings/activemq-bindings-1.bindings", bindings_of(19).bytes()},
                    {"journal/activemq-data-1.amq", journal.bytes()}}};
}

}  // namespace

TEST_CASE("a store without files is told, and printed all the same", "[print]") {
  const PrintedStore printed = print_text({});
  CHECK(printed.findings == std::vector<std::string>{"journal-missing"});
  CHECK(printed.exit_code == 1);
  CHECK(printed.has("B I N D I N G S  J O U R N A L"));
  CHECK(printed.has("M E S S A G E S   J O U R N A L"));
  CHECK(printed.has("P A G I N G"));
}

TEST_CASE("a journal without its bindings is told", "[print]") {
  StoreFiles store = store_of(JournalBuilder().update(1, 32, queue(19)));
  store.files.erase("bindings/activemq-bindings-1.bindings");
  CHECK(print_text(store).findings == Codes{"bindings-missing", "references-without-queue"});
  // Nothing is missed in a part that was not named.
  store.parts = {"journal"};
  CHECK(print_text(store).findings.empty());
}

TEST_CASE("references to a queue without binding are told", "[print]") {
  JournalBuilder journal;
  journal.update(1, 32, queue(19)).update(1, 32, queue(20)).update(1, 32, queue(21));
  journal.update(1, 33, queue(21));
  CHECK(print_text(store_of(journal)).findings == Codes{"references-without-queue"});
  CHECK(print_text(store_of(journal), {.skip_bindings = true}).findings.empty());
}

TEST_CASE("a prepared transaction on a queue without binding is told", "[print]") {
  JournalBuilder journal;
  journal.update_tx(80, 1, 33, queue(20)).update_tx(80, 2, 32, queue(19)).prepare(80, 2);
  CHECK(print_text(store_of(journal)).findings == Codes{"prepared-without-queue"});
}

TEST_CASE("page transactions and pages look for each other", "[print]") {
  JournalBuilder journal;
  journal.add(60, 35, BodyBuilder().i64(77).i32(1)).add(61, 35, BodyBuilder().i64(78).i32(1));
  StoreFiles store = store_of(journal);
  store.files["paging/f/address.txt"] = text_bytes("a");
  store.files["paging/f/000000001.page"] = frame(paged(stored_core({.id = 1}), {19}, 77));
  CHECK(print_text(store).findings == Codes{"page-transaction-without-pages"});
  CHECK(print_text(store, {.max_pages = 1}).findings.empty());
  store.parts = {"bindings", "journal"};
  CHECK(print_text(store).findings.empty());
}

TEST_CASE("bodies nobody refers to are told, and bodies that are missing", "[print]") {
  JournalBuilder journal;
  journal.add(1, 30, headers_block({.id = 1})).add(2, 30, headers_block({.id = 2}));
  journal.add(3, 45, hex_bytes(kAmqpLargeHex));
  journal.add_tx(80, 4, 30, headers_block({.id = 4})).prepare(80, 1);
  StoreFiles store = store_of(journal);
  for (const char* name : {"1.msg", "3.msg", "4.msg", "7.msg", "8.tmp", "9.msg"}) {
    store.files["large-messages/" + std::string(name)] = Buffer(3);
  }
  store.files["paging/f/address.txt"] = text_bytes("a");
  store.files["paging/f/000000001.page"] =
      frame(paged(BodyBuilder().sized(headers_block({.id = 9})).bytes(), {19}, -1, 1));
  const PrintedStore printed = print_json(store);
  CHECK(printed.findings == Codes{"orphan-large-file", "orphan-large-file", "large-body-missing"});
  const auto findings = printed.objects("finding");
  CHECK(findings[0]["file"] == "large-messages/7.msg");
  CHECK(findings[0]["severity"] == "warning");
  CHECK(findings[1]["file"] == "large-messages/8.tmp");
  CHECK(findings[1]["severity"] == "info");
  CHECK(findings[2]["file"] == "large-messages/2.msg");
  CHECK(findings[2]["severity"] == "damage");
}

TEST_CASE("a body is no orphan when not everything was read", "[print]") {
  StoreFiles store = store_of(JournalBuilder().add(1, 30, headers_block({.id = 1})));
  store.files["large-messages/1.msg"] = Buffer(3);
  store.files["large-messages/7.msg"] = Buffer(3);
  const PrintedStore cut = print_json(store, {}, {.max_pages = 0});
  CHECK(cut.findings.empty());
  CHECK(cut.objects("large_file")[0]["referenced"] == true);
  CHECK(cut.objects("large_file")[1]["referenced"].is_null());
  store.parts = {"large-messages"};
  const PrintedStore alone = print_json(store);
  CHECK(alone.findings.empty());
  CHECK(alone.objects("large_file")[0]["referenced"].is_null());
  store.parts = {"bindings", "journal"};
  CHECK(print_json(store).findings.empty());
}

TEST_CASE("equal stores give equal output, with any number of threads at work", "[print]") {
  JournalBuilder journal;
  for (int id = 1; id < 3000; ++id) {
    journal.add(id, 45, stored_core({.id = id, .body = Buffer(1000)}));
    if (id % 3 == 0) journal.update(id, 40, BodyBuilder().i64(19).i64(id).i64(0));
  }
  const StoreFiles store = store_of(journal);
  const std::string text = print_text(store).output;
  const std::string json = print_json(store).output;
  CHECK(text.size() > 1000000);
  for (int i = 0; i < 5; ++i) {
    CHECK(print_text(store).output == text);
    CHECK(print_json(store).output == json);
  }
}
