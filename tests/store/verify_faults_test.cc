// The catalogue of planted faults: each turns a healthy store into one with exactly one thing
// wrong, and verify must find that and nothing else.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <set>

#include "tests/store/healthy_store.h"

namespace {

using namespace saranga;
using namespace saranga::test;

constexpr std::int64_t kNow = 1700000000000;

/// What a run tells.
struct Verified final : FindingSink {
  void finding(Finding finding) override { findings.push_back(std::move(finding)); }
  /// Codes of a severity and worse.
  [[nodiscard]] std::set<std::string> codes(Severity least) const {
    std::set<std::string> found;
    for (const Finding& finding : findings) {
      if (finding.severity >= least) found.emplace(finding.code);
    }
    return found;
  }
  [[nodiscard]] bool has(std::string_view code) const {
    return std::ranges::any_of(findings, [&](const Finding& f) { return f.code == code; });
  }
  std::vector<Finding> findings;
  store::VerifyReport report;
};

Verified verify(const StoreSpec& spec, store::VerifyOptions options = {}) {
  options.now_ms = kNow;
  Verified result;
  InlineRunner jobs;
  auto report = store::verify_store(spec.build(), std::move(options), result, jobs);
  REQUIRE(report);
  result.report = *report;
  return result;
}

/// One fault.
struct Fault {
  const char* code;  ///< what verify has to say
  Severity severity;
  std::function<void(StoreSpec&)> plant;
  std::set<std::string> others = {};  ///< that cannot be helped, of warning or above
  const char* target = "";
  std::uint64_t id_cache_size = 20000;
};

using enum Severity;
using Faults = std::vector<Fault>;

Buffer& page(StoreSpec& store, int number) {
  return store.files[fmt::format("paging/f/{:09}.page", number)];
}

/// Damages the check size of one record.
auto break_check(std::int64_t id, std::int32_t type) {
  return [=](JournalBuilder& journal) {
    for (const PlacedSpec& placed : journal.records()) {
      if (placed.spec.id != id || placed.spec.user_type != type) continue;
      journal.flip(placed.end() - 1, 0x01);
    }
  };
}

// ---- header
// --------------------------------------------------------------------------------------

Buffer empty_file(std::int64_t header_id, std::size_t size = kFileBytes) {
  return JournalBuilder(header_id).pad_to(size).bytes();
}

Faults header_faults() {
  return {
      {"bindings-missing", kWarning, [](StoreSpec& s) { s.bindings_name.clear(); }},
      {"journal-missing",
       kWarning,
       [](StoreSpec& s) {
         s.replace_parts = [](store::StoreParts& parts) {
           parts.journal = std::make_unique<MemoryDirectory>("journal");
         };
       },
       {"orphan-large-file"}},
      {"header-damaged", kDamage,
       [](StoreSpec& s) { s.damage_journal = [](JournalBuilder& j) { j.flip(3, 0x40); }; }},
      {"short-file", kWarning,
       [](StoreSpec& s) { s.files["journal/activemq-data-9.amq"] = Buffer(15); }},
      {"file-being-created", kWarning,
       [](StoreSpec& s) { s.files["journal/activemq-data-9.amq.tmp"] = Buffer(100); }},
      {"compaction-leftover", kWarning,
       [](StoreSpec& s) { s.files["journal/activemq-data-9.amq.cmp"] = empty_file(9); }},
      {"control-file-torn", kWarning,
       [](StoreSpec& s) { s.files["journal/journal-rename-control.ctr"] = Buffer(64); }},
      {"interrupted-compaction", kWarning,
       [](StoreSpec& s) {
         s.journal_name += ".cmp";
         s.files["journal/journal-rename-control.ctr"] =
             control_file({"activemq-data-0.amq"}, {s.journal_name});
       }},
      {"compaction-input",
       kInfo,
       [](StoreSpec& s) {
         s.journal_name += ".cmp";
         s.files["journal/activemq-data-0.amq"] = empty_file(7);
         s.files["journal/journal-rename-control.ctr"] =
             control_file({"activemq-data-0.amq"}, {s.journal_name});
       },
       {"interrupted-compaction"}},
      {"compaction-output-missing",
       kDamage,
       [](StoreSpec& s) {
         s.files["journal/journal-rename-control.ctr"] =
             control_file({"activemq-data-0.amq"}, {"activemq-data-5.amq.cmp"});
       },
       {"interrupted-compaction"}},
      {"duplicate-file",
       kWarning,
       [](StoreSpec& s) { s.files["journal/activemq-data-9.amq.bkp"] = empty_file(1); },
       {"retention-pending"}},
      {"retention-pending", kWarning, [](StoreSpec& s) { s.journal_name += ".bkp"; }},
      {"odd-file-size", kWarning,
       [](StoreSpec& s) {
         s.files["journal/activemq-data-2.amq"] = empty_file(2);
         s.files["journal/activemq-data-3.amq"] = empty_file(3, 4096);
       }},
      {"header-id-doubled", kWarning,
       [](StoreSpec& s) { s.files["journal/activemq-data-2.amq"] = empty_file(1); }},
      {"header-tag-doubled", kWarning,
       [](StoreSpec& s) {
         s.files["journal/activemq-data-2.amq"] = empty_file((std::int64_t{1} << 31) + 1);
       }},
      {"large-file-name", kWarning,
       [](StoreSpec& s) { s.files["large-messages/body.msg"] = Buffer(3); }},
      {"page-name", kWarning, [](StoreSpec& s) { s.files["paging/f/x.page"] = Buffer(); }},
      {"page-in-quarantine", kWarning,
       [](StoreSpec& s) { s.files["paging/f/000000009.page.invalidPage"] = Buffer(8); }},
      {"page-store-without-address", kDamage,
       [](StoreSpec& s) { s.files["paging/g/000000001.page"] = page(s, 1); }},
      {"page-store-doubled", kWarning,
       [](StoreSpec& s) { s.files["paging/g/address.txt"] = text_bytes("news\n"); }},
  };
}

// ---- framing
// -------------------------------------------------------------------------------------

/// A folder whose files cannot be opened, or are said to have another size.
class OddDirectory final : public ReadableDirectory {
 public:
  OddDirectory(std::unique_ptr<ReadableDirectory> inner, std::int64_t more_bytes, int opens)
      : inner_(std::move(inner)), more_bytes_(more_bytes), opens_(opens) {}
  [[nodiscard]] const std::string& path() const override { return inner_->path(); }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override {
    auto entries = inner_->list();
    for (DirectoryEntry& entry : *entries) {
      entry.size_bytes += static_cast<std::uint64_t>(more_bytes_);
    }
    return entries;
  }
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override {
    if (opens_-- <= 0) return fail(ErrorCode::kIo, "permission denied");
    return inner_->open(name);
  }
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override {
    auto inner = inner_->open_directory(name);
    if (!inner || more_bytes_ == 0) return inner;
    return std::make_unique<OddDirectory>(std::move(*inner), more_bytes_, opens_);
  }

