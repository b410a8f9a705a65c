// A small store with a bit of everything in it and nothing wrong, as a description that a test can
// change before it is built.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "saranga/store/verify.h"
#include "tests/message/core_samples.h"
#include "tests/paging/pages.h"

namespace saranga::test {

using journal::RecordKind;

inline constexpr std::int64_t kOrders = 3;  ///< queue "orders" on address "orders"
inline constexpr std::int64_t kNews = 5;   ///< queue "news.a" on address "news", paused, with pages
inline constexpr std::int64_t kText = 20;  ///< message on orders, acknowledged in doubt
inline constexpr std::int64_t kShared = 21;    ///< message on both queues, delivered once to orders
inline constexpr std::int64_t kSent = 23;      ///< message sent in transaction 22
inline constexpr std::int64_t kLarge = 30;     ///< large message, body of 5 bytes
inline constexpr std::int64_t kPrepared = 40;  ///< prepared transaction
inline constexpr std::int64_t kPageTx = 60;    ///< page transaction of two messages
inline constexpr std::int64_t kPagedLarge = 74;
inline constexpr std::int64_t kAmqp = 3000;
inline constexpr std::int64_t kAmqpLarge = 4000;
inline constexpr std::int64_t kCounter = 5000;

inline constexpr std::string_view kAmqpEncodedHex =
    "005370c00402415007 005373d00000000d00000003a1026d3140a1027131 005377a1026869";

// ---- bodies of records
// ---------------------------------------------------------------------------

inline Buffer queue_body(std::string_view name, std::string_view address) {
  BodyBuilder body;
  body.simple_string(name).simple_string(address).u8(0).nullable_simple_string("");
  return body.boolean(false).i32(-1).boolean(false).u8(1).bytes();
}
inline Buffer address_body(std::string_view name) {
  return BodyBuilder().simple_string(name).i32(1).u8(1).boolean(false).bytes();
}
inline Buffer queue_id(std::int64_t queue) { return BodyBuilder().i64(queue).bytes(); }
inline Buffer delivery_count(std::int64_t queue, std::int64_t count) {
  return BodyBuilder().i64(queue).i32(count).bytes();
}
inline Buffer position(std::int64_t queue, std::int64_t page, std::int64_t number) {
  return BodyBuilder().i64(queue).i64(page).i32(number).bytes();
}
inline Buffer page_counter(std::int64_t queue, std::int64_t value) {
  return BodyBuilder().i64(queue).i64(value).i64(0).bytes();
}
inline Buffer page_transaction(std::int64_t tx_id, std::int64_t count) {
  return BodyBuilder().i64(tx_id).i32(count).bytes();
}
inline Buffer xid_body(std::string_view global) {
  return BodyBuilder().i32(1).sized(text_bytes("branch")).sized(text_bytes(global)).bytes();
}
inline Buffer duplicate_id(std::string_view address, std::string_view id) {
  return BodyBuilder().simple_string(address).sized(text_bytes(id)).bytes();
}
inline Buffer text_message(std::int64_t id, std::string_view address, std::string_view text) {
  const Buffer body = BodyBuilder().nullable_simple_string(text).bytes();
  return stored_core({.id = id, .address = address, .type = 3, .body = body});
}
inline Buffer large_size(std::int64_t size) {
  BodyBuilder value;
  value.simple_string("_AMQ_LARGE_SIZE").u8(7).i64(size);
  return properties_block({value.bytes()});
}
inline Buffer paged_text(std::int64_t id, std::int64_t queue, std::int64_t tx_id = -1) {
  return frame(paged(text_message(id, "news", "paged"), {queue}, tx_id));
}
/// A page entry of a large Core message.
inline Buffer paged_large(const CoreSpec& spec, std::int64_t queue) {
  const Buffer block = headers_block(spec);
  BodyBuilder message;
  message.i32(static_cast<std::int64_t>(block.size())).raw(block);
  return frame(paged(message.bytes(), {queue}, -1, 1));
}

// ---- records
// -------------------------------------------------------------------------------------

inline RecordSpec add(std::int64_t id, std::int32_t type, Buffer body) {
  return {.kind = RecordKind::kAdd, .id = id, .user_type = type, .body = std::move(body)};
}
inline RecordSpec update(std::int64_t id, std::int32_t type, Buffer body) {
  return {.kind = RecordKind::kUpdate, .id = id, .user_type = type, .body = std::move(body)};
}
inline RecordSpec in_tx(std::int64_t tx_id, RecordSpec record) {
  record.tx_id = tx_id;
  record.kind = record.kind == RecordKind::kAdd ? RecordKind::kAddTx : RecordKind::kUpdateTx;
  return record;
}
inline RecordSpec commit(std::int64_t tx_id, std::int32_t number) {
  return {.kind = RecordKind::kCommit, .tx_id = tx_id, .number = number};
}
inline RecordSpec prepare(std::int64_t tx_id, std::int32_t number, Buffer xid) {
  return {.kind = RecordKind::kPrepare, .tx_id = tx_id, .body = std::move(xid), .number = number};
}
inline RecordSpec remove(std::int64_t id) { return {.kind = RecordKind::kDelete, .id = id}; }

/// A store before it is built. Files that are named explicitly win over those that are made of
/// records.
struct StoreSpec {
  std::vector<RecordSpec> bindings{};
  std::vector<RecordSpec> journal{};
  std::map<std::string, Buffer> files{};  ///< "paging/f/address.txt"
  std::string bindings_name = "activemq-bindings-1.bindings";
  std::string journal_name = "activemq-data-1.amq";
  std::function<void(JournalBuilder&)> damage_journal{};  ///< of the built file
  std::function<void(store::StoreParts&)> replace_parts{};

