// What does not fit together between the parts of a store.
#include "tests/print/printed_store.h"

using namespace saranga;
using namespace saranga::test;

namespace {

using Codes = std::vector<std::string>;

/// A store with one queue, 19, whose message journal has these lines of a recipe; other files may
/// follow.
StoreFiles store_of(std::string_view lines) {
  return built_files(
      fmt::format("journal bindings/activemq-bindings-1.bindings id=1\n"
                  "  add 19 QUEUE_BINDING_RECORD name=Q address=A\n"
                  "journal journal/activemq-data-1.amq id=1\n{}\n",
                  lines));
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
  StoreFiles store = store_of("  update 1 ADD_REF queue_id=19\nwithout bindings");
  CHECK(print_text(store).findings == Codes{"bindings-missing", "references-without-queue"});
  // Nothing is missed in a part that was not named.
  store.parts = {"journal"};
  CHECK(print_text(store).findings.empty());
}

TEST_CASE("references to a queue without binding are told", "[print]") {
  const StoreFiles store = store_of(
      "  update 1 ADD_REF queue_id=19\n"
      "  update 1 ADD_REF queue_id=20\n"
      "  update 1 ADD_REF queue_id=21\n"
      "  update 1 ACKNOWLEDGE_REF queue_id=21");
  CHECK(print_text(store).findings == Codes{"references-without-queue"});
  CHECK(print_text(store, {.skip_bindings = true}).findings.empty());
}

TEST_CASE("a prepared transaction on a queue without binding is told", "[print]") {
  const StoreFiles store = store_of(
      "  update 1 ACKNOWLEDGE_REF tx=80 queue_id=20\n"
      "  update 2 ADD_REF tx=80 queue_id=19\n"
      "  prepare tx=80 \"\"");
  CHECK(print_text(store).findings == Codes{"prepared-without-queue"});
}

TEST_CASE("page transactions and pages look for each other", "[print]") {
  StoreFiles store = store_of(
      "  add 60 PAGE_TRANSACTION page_tx=77 reference_count=1\n"
      "  add 61 PAGE_TRANSACTION page_tx=78 reference_count=1\n"
      "file paging/f/address.txt\n"
      "  bytes a\n"
      "page paging/f/000000001.page\n"
      "  entry core id=1 queues=19 tx=77");
  CHECK(print_text(store).findings == Codes{"page-transaction-without-pages"});
  CHECK(print_text(store, {.max_pages = 1}).findings.empty());
  store.parts = {"bindings", "journal"};
  CHECK(print_text(store).findings.empty());
}

TEST_CASE("bodies nobody refers to are told, and bodies that are missing", "[print]") {
  const StoreFiles store = store_of(
      "  add 1 ADD_LARGE_MESSAGE core\n"
      "  add 2 ADD_LARGE_MESSAGE core\n"
      "  add 3 ADD_MESSAGE_PROTOCOL " +
      hex_word(hex_bytes(kAmqpLargeHex)) +
      "\n"
      "  add 4 ADD_LARGE_MESSAGE tx=80 core\n"
      "  prepare tx=80 \"\"\n"
      "file large-messages/1.msg size=3\n"
      "file large-messages/3.msg size=3\n"
      "file large-messages/4.msg size=3\n"
      "file large-messages/7.msg size=3\n"
      "file large-messages/8.tmp size=3\n"
      "file large-messages/9.msg size=3\n"
      "file paging/f/address.txt\n"
      "  bytes a\n"
      "page paging/f/000000001.page\n"
      "  entry large id=9 queues=19");
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
  StoreFiles store = store_of(
      "  add 1 ADD_LARGE_MESSAGE core\n"
      "file large-messages/1.msg size=3\n"
      "file large-messages/7.msg size=3");
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
  const std::string body(1000, 'x');
  std::string lines;
  for (int id = 1; id < 3000; ++id) {
    lines += fmt::format("  add {} ADD_MESSAGE_PROTOCOL core body={}\n", id, body);
    if (id % 3 != 0) continue;
    lines += fmt::format(
        "  update {} PAGE_CURSOR_COUNTER_VALUE queue_id=19 value={} persistent_size_bytes=0\n", id,
        id);
  }
  const StoreFiles store = store_of(lines);
  const std::string text = print_text(store).output;
  const std::string json = print_json(store).output;
  CHECK(text.size() > 1000000);
  for (int i = 0; i < 5; ++i) {
    CHECK(print_text(store).output == text);
    CHECK(print_json(store).output == json);
  }
}