 private:
  std::unique_ptr<ReadableDirectory> inner_;
  std::int64_t more_bytes_;
  mutable int opens_;
};

void make_paging_odd(StoreSpec& store, std::int64_t more_bytes, int opens) {
  store.replace_parts = [=](store::StoreParts& parts) {
    parts.paging = std::make_unique<OddDirectory>(std::move(parts.paging), more_bytes, opens);
  };
}

Faults framing_faults() {
  return {
      {"record-damaged", kDamage,
       [](StoreSpec& s) { s.damage_journal = break_check(kShared, 34); }},
      {"torn-record", kWarning, [](StoreSpec& s) { s.damage_journal = break_check(59, 37); }},
      {"file-cut",
       kDamage,
       [](StoreSpec& s) {
         s.files["journal/activemq-data-2.amq"] = empty_file(2, 2 * kFileBytes);
         s.files["journal/activemq-data-3.amq"] = empty_file(3, 2 * kFileBytes);
         s.damage_journal = [](JournalBuilder& j) {
           while (j.at() + 40 < kFileBytes) j.add(58, 37, duplicate_id("orders", "d"));
           JournalBuilder next(1);
           next.add(58, 37, Buffer(100));
           const Buffer whole = next.bytes();
           const auto from = whole.begin() + static_cast<std::ptrdiff_t>(journal::kHeaderBytes);
           j.raw(Buffer(from, from + static_cast<std::ptrdiff_t>(kFileBytes - j.at())));
         };
       },
       {"odd-file-size"}},
      {"garbage-behind-records", kWarning,
       [](StoreSpec& s) {
         s.damage_journal = [](JournalBuilder& j) { j.raw(text_bytes("garbage")); };
       }},
      {"record-tag-damaged", kDamage, [](StoreSpec& s) { s.record(kShared, 34).tag = 77; }},
      {"hole-between-records", kWarning,
       [](StoreSpec& s) {
         s.damage_journal = [](JournalBuilder& j) {
           const std::size_t size = 512 - j.at() % 512 + 512;
           j.record({.id = 1, .user_type = 37, .body = Buffer(size - 23), .tag = 77});
           j.add(58, 37, duplicate_id("orders", "d"));
         };
       }},
      {"torn-page-entry", kDamage,
       [](StoreSpec& s) { append(page(s, 2), hex_bytes("7b 00000100 0102030405")); }},
      {"page-entry-damaged", kDamage,
       [](StoreSpec& s) {
         Buffer damaged = text_bytes("nonsense");
         append(damaged, page(s, 2));
         page(s, 2) = damaged;
       }},
      {"account-mismatch", kWarning, [](StoreSpec& s) { make_paging_odd(s, 10, 1000); }},
      {"file-unreadable",
       kDamage,
       [](StoreSpec& s) {
         s.replace_parts = [](store::StoreParts& parts) {
           parts.bindings = std::make_unique<OddDirectory>(std::move(parts.bindings), 0, 1);
         };
       },
       {"id-counter-missing"}},
  };
}

// ---- transactions
// --------------------------------------------------------------------------------

Faults transaction_faults() {
  return {
      {"transaction-incomplete", kDamage,
       [](StoreSpec& s) {
         for (RecordSpec& r : s.journal) {
           if (r.kind == RecordKind::kCommit) r.number = 3;
         }
       }},
      {"transaction-incomplete", kDamage,
       [](StoreSpec& s) {
         for (RecordSpec& r : s.journal) {
           if (r.kind == RecordKind::kPrepare) r.number = 9;
         }
       }},
      {"transaction-open", kWarning,
       [](StoreSpec& s) {
         std::erase_if(s.journal, [](const auto& r) { return r.kind == RecordKind::kCommit; });
       }},
      {"transaction-open", kWarning,
       [](StoreSpec& s) {
         s.bindings.push_back(in_tx(90, add(91, 51, BodyBuilder().string("c2").string("u"))));
       }},
      {"transaction-prepared", kInfo, [](StoreSpec&) {}},
      {"prepared-xid-doubled", kWarning,
       [](StoreSpec& s) {
         s.journal.push_back(in_tx(92, add(93, 37, duplicate_id("orders", "e"))));
         s.journal.push_back(prepare(92, 1, xid_body("global")));
       }},
  };
}

// ---- bodies
// --------------------------------------------------------------------------------------

// "abc", compressed.
const Buffer kPacked = hex_bytes("789c4b4c4a06000 24d0127");

Buffer compressed(std::int64_t size) {
  BodyBuilder flag;
  flag.simple_string("_AMQ_LARGE_COMPRESSED").u8(2).u8(1);
  BodyBuilder length;
  length.simple_string("_AMQ_LARGE_SIZE").u8(7).i64(size);
  return properties_block({flag.bytes(), length.bytes()});
}

Buffer with_compressed_body(std::int64_t size) {
  return stored_core({.id = kSent,
                      .address = "orders",
                      .type = 4,
                      .properties = compressed(size),
                      .body = kPacked});
}

/// A large message whose body a client compressed, `file_bytes` of it being there.
void add_compressed_large(StoreSpec& s, std::int64_t size, std::size_t file_bytes) {
  const CoreSpec message{.id = 86, .address = "orders", .properties = compressed(size)};
  s.journal.push_back(add(86, 30, headers_block(message)));
  s.journal.push_back(update(86, 32, queue_id(kOrders)));
  Buffer body = kPacked;
  body.resize(file_bytes);
  s.files["large-messages/86.msg"] = body;
}

Buffer amqp_with(std::string_view encoded_hex) {
  const Buffer encoded = hex_bytes(encoded_hex);
  BodyBuilder body;
  body.u8(5).i64(kAmqp).i64(0).nullable_simple_string("q1").sized(encoded);
  return body.i32(0).i64(0).bytes();
}

Faults body_faults() {
  return {
      {"body-undecodable", kDamage, [](StoreSpec& s) { s.record(kText, 45).body.resize(30); }},
      {"body-undecodable", kDamage, [](StoreSpec& s) { s.record(kShared, 34).body.resize(11); }},
      {"body-undecodable", kDamage, [](StoreSpec& s) { s.record(8, 51).body.resize(6); }},
      {"body-undecodable", kDamage,
       [](StoreSpec& s) { append(page(s, 2), frame(Buffer(40, std::byte{0xFF}))); }},
      {"trailing-bytes", kInfo,
       [](StoreSpec& s) { s.record(kShared, 34).body.push_back(std::byte{1}); }},
      {"record-type-unknown", kWarning,
       [](StoreSpec& s) { s.journal.push_back(add(95, 99, Buffer(4))); }},
      {"record-type-unknown", kWarning,
       [](StoreSpec& s) { s.bindings.push_back(add(95, 23, Buffer(4))); }},
      {"value-implausible", kWarning,
       [](StoreSpec& s) { s.record(kShared, 34).body = delivery_count(kOrders, -5); }},
      {"message-id-differs", kWarning,
       [](StoreSpec& s) { s.record(kText, 45).body = text_message(999, "orders", "one"); }},
      {"body-not-as-typed", kWarning,
       [](StoreSpec& s) {
         s.record(kText, 45).body = stored_core(
             {.id = kText, .address = "orders", .type = 3, .body = hex_bytes("01 000000ff 6100")});
       }},
      {"body-not-as-typed", kWarning,
       [](StoreSpec& s) {
         s.record(kText, 45).body =
             stored_core({.id = kText, .address = "orders", .type = 6, .body = hex_bytes("0a 01")});
       }},
      {"compressed-body-damaged", kDamage,
       [](StoreSpec& s) { s.record(kSent, 45).body = with_compressed_body(4); }},
      {"amqp-damaged", kDamage,
       [](StoreSpec& s) {
         s.record(kAmqp, 45).body = amqp_with("005370c00402415007 005377a10968");
       }},
      {"amqp-damaged", kDamage,
       [](StoreSpec& s) {
         s.record(kAmqp, 45).body =
             amqp_with("005370c00402415007 005377d00000000700000001b0000000ff");
       }},
      {"prepared-xid-damaged", kDamage,
       [](StoreSpec& s) {
         for (RecordSpec& r : s.journal) {
           if (r.kind == RecordKind::kPrepare) r.body.resize(6);
         }
       }},
      {"message-generations-mixed", kWarning,
       [](StoreSpec& s) {
         s.journal.push_back(add(70, 31, old_core({.id = 70, .address = "orders"})));
         s.journal.push_back(update(70, 32, queue_id(kOrders)));
       }},
      {"target-ignores",
       kWarning,
       [](StoreSpec& s) {
         BodyBuilder body;
         body.i64(96).u8(1).string("client").i64(1).simple_string("orders").i32(5);
         s.journal.push_back(add(96, 54, body));
       },
       {},
       "2.29.0"},
      {"target-cannot-read", kWarning, [](StoreSpec& s) { s.drop(8, 51); }, {}, "2.11.0"},
  };
}

// ---- across
// --------------------------------------------------------------------------------------

Faults reference_faults() {
  return {
      {"references-without-queue", kWarning,
       [](StoreSpec& s) { s.journal.push_back(update(kText, 32, queue_id(99))); }},
      {"reference-without-message", kWarning,
       [](StoreSpec& s) { s.journal.push_back(update(900, 32, queue_id(kOrders))); }},
      {"acknowledgement-without-reference", kInfo,
       [](StoreSpec& s) { s.journal.push_back(update(kSent, 33, queue_id(kNews))); }},
      {"update-without-reference", kInfo,
       [](StoreSpec& s) { s.journal.push_back(update(kSent, 34, delivery_count(kNews, 2))); }},
      {"message-without-reference", kInfo,
       [](StoreSpec& s) { s.journal.push_back(add(80, 45, text_message(80, "orders", "x"))); }},
      {"message-added-twice", kWarning,
       [](StoreSpec& s) { s.journal.push_back(s.record(kShared, 45)); }},
      {"prepared-without-queue", kWarning,
       [](StoreSpec& s) {
         RecordSpec& reference = s.record(41, 32);
         reference.body = queue_id(99);
       }},
      {"prepared-without-queue", kWarning,
       [](StoreSpec& s) { s.record(kText, 33).body = queue_id(99); }},
      {"duplicate-ids-over-size", kInfo, [](StoreSpec&) {}, {}, "", 2},
  };
}

Faults paging_faults() {
  return {
      {"page-transaction-without-pages", kWarning,
       [](StoreSpec& s) { s.journal.push_back(add(81, 35, page_transaction(999, 4))); }},
      {"page-transaction-count", kWarning,
       [](StoreSpec& s) { s.record(51, 35).body = page_transaction(kPageTx, 1); }},
      {"page-transaction-count", kWarning,
       [](StoreSpec& s) { s.record(51, 35).body = page_transaction(kPageTx, 3); }},
      {"paged-messages-uncommitted", kInfo, [](StoreSpec& s) { s.drop(51, 35); }},
      {"cursor-without-queue", kInfo,
       [](StoreSpec& s) { s.journal.push_back(add(82, 39, position(99, 1, 0))); }},
      {"cursor-without-page", kWarning,
       [](StoreSpec& s) { s.journal.push_back(add(82, 39, position(kNews, 7, 0))); }},
      {"cursor-ack-beyond-page", kWarning,
       [](StoreSpec& s) { s.journal.push_back(add(82, 39, position(kNews, 1, 4))); }},
      {"cursor-ack-beyond-page", kWarning,
       [](StoreSpec& s) {
         s.journal.push_back(in_tx(92, add(93, 39, position(kNews, 1, 4))));
         s.journal.push_back(prepare(92, 1, xid_body("other")));
       }},
      {"page-complete-without-page", kInfo,
       [](StoreSpec& s) { s.journal.push_back(add(82, 42, position(kNews, 9, 3))); }},
      {"page-complete-without-page", kInfo,
       [](StoreSpec& s) { s.journal.push_back(add(82, 42, position(kNews, 3, 3))); }},
      {"bookmark-without-page", kInfo,
       [](StoreSpec& s) { s.journal.push_back(add(82, 39, position(kNews, 9, -1))); }},
      {"page-counter-differs", kInfo,
       [](StoreSpec& s) { s.record(54, 40).body = page_counter(kNews, 6); }},
      {"page-counter-differs",
       kWarning,
       [](StoreSpec& s) {
         s.record(54, 40).body = page_counter(kNews, 6);
         s.drop(8, 51);
       },
       {},
       "2.19.0"},
      {"target-needs-counter",
       kWarning,
       [](StoreSpec& s) {
         s.drop(54, 40);
         s.drop(50, 39);
         s.drop(8, 51);
       },
       {},
       "2.19.0"},
      {"pages-without-address", kWarning,
       [](StoreSpec& s) {
         s.files["paging/g/address.txt"] = text_bytes("ghost\n");
         s.files["paging/g/000000001.page"] = paged_text(83, 99);
       }},
      {"page-without-queues", kInfo, [](StoreSpec& s) { page(s, 3) = paged_text(84, 99); }},
      {"paged-without-queue", kWarning,
       [](StoreSpec& s) {
         s.bindings.push_back(add(9, 44, address_body("lost")));
         s.files["paging/g/address.txt"] = text_bytes("lost\n");
         s.files["paging/g/000000001.page"] = paged_text(83, 99);
       }},
      // Others are on the address: what a deleted queue leaves behind.
      {"paged-without-queue", kInfo, [](StoreSpec& s) { append(page(s, 3), paged_text(84, 99)); }},
      {"paged-body-gone", kInfo,
       [](StoreSpec& s) {
         append(page(s, 2), paged_large({.id = 85, .address = "news", .durable = 0}, kNews));
       }},
  };
}

Faults large_faults() {
  return {
      {"large-body-missing", kDamage, [](StoreSpec& s) { s.files.erase("large-messages/30.msg"); }},
      {"large-body-missing", kDamage, [](StoreSpec& s) { s.files.erase("large-messages/74.msg"); }},
      {"large-body-missing", kDamage,
       [](StoreSpec& s) { s.files.erase("large-messages/4000.msg"); }},
      {"large-body-length", kDamage,
       [](StoreSpec& s) { s.files["large-messages/30.msg"] = text_bytes("1234"); }},
      {"large-body-length", kWarning,
       [](StoreSpec& s) { s.files["large-messages/74.msg"] = text_bytes("123456"); }},
      {"large-body-length", kDamage, [](StoreSpec& s) { add_compressed_large(s, 3, 0); }},
      {"large-body-damaged", kDamage, [](StoreSpec& s) { add_compressed_large(s, 3, 8); }},
      {"large-body-damaged", kDamage, [](StoreSpec& s) { add_compressed_large(s, 4, 11); }},
      {"large-body-damaged", kDamage, [](StoreSpec& s) { add_compressed_large(s, 2, 11); }},
      {"large-body-elsewhere", kInfo,
       [](StoreSpec& s) {
         BodyBuilder original;
         original.simple_string("_AMQ_ORIG_MESSAGE_ID").u8(7).i64(kLarge);
         const CoreSpec message{
             .id = 86, .address = "orders", .properties = properties_block({original.bytes()})};
         s.journal.push_back(add(86, 30, headers_block(message)));
         s.journal.push_back(update(86, 32, queue_id(kOrders)));
       }},
      {"amqp-large-layout", kDamage,
       [](StoreSpec& s) { s.files["large-messages/4000.msg"].resize(20); }},
      {"amqp-large-layout", kDamage,
       [](StoreSpec& s) {
         Buffer& file = s.files["large-messages/4000.msg"];
         file.insert(file.begin(), file.begin(), file.begin() + 9);
       }},
      {"orphan-large-file", kWarning,
       [](StoreSpec& s) { s.files["large-messages/98.msg"] = Buffer(10); }},
      {"orphan-large-file", kInfo,
       [](StoreSpec& s) { s.files["large-messages/98.tmp"] = Buffer(10); }},
  };
}

Faults configuration_faults() {
  return {
      {"queue-without-address", kWarning,
       [](StoreSpec& s) { s.bindings.push_back(add(87, 21, queue_body("lost", "lost"))); }},
      {"queue-name-doubled", kWarning,
       [](StoreSpec& s) { s.bindings.push_back(add(87, 21, queue_body("orders", "orders"))); }},
      {"status-without-target", kInfo,
       [](StoreSpec& s) { s.bindings.push_back(add(87, 22, BodyBuilder().i64(99).i16(0))); }},
      {"pause-lost", kWarning,
       [](StoreSpec& s) { s.bindings.push_back(update(kNews, 21, queue_body("news.a", "news"))); }},
      {"configuration-replaced", kInfo,
       [](StoreSpec& s) {
         s.bindings.push_back(add(87, 51, BodyBuilder().string("connector").string("tcp://other")));
       }},
      {"id-counter-missing", kWarning, [](StoreSpec& s) { s.drop(6, 24); }},
      {"id-counter-low", kWarning,
       [](StoreSpec& s) {
         s.bindings.push_back(add(9000, 51, BodyBuilder().string("c2").string("u")));
       }},
      {"id-counter-low", kWarning,
       [](StoreSpec& s) { append(page(s, 2), paged_text(9000, kNews)); }},
      {"id-above-counter", kInfo, [](StoreSpec& s) { s.journal.push_back(remove(9000)); }},
  };
}

Faults all_faults() {
  Faults all;
  for (const Faults& group :
       {header_faults(), framing_faults(), transaction_faults(), body_faults(), reference_faults(),
        paging_faults(), large_faults(), configuration_faults()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

store::VerifyOptions options_of(const Fault& fault) {
  store::VerifyOptions options{.id_cache_size = fault.id_cache_size};
  if (*fault.target != 0) options.target = *store::parse_release(fault.target);
  return options;
}

void check_account(const Verified& verified) {
  for (const store::PartAccount& part : verified.report.parts) {
    INFO(part.part);
    if (!verified.has("account-mismatch")) CHECK(part.sum_bytes() == part.total_bytes);
    if (part.live_bytes) CHECK(*part.live_bytes <= part.record_bytes);
  }
}

}  // namespace

TEST_CASE("a healthy store has nothing but its transaction in doubt to tell") {
  const Verified verified = verify(healthy_store());
  CHECK(verified.codes(kInfo) == std::set<std::string>{"transaction-prepared"});
  check_account(verified);
  CHECK(verified.report.message_count == 7);
  CHECK(verified.report.paged_message_count == 6);
}

TEST_CASE("every planted fault is found, and nothing else") {
  const Faults faults = all_faults();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    INFO("fault " << i << ": " << fault.code);
    StoreSpec spec = healthy_store();
    fault.plant(spec);
    const Verified verified = verify(spec, options_of(fault));
    bool found = false;
    for (const Finding& finding : verified.findings) {
      if (finding.code != fault.code) continue;
      found = true;
      CHECK(finding.severity == fault.severity);
    }
    CHECK(found);
    std::set<std::string> expected = fault.others;
    if (fault.severity > kInfo) expected.insert(fault.code);
    CHECK(verified.codes(kWarning) == expected);
    check_account(verified);
  }
  CHECK(faults.size() >= 40);
  fmt::print("planted faults: {}\n", faults.size());
}

TEST_CASE("a fault is found from its level on") {
  for (const Fault& fault : all_faults()) {
    INFO(fault.code);
    const store::FindingCode* known = store::find_finding_code(fault.code);
    REQUIRE(known != nullptr);
    StoreSpec spec = healthy_store();
    fault.plant(spec);
    for (int level = 0; level <= static_cast<int>(store::CheckLevel::kCross); ++level) {
      store::VerifyOptions options = options_of(fault);
      options.level = static_cast<store::CheckLevel>(level);
      INFO("level " << store::level_name(options.level));
      const Verified verified = verify(spec, std::move(options));
      // A file that cannot be opened is only noticed when it has to be.
      if (fault.code != std::string_view("file-unreadable")) {
        CHECK(verified.has(fault.code) == (known->level <= static_cast<store::CheckLevel>(level)));
      }
      check_account(verified);
    }
  }
}

TEST_CASE("every code is planted, or told of elsewhere") {
  // Made by readers of other things, whose own tests plant them.
  std::set<std::string_view> planted = {"export-binding-skipped", "export-cut",
                                        "export-message-skipped", "export-name-unknown",
                                        "export-part-skipped",    "file-renumbered",
                                        "page-store-unreadable",  "record-changed-while-reading",
                                        "record-written-short",   "text-filtered",
                                        "too-many-queue-ids"};
  for (const Fault& fault : all_faults()) planted.insert(fault.code);
  for (const store::FindingCode& code : store::finding_codes()) {
    INFO(code.code);
    CHECK(planted.contains(code.code));
  }
}

TEST_CASE("findings name a command that helps, ready for a shell") {
  StoreSpec spec = healthy_store();
  spec.journal.push_back(update(900, 32, queue_id(kOrders)));
  spec.journal.push_back(update(kText, 32, queue_id(99)));
  spec.record(kShared, 34).body.push_back(std::byte{1});
  const Verified verified = verify(spec, {.store = "'my store'"});
  std::set<std::string> commands;
  for (const Finding& finding : verified.findings) commands.insert(finding.next);
  CHECK(commands.contains("saranga data show 'my store' 900"));
  CHECK(commands.contains("saranga data messages 'my store' --queue 99"));
  CHECK(commands.contains("saranga data show 'my store' 40"));
  CHECK(std::ranges::any_of(commands, [](const std::string& command) {
    return command.starts_with("saranga data show 'my store' journal/activemq-data-1.amq:0x");
  }));
  CHECK(store::shell_quoted("a'b c") == "'a'\\''b c'");
  CHECK(store::shell_quoted("journal/x-1.amq:0x10") == "journal/x-1.amq:0x10");
}
