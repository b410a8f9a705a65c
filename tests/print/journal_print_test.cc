// The text of a journal: records, counters, survivors, open transactions, counts.
#include "tests/print/printed_store.h"

using namespace saranga;
using namespace saranga::test;

namespace {

Buffer queue(std::int64_t id) { return BodyBuilder().i64(id); }
Buffer counter(std::int64_t queue_id, std::int64_t value, std::int64_t size = 0) {
  return BodyBuilder().i64(queue_id).i64(value).i64(size);
}
Buffer increment(std::int64_t queue_id, std::int32_t delta, std::int64_t size = 0) {
  return BodyBuilder().i64(queue_id).i32(delta).i64(size);
}
Buffer xid() { return hex_bytes("00000001 00000001 b1 00000002 a1a2"); }

std::string text_of(const JournalBuilder& journal) {
  return journal_text(print_text(with_journal(journal)));
}

std::string counts_of(const JournalBuilder& journal) {
  const std::string text = text_of(journal);
  return text.substr(text.find("### Message Counts ###\n"));
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every kind of record has its line", "[print]") {
  JournalBuilder journal(7);
  journal.event(1, 49).add(2, 29, queue(9)).update(2, 32, queue(5)).remove(2);
  journal.add_tx(70, 3, 29, queue(9)).update_tx(70, 3, 32, queue(5)).remove_tx(70, 4);
  journal.prepare(70, 3, xid()).commit(70, 3).rollback(71);
  const std::string text = text_of(journal);
  CHECK(contains(text, "#JournalFileImpl: (activemq-data-1.amq id = 7, recordID = 7) (size="));
  CHECK(contains(
      text,
      "operation@Event;recordID=1;userRecordType=49;isUpdate=false;compactCount=0;** null **\n"
      "operation@AddRecord;recordID=2;userRecordType=29;isUpdate=false;compactCount=0;"
      "PendingLargeMessageEncoding::MessageID=9\n"
      "operation@Update;recordID=2;userRecordType=32;isUpdate=true;compactCount=0;"
      "AddRef;QueueEncoding [queueID=5]\n"
      "operation@DeleteRecord;recordID=2\n"
      "operation@AddRecordTX;txID=70,recordID=3;userRecordType=29;isUpdate=false;compactCount=0;"
      "PendingLargeMessageEncoding::MessageID=9\n"
      "operation@UpdateTX;txID=70,recordID=3;userRecordType=32;isUpdate=true;compactCount=0;"
      "AddRef;QueueEncoding [queueID=5]\n"
      "operation@DeleteRecordTX;txID=70,recordID=4;userRecordType=0;isUpdate=true;compactCount=0;"
      "** null **\n"
      "operation@Prepare,txID=70,numberOfRecords=3,extraData=AAAAAQAAAAGxAAAAAqGi, "
      "xid=XidImpl (0 bq:-79 formatID:1 gtxid:-95.-94 base64:saGiAQAAAA==\n"
      "operation@Commit;txID=70,numberOfRecords=3\n"
      "operation@Rollback;txID=71\n"));
}

TEST_CASE("extra data that is no transaction name has none", "[print]") {
  JournalBuilder journal;
  journal.add_tx(7, 1, 29, queue(9)).prepare(7, 1, hex_bytes("0102"));
  CHECK(contains(text_of(journal), "extraData=AQI=, xid=null\n"));
}

TEST_CASE("counters are shown behind the updates that set them", "[print]") {
  JournalBuilder journal;
  journal.update(1, 40, counter(12, 5, 100))
      .update(1, 40, counter(12, 5))
      .update(1, 40, counter(12, -2))
      .update(1, 41, increment(12, 3, 7));
  const std::string text = text_of(journal);
  CHECK(contains(text, "#Counter queue 12 value=5 persistentSize=100, result=5\n\n"));
  CHECK(contains(text,
                 "####### Counter replace wrongly on queue 12 oldValue=5 newValue=-2\n"
                 "#Counter queue 12 value=-2 persistentSize=0, result=-2 "
                 "#NegativeCounter!!!!\n\n"));
  // Increments are told, and not added.
  CHECK(contains(text,
                 "#Counter queue 12 value=-2 persistentSize=7 increased by 3 "
                 "#NegativeCounter!!!!\n\n"));
  CHECK(text.find("Counter replace") == text.rfind("Counter replace"));
  CHECK(contains(text,
                 "\n#Counters during initial load:\nQueue 12 value=-2\n"
                 "### Surviving Records Summary ###\n"));
}

TEST_CASE("adds of counters count only among the survivors", "[print]") {
  JournalBuilder journal;
  journal.add_tx(9, 2, 40, counter(12, 5)).commit(9, 1).add(3, 41, increment(13, 4));
  journal.add(4, 40, counter(2, 1));
  const std::string text = text_of(journal);
  CHECK_FALSE(contains(text, "#Counter queue"));
  CHECK_FALSE(contains(text, "#Counters during"));
  CHECK(contains(text,
                 "PageCountRecord [queueID=12, value=5, persistentSize=0]\n"
                 "##SubsCounter for queue=12, value=5\n\n"));
  CHECK(contains(text, "##SubsCounter for queue=13, value=0\n\n"));
  CHECK(contains(text, "### Page Counters\nQueue 2 value=1\nQueue 12 value=5\nQueue 13 value=0\n"));
}

TEST_CASE("a body that is too short for a counter sets none", "[print]") {
  JournalBuilder journal;
  journal.update(1, 40, BodyBuilder().i64(12).i32(1)).add(2, 40, BodyBuilder().i64(12));
  const PrintedStore printed = print_text(with_journal(journal));
  CHECK_FALSE(printed.has("#Counter queue"));
  CHECK_FALSE(printed.has("##SubsCounter"));
  CHECK(printed.exit_code == 2);
}

TEST_CASE("what is deleted anywhere does not survive", "[print]") {
  JournalBuilder journal;
  journal.remove(1)
      .add(1, 29, queue(1))
      .add(2, 29, queue(2))
      .add(3, 29, queue(3))
      .update(3, 32, queue(4));
  journal.add_tx(8, 5, 29, queue(5)).remove_tx(8, 2).commit(8, 2);
  const std::string survivors =
      between(text_of(journal), "### Surviving Records Summary ###\n", "\n### Prepared TX ###");
  CHECK(survivors ==
        "recordID=3;userRecordType=29;isUpdate=false;compactCount=0;"
        "PendingLargeMessageEncoding::MessageID=3\n"
        "recordID=3;userRecordType=32;isUpdate=true;compactCount=0;"
        "AddRef;QueueEncoding [queueID=4]\n"
        "recordID=5;userRecordType=29;isUpdate=false;compactCount=0;"
        "PendingLargeMessageEncoding::MessageID=5\n");
}

TEST_CASE("prepared transactions are listed with what they do", "[print]") {
  JournalBuilder journal;
  journal.add_tx(80, 1, 45, stored_core({.id = 1})).update_tx(80, 1, 32, queue(5));
  journal.update_tx(80, 6, 33, queue(5)).remove_tx(80, 7).prepare(80, 4, xid());
  const std::string text = text_of(journal);
  const std::string prepared = between(text, "\n### Prepared TX ###\n", "\n### Message Counts");
  CHECK(prepared.starts_with("80\n- recordID=1;userRecordType=45;"));
  CHECK(contains(prepared,
                 "\n- recordID=1;userRecordType=32;isUpdate=true;compactCount=0;"
                 "AddRef;QueueEncoding [queueID=5]\n"));
  CHECK(contains(prepared,
                 "\n- recordID=6;userRecordType=33;isUpdate=true;compactCount=0;"
                 "ACK;QueueEncoding [queueID=5]\n"));
  CHECK(
      prepared.ends_with("\n- recordID=7;userRecordType=0;isUpdate=true;compactCount=0;"
                         "** null ** <marked to delete>\n"));
  CHECK_FALSE(contains(text, "### Failed Transactions"));
  CHECK(contains(text,
                 "prepared message count=1\nprepared large message count=0\n"
                 "prepared message reference count\nqueue id 5,count=1\n"));
}

TEST_CASE("transactions without an outcome have failed", "[print]") {
  JournalBuilder journal;
  journal.add_tx(90, 1, 29, queue(1)).remove_tx(90, 2);
  journal.add_tx(91, 3, 29, queue(3)).prepare(91, 2, xid());  // counts one record too many
  const PrintedStore printed = print_text(with_journal(journal));
  const std::string failed = between(printed.output,
                                     "\n### Prepared TX ###\n\n### Failed Transactions (Missing "
                                     "commit/prepare/rollback record) ###\n",
                                     "\n### Message Counts");
  CHECK(failed ==
        "Transaction 90 failed with these records:\n"
        "- recordID=1;userRecordType=29;isUpdate=false;compactCount=0;"
        "PendingLargeMessageEncoding::MessageID=1\n"
        "- recordID=2;userRecordType=0;isUpdate=true;compactCount=0;** null ** "
        "<marked to delete>\n"
        "Transaction 91 failed with these records:\n"
        "- recordID=3;userRecordType=29;isUpdate=false;compactCount=0;"
        "PendingLargeMessageEncoding::MessageID=3\n");
  CHECK(std::ranges::count(printed.findings, "transaction-open") == 2);
  CHECK(std::ranges::count(printed.findings, "transaction-incomplete") == 1);
}

TEST_CASE("counts are those of Artemis", "[print]") {
  JournalBuilder journal;
  journal.add(1, 45, stored_core({.id = 1})).add(2, 31, old_core({.id = 2}));
  journal.add(3, 30, headers_block({.id = 3}));
  for (const int id : {1, 2, 3}) journal.update(id, 32, queue(20));
  journal.update(1, 32, queue(3)).update(1, 33, queue(20));
  journal.update(1, 33, queue(99)).update(1, 33, queue(99));  // first seen as acknowledged
  CHECK(counts_of(journal).starts_with(
      "### Message Counts ###\nmessage count=2\nlarge message count=1\n"
      "message reference count\nqueue id 3,count=1\nqueue id 20,count=2\nqueue id 99,count=-1\n"
      "prepared message count=0\nprepared large message count=0\n"
      "prepared message reference count\n"));
  JournalBuilder one;
  one.update(1, 33, queue(99));
  CHECK(contains(counts_of(one), "\nmessage reference count\nqueue id 99,count=0\nprepared"));
}

TEST_CASE("acknowledgements of prepared transactions are not counted", "[print]") {
  JournalBuilder journal;
  journal.update_tx(80, 6, 33, queue(5)).update_tx(80, 6, 32, queue(7)).prepare(80, 2, xid());
  CHECK(contains(counts_of(journal), "prepared message reference count\nqueue id 7,count=1\n"));
}

TEST_CASE("events are shown and never survive", "[print]") {
  JournalBuilder journal;
  journal.event(1, 45, stored_core({.id = 1})).event(1, 32, queue(5));
  const std::string text = text_of(journal);
  CHECK(contains(text, "operation@Event;recordID=1;userRecordType=45;"));
  CHECK(contains(text, "### Surviving Records Summary ###\n\n### Prepared TX ###\n"));
  CHECK(contains(text, "\nmessage count=0\n"));
}

TEST_CASE("what does not decode is named, and printing goes on", "[print]") {
  JournalBuilder journal;
  journal.add(1, 45, hex_bytes("09")).add(2, 32, hex_bytes("00")).add(3, 29, queue(3));
  const PrintedStore printed = print_text(with_journal(journal));
  CHECK(
      printed.has("recordID=1;userRecordType=45;isUpdate=false;compactCount=0;"
                  "** undecodable: has an unknown persister id **\n"));
  CHECK(
      printed.has("recordID=2;userRecordType=32;isUpdate=false;compactCount=0;"
                  "** undecodable: body of type 32 (ADD_REF) runs past its end **\n"));
  CHECK(printed.has("PendingLargeMessageEncoding::MessageID=3\n"));
  CHECK(printed.exit_code == 2);
  // Once for the record, not again among the survivors.
  CHECK(std::ranges::count(printed.findings, "body-undecodable") == 2);
}

TEST_CASE("an unknown type has no text", "[print]") {
  JournalBuilder journal;
  journal.add(1, 99, hex_bytes("0102")).add(2, -1);
  const PrintedStore printed = print_text(with_journal(journal));
  CHECK(printed.has("recordID=1;userRecordType=99;isUpdate=false;compactCount=0;** null **\n"));
  CHECK(printed.has("recordID=2;userRecordType=-1;isUpdate=false;compactCount=0;** null **\n"));
  CHECK(printed.exit_code == 0);
}

TEST_CASE("old messages are decoded like the others", "[print]") {
  JournalBuilder journal;
  journal.add(70, 31, hex_bytes(kOldMessageHex));
  const PrintedStore printed = print_text(with_journal(journal));
  CHECK(printed.has("Message(messageID=70;msg=CoreMessage[messageID=70, durable=true, "));
  CHECK(printed.has("address=jms.queue.orders.types, size=86, "));
}

TEST_CASE("a user id stands in front of the message", "[print]") {
  JournalBuilder journal;
  journal.add(1, 45, stored_core({.id = 1, .user_id = Buffer(16, std::byte{0x11})}));
  CHECK(
      contains(text_of(journal),
               ";Message(messageID=1;userMessageID=11111111-1111-1111-1111-111111111111;msg=Core"));
}

TEST_CASE("safe mode shows sizes in place of messages", "[print]") {
  JournalBuilder journal;
  journal.add(1, 45, stored_core({.id = 1})).add(2, 30, headers_block({.id = 2}));
  journal.add(3, 45, hex_bytes(kAmqpV3Hex)).add(4, 45, hex_bytes(kAmqpLargeHex));
  const PrintedStore printed = print_text(with_journal(journal), {}, {.safe = true});
  CHECK(printed.has(";CoreMessage(safe data, size=42)\n"));
  CHECK(printed.has(";LargeServerMessageImpl(safe data)\n"));
  CHECK(printed.has(";AMQPStandardMessage(safe data, size=37)\n"));
  CHECK(printed.has(";AMQPLargeMessage(safe data, size=0)\n"));
  CHECK_FALSE(printed.has("q1"));
}

TEST_CASE("many records come out in order", "[print]") {
  JournalBuilder journal;
  for (int id = 1; id <= 20000; ++id) journal.add(id, 29, queue(id));
  const std::string text = text_of(journal);
  std::size_t at = 0;
  for (int id = 1; id <= 20000; ++id) {
    const std::string line = "operation@AddRecord;recordID=" + std::to_string(id) + ";";
    REQUIRE(text.compare(text.find("operation@", at), line.size(), line) == 0);
    at = text.find("operation@", at) + 1;
  }
  at = text.find("### Surviving");
  for (int id = 1; id <= 20000; ++id) {
    const std::string line = "\nrecordID=" + std::to_string(id) + ";";
    at = text.find("\nrecordID=", at);
    REQUIRE(text.compare(at, line.size(), line) == 0);
    ++at;
  }
}