  /// The first record of that type on that id.
  RecordSpec& record(std::int64_t id, std::int32_t type) {
    for (auto* records : {&journal, &bindings}) {
      for (RecordSpec& spec : *records) {
        if (spec.id == id && spec.user_type == type) return spec;
      }
    }
    FAIL("no record of type " << type << " on id " << id);
    return journal.front();
  }
  void drop(std::int64_t id, std::int32_t type) {
    const auto matches = [&](const RecordSpec& r) { return r.id == id && r.user_type == type; };
    std::erase_if(journal, matches);
    std::erase_if(bindings, matches);
  }

  [[nodiscard]] store::StoreParts build() const;
};

inline constexpr std::size_t kFileBytes = 8192;

inline JournalBuilder build_journal(const std::vector<RecordSpec>& records) {
  JournalBuilder builder(1);
  for (const RecordSpec& record : records) builder.record(record);
  return builder;
}

inline store::StoreParts StoreSpec::build() const {
  std::map<std::string, std::unique_ptr<MemoryDirectory>> folders;
  for (const char* name : {"bindings", "journal", "paging", "large-messages"}) {
    folders[name] = std::make_unique<MemoryDirectory>(name);
  }
  JournalBuilder bindings_file = build_journal(bindings);
  if (!bindings_name.empty()) {
    folders["bindings"]->put(bindings_name, bindings_file.pad_to(kFileBytes).bytes());
  }
  JournalBuilder journal_file = build_journal(journal);
  if (damage_journal) damage_journal(journal_file);
  folders["journal"]->put(journal_name, journal_file.pad_to(kFileBytes).bytes());
  for (const auto& [path, content] : files) {
    const std::size_t slash = path.find('/');
    folders.at(path.substr(0, slash))->put(path.substr(slash + 1), content);
  }
  store::StoreParts parts{.bindings = std::move(folders["bindings"]),
                          .journal = std::move(folders["journal"]),
                          .paging = std::move(folders["paging"]),
                          .large_messages = std::move(folders["large-messages"])};
  if (replace_parts) replace_parts(parts);
  return parts;
}

inline std::vector<RecordSpec> healthy_bindings() {
  return {add(2, 44, address_body("orders")),
          add(kOrders, 21, queue_body("orders", "orders")),
          add(4, 44, address_body("news")),
          add(kNews, 21, queue_body("news.a", "news")),
          add(6, 24, BodyBuilder().i64(kCounter)),
          add(7, 22, BodyBuilder().i64(kNews).i16(0)),
          add(8, 51, BodyBuilder().string("connector").string("tcp://host"))};
}

inline std::vector<RecordSpec> healthy_messages() {
  const CoreSpec large{.id = kLarge, .address = "orders", .properties = large_size(5)};
  return {add(kText, 45, text_message(kText, "orders", "one")),
          update(kText, 32, queue_id(kOrders)),
          add(kShared, 45, text_message(kShared, "news", "two")),
          update(kShared, 32, queue_id(kOrders)),
          update(kShared, 32, queue_id(kNews)),
          update(kShared, 34, delivery_count(kOrders, 1)),
          in_tx(22, add(kSent, 45, text_message(kSent, "orders", "three"))),
          in_tx(22, update(kSent, 32, queue_id(kOrders))),
          commit(22, 2),
          add(24, 45, text_message(24, "orders", "gone")),
          update(24, 32, queue_id(kOrders)),
          update(24, 33, queue_id(kOrders)),
          remove(24),
          add(kLarge, 30, headers_block(large)),
          update(kLarge, 32, queue_id(kOrders)),
          add(kAmqp, 45, hex_bytes(kAmqpV3Hex)),
          update(kAmqp, 32, queue_id(kOrders)),
          add(kAmqpLarge, 45, hex_bytes(kAmqpLargeHex)),
          update(kAmqpLarge, 32, queue_id(kOrders))};
}

inline std::vector<RecordSpec> healthy_rest() {
  return {in_tx(kPrepared, add(41, 45, text_message(41, "orders", "in doubt"))),
          in_tx(kPrepared, update(41, 32, queue_id(kOrders))),
          in_tx(kPrepared, update(kText, 33, queue_id(kOrders))),
          prepare(kPrepared, 3, xid_body("global")), add(50, 39, position(kNews, 1, 0)),
          add(51, 35, page_transaction(kPageTx, 2)), add(52, 37, duplicate_id("orders", "a")),
          add(53, 37, duplicate_id("orders", "b")), add(54, 40, page_counter(kNews, 5)),
          // The last one, so that a test may lose it.
          add(59, 37, duplicate_id("orders", "c"))};
}

inline StoreSpec healthy_store() {
  StoreSpec store{.bindings = healthy_bindings(), .journal = healthy_messages()};
  for (RecordSpec& record : healthy_rest()) store.journal.push_back(std::move(record));
  Buffer page;
  append(page, paged_text(70, kNews));
  append(page, paged_text(71, kNews));
  append(page, paged_text(72, kNews, kPageTx));
  append(page, paged_text(73, kNews, kPageTx));
  Buffer second;
  append(second,
         paged_large({.id = kPagedLarge, .address = "news", .properties = large_size(4)}, kNews));
  append(second, paged_text(75, kNews));
  store.files = {{"paging/f/address.txt", text_bytes("news\n")},
                 {"paging/f/000000001.page", page},
                 {"paging/f/000000002.page", second},
                 {"paging/f/000000003.page", {}},
                 {"large-messages/30.msg", text_bytes("12345")},
                 {"large-messages/74.msg", text_bytes("1234")},
                 {"large-messages/4000.msg", hex_bytes(kAmqpEncodedHex)}};
  return store;
}

}  // namespace saranga::test
