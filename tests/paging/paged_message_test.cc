// The payload of a page's entry, in the layouts of all releases.
#include <catch2/catch.hpp>

#include "tests/paging/pages.h"

using namespace saranga;
using namespace saranga::test;
using paging::LargeKind;
using paging::PagedMessage;

namespace {

PagedMessage read(Bytes payload) {
  Cursor cursor(payload);
  PagedMessage message = paging::read_paged_message(cursor);
  INFO(cursor.problem());
  REQUIRE(cursor.ok());
  CHECK(cursor.at_end());
  return message;
}

std::string problem_of(Bytes payload) {
  Cursor cursor(payload);
  (void)paging::read_paged_message(cursor);
  REQUIRE_FALSE(cursor.ok());
  return cursor.problem();
}

// Written by release 2.56.0: body 55, id 1000 on q1, queues 12 and 13.
constexpr std::string_view kExampleHex =
    "ffffffffffffffff 00"
    "01 00000000000003e8 01 00000004 71003100"
    "0000002b 0000000e 55 00000000000003e8 01 00000004 71003100 00 00 01"
    "0000000000000000 0000000000000000 00 00"
    "00000002 000000000000000c 000000000000000d";

Buffer large_headers() { return hex_bytes(kLargeMessageHex); }

}  // namespace

TEST_CASE("the worked example of a paged message reads as described", "[paging]") {
  const Buffer payload = hex_bytes(kExampleHex);
  CHECK(payload.size() == 94);
  const PagedMessage message = read(payload);
  CHECK(message.tx_id == -1);
  CHECK(message.large == LargeKind::kNone);
  CHECK_FALSE(message.old_layout);
  CHECK(message.message.id() == 1000);
  CHECK(message.message.core->headers.durable);
  REQUIRE(message.queues.size() == 2);
  CHECK(message.queues[0] == 12);
  CHECK(message.queues[1] == 13);
}

TEST_CASE("both kinds of large Core messages read alike", "[paging]") {
  const Buffer headers = large_headers();
  for (const unsigned kind : {0x01U, 0xFFU}) {
    const Buffer payload = paged(BodyBuilder().sized(headers).bytes(), {12}, 77, kind);
    const PagedMessage message = read(payload);
    CHECK(message.tx_id == 77);
    CHECK(message.large == LargeKind::kCore);
    CHECK(message.message.id() == 2000);
    CHECK(message.queues[0] == 12);
  }
  // Artemis decodes the headers and does not look at their announced length.
  const Buffer wrong = paged(BodyBuilder().i32(3).raw(headers).bytes(), {12}, 77, 1);
  CHECK(read(wrong).message.id() == 2000);
}

TEST_CASE("a large AMQP message has a kind of its own", "[paging]") {
  const Buffer payload = paged(hex_bytes(kAmqpLargeHex), {5, 6}, -1, 2);
  const PagedMessage message = read(payload);
  CHECK(message.large == LargeKind::kAmqp);
  CHECK(message.message.id() == 4000);
  CHECK(message.queues.size() == 2);
}

TEST_CASE("AMQP messages are read to their own end", "[paging]") {
  const Buffer payload = paged(hex_bytes(kAmqpV3Hex), {1, 2, 3});
  CHECK(read(payload).message.id() == 3000);
  CHECK(read(payload).queues[2] == 3);
}

TEST_CASE("pages before 2.0 have a length in front of the message", "[paging]") {
  const Buffer old = old_core({.id = 70, .durable = 0xFF, .body = Buffer(20)});
  const Buffer payload = paged(BodyBuilder().sized(old).bytes(), {12, 13});
  const PagedMessage message = read(payload);
  CHECK(message.old_layout);
  CHECK(message.message.id() == 70);
  CHECK(message.message.core->old_layout);
  CHECK(message.message.core->body.size() == 20);
  CHECK(message.queues.size() == 2);
}

TEST_CASE("a message may be routed to no queue", "[paging]") {
  const Buffer payload = paged(stored_core({}), {});
  CHECK(read(payload).queues.size() == 0);
}

TEST_CASE("what is no paged message is named", "[paging]") {
  const Buffer message = stored_core({});
  for (const unsigned kind : {0x03U, 0x7FU, 0xFEU}) {
    CHECK(problem_of(paged(message, {1}, -1, kind)) == "has an unknown kind of message");
  }
  CHECK(problem_of({}) == "runs past its end");
  CHECK(problem_of(paged(hex_bytes("07"), {1})) == "has an unknown persister id");
  Buffer queues = paged(message, {});
  store_be(queues.data() + queues.size() - 4, std::int32_t{-1});
  CHECK(problem_of(queues) == "has a negative count of queues");
  store_be(queues.data() + queues.size() - 4, INT32_MAX);
  CHECK(problem_of(queues) == "runs past its end");
}

TEST_CASE("a payload cut at any byte does not decode", "[paging]") {
  const Buffer old = old_core({.durable = 0xFF, .body = Buffer(20)});
  for (const Buffer& payload :
       {hex_bytes(kExampleHex), paged(BodyBuilder().sized(large_headers()).bytes(), {12}, 77, 1),
        paged(hex_bytes(kAmqpV3Hex), {5}), paged(BodyBuilder().sized(old).bytes())}) {
    for (std::size_t size = 0; size < payload.size(); ++size) {
      CHECK_FALSE(problem_of(Bytes(payload).first(size)).empty());
    }
  }
}
