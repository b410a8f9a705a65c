// The catalogue of planted faults: each is a change of the recipe of a healthy store that leaves
// exactly one thing wrong, and verify must find that and nothing else.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <functional>
#include <set>

#include "saranga/store/verify.h"
#include "tests/message/core_samples.h"
#include "tests/support/odd_store.h"

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

/// What the disk does to a store that is fine.
using Hinder = std::function<void(store::StoreParts&)>;

/// Verifies fixtures/recipes/bit-of-everything.store with these edits.
Verified verify(std::string_view edits, store::VerifyOptions options = {},
                const Hinder& hinder = {}) {
  static const std::string kHealthy = example_recipe("bit-of-everything");
  options.now_ms = kNow;
  Verified result;
  InlineRunner jobs;
  store::StoreParts parts = build_store(edited_recipe(kHealthy, edits));
  if (hinder) hinder(parts);
  auto report = store::verify_store(std::move(parts), std::move(options), result, jobs);
  REQUIRE(report);
  result.report = *report;
  return result;
}

/// One fault.
struct Fault {
  const char* code;  ///< what verify has to say
  Severity severity;
  /// See edited_recipe(). Lines behind the recipe go on with an empty second journal file.
  std::string edits = {};
  std::set<std::string> others = {};  ///< that cannot be helped, of warning or above
  const char* target = "";
  std::uint64_t id_cache_size = 20000;
  Hinder hinder = {};
};

using enum Severity;
using Faults = std::vector<Fault>;

// Lines that follow belong to a second file of the bindings.
constexpr std::string_view kMoreBindings = "journal bindings/activemq-bindings-2.bindings id=2\n";

// ---- header
// --------------------------------------------------------------------------------------

Faults file_name_faults() {
  return {
      {"bindings-missing", kWarning, "without bindings"},
      {"journal-missing", kWarning, "without journal", {"orphan-large-file"}},
      {"large-file-name", kWarning, "file large-messages/body.msg size=3"},
      {"page-name", kWarning, "file paging/f/x.page"},
      {"page-in-quarantine", kWarning, "file paging/f/000000009.page.invalidPage size=8"},
      {"page-store-without-address", kDamage,
       "page paging/g/000000001.page\n"
       "  entry core id=70 address=news text=paged queues=5"},
      {"page-store-doubled", kWarning, "file paging/g/address.txt\n  bytes \"news\\n\""},
  };
}

Faults header_faults() {
  return {
      {"header-damaged", kDamage, "change journal/activemq-data-1.amq\n  flip 3 hex:40"},
      {"short-file", kWarning, "file journal/activemq-data-9.amq size=15"},
      {"file-being-created", kWarning, "file journal/activemq-data-9.amq.tmp size=100"},
      {"compaction-leftover", kWarning, "journal journal/activemq-data-9.amq.cmp id=9"},
      {"control-file-torn", kWarning, "file journal/journal-rename-control.ctr size=64"},
      {"interrupted-compaction", kWarning,
       "- journal journal/activemq-data-1.amq\n"
       "+ journal journal/activemq-data-1.amq.cmp id=1\n"
       "journal journal/journal-rename-control.ctr id=0 size=0\n"
       "  control consumed=activemq-data-0.amq produced=activemq-data-1.amq.cmp"},
      {"compaction-input",
       kInfo,
       "- journal journal/activemq-data-1.amq\n"
       "+ journal journal/activemq-data-1.amq.cmp id=1\n"
       "journal journal/activemq-data-0.amq id=7\n"
       "journal journal/journal-rename-control.ctr id=0 size=0\n"
       "  control consumed=activemq-data-0.amq produced=activemq-data-1.amq.cmp",
       {"interrupted-compaction"}},
      {"compaction-output-missing",
       kDamage,
       "journal journal/journal-rename-control.ctr id=0 size=0\n"
       "  control consumed=activemq-data-0.amq produced=activemq-data-5.amq.cmp",
       {"interrupted-compaction"}},
      {"duplicate-file",
       kWarning,
       "journal journal/activemq-data-9.amq.bkp id=1",
       {"retention-pending"}},
      {"retention-pending", kWarning,
       "- journal journal/activemq-data-1.amq\n"
       "+ journal journal/activemq-data-1.amq.bkp id=1"},
      {"odd-file-size", kWarning, "journal journal/activemq-data-3.amq id=3 size=4096"},
      {"header-id-doubled", kWarning, "journal journal/activemq-data-3.amq id=1"},
      {"header-tag-doubled", kWarning, "journal journal/activemq-data-3.amq id=0x80000001"},
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

Faults framing_faults() {
  return {
      {"record-damaged", kDamage,
       "- update 21 UPDATE_DELIVERY_COUNT\n"
       "+ update 21 UPDATE_DELIVERY_COUNT check=34 queue_id=3 delivery_count=1"},
      {"torn-record", kWarning,
       "- add 59\n"
       "+ add 59 DUPLICATE_ID check=34 address=orders duplicate_id_b64=c"},
      {"file-cut",
       kDamage,
       "journal journal/activemq-data-3.amq id=3\n"
       "  add 57 DUPLICATE_ID address=orders duplicate_id_b64=d\n"
       "  add 58 DUPLICATE_ID address=orders duplicate_id_b64=eeeeeeeeeeeeeeeeeeeeeeeeeeeee\n"
       "  cut 100",
       {"odd-file-size"}},
      {"garbage-behind-records", kWarning,
       "  add 58 DUPLICATE_ID address=orders duplicate_id_b64=d\n"
       "  bytes garbage"},
      {"record-tag-damaged", kDamage,
       "- update 21 UPDATE_DELIVERY_COUNT\n"
       "+ update 21 UPDATE_DELIVERY_COUNT tag=77 queue_id=3 delivery_count=1"},
      {"hole-between-records", kWarning,
       "  add 57 DUPLICATE_ID address=orders duplicate_id_b64=d\n"
       "  at 512\n"
       "  add 1 DUPLICATE_ID tag=77 address=orders duplicate_id_b64=old\n"
       "  at 1024\n"
       "  add 58 DUPLICATE_ID address=orders duplicate_id_b64=e"},
      {"torn-page-entry", kDamage,
       "change paging/f/000000002.page\n"
       "  bytes hex:7b000001000102030405"},
      {"page-entry-damaged", kDamage,
       "- page paging/f/000000002.page\n"
       "+ page paging/f/000000002.page\n"
       "+   bytes nonsense"},
      {.code = "account-mismatch",
       .severity = kWarning,
       .hinder =
           [](store::StoreParts& parts) {
             parts.paging = std::make_unique<OddDirectory>(std::move(parts.paging), 10, 1000);
           }},
      {.code = "file-unreadable",
       .severity = kDamage,
       .others = {"id-counter-missing"},
       .hinder =
           [](store::StoreParts& parts) {
             parts.bindings = std::make_unique<OddDirectory>(std::move(parts.bindings), 0, 1);
           }},
  };
}

// ---- transactions
// --------------------------------------------------------------------------------

Faults transaction_faults() {
  return {
      {"transaction-incomplete", kDamage, "- commit tx=22\n+ commit tx=22 records=3"},
      {"transaction-incomplete", kDamage,
       "- prepare tx=40\n"
       "+ prepare tx=40 records=9 format=1 branch=branch global=global"},
      {"transaction-open", kWarning, "- commit tx=22"},
      {"transaction-open", kWarning,
       fmt::format("{}  add 91 CONNECTOR_RECORD tx=90 name=c2 url=u", kMoreBindings)},
      {"transaction-prepared", kInfo, ""},
      {"prepared-xid-doubled", kWarning,
       "  add 93 DUPLICATE_ID tx=92 address=orders duplicate_id_b64=e\n"
       "  prepare tx=92 format=1 branch=branch global=global"},
  };
}

// ---- bodies
// --------------------------------------------------------------------------------------

// "abc", compressed.
constexpr std::string_view kPacked = "hex:789c4b4c4a0600024d0127";

/// A large message whose body a client compressed, `file_bytes` of it being there.
std::string compressed_large(std::int64_t size, std::size_t file_bytes) {
  return fmt::format(
      "  add 86 ADD_LARGE_MESSAGE core address=orders prop._AMQ_LARGE_COMPRESSED=boolean:1 "
      "prop._AMQ_LARGE_SIZE=long:{}\n"
      "  update 86 ADD_REF queue_id=3\n"
      "file large-messages/86.msg\n"
      "  bytes {}\n"
      "  cut {}",
      size, kPacked, file_bytes);
}

/// The AMQP message of the store with other sections.
std::string amqp_with(std::string_view encoded_hex) {
  const Buffer encoded = hex_bytes(encoded_hex);
  BodyBuilder body;
  body.u8(5).i64(3000).i64(0).nullable_simple_string("q1").sized(encoded);
  return "- add 3000\n+ add 3000 ADD_MESSAGE_PROTOCOL " + hex_word(body.i32(0).i64(0).bytes());
}

Faults decode_faults() {
  return {
      // A message that ends within its headers, a count and a connector that end within a number.
      {"body-undecodable", kDamage,
       "- add 20\n"
       "+ add 20 ADD_MESSAGE_PROTOCOL hex:010000000000000014010000000c6f0072006400650072"},
      {"body-undecodable", kDamage,
       "- update 21 UPDATE_DELIVERY_COUNT\n"
       "+ update 21 UPDATE_DELIVERY_COUNT hex:0000000000000003000000"},
      {"body-undecodable", kDamage, "- add 8\n+ add 8 CONNECTOR_RECORD hex:000000090063"},
      {"body-undecodable", kDamage,
       "- page paging/f/000000003.page\n"
       "+ page paging/f/000000003.page\n"
       "+   entry " +
           hex_word(Buffer(40, std::byte{0xFF}))},
      {"trailing-bytes", kInfo,
       "- update 21 UPDATE_DELIVERY_COUNT\n"
       "+ update 21 UPDATE_DELIVERY_COUNT hex:00000000000000030000000101"},
      {"record-type-unknown", kWarning, "  add 95 99 hex:00000000"},
      {"record-type-unknown", kWarning, fmt::format("{}  add 95 23 hex:00000000", kMoreBindings)},
      {"value-implausible", kWarning,
       "- update 21 UPDATE_DELIVERY_COUNT\n"
       "+ update 21 UPDATE_DELIVERY_COUNT queue_id=3 delivery_count=-5"},
      {"message-id-differs", kWarning,
       "- add 20\n"
       "+ add 20 ADD_MESSAGE_PROTOCOL core id=999 address=orders text=one"},
      {"prepared-xid-damaged", kDamage, "- prepare tx=40\n+ prepare tx=40 hex:000000010000"},
      {"message-generations-mixed", kWarning,
       fmt::format("  add 70 ADD_MESSAGE {}\n"
                   "  update 70 ADD_REF queue_id=3",
                   hex_word(old_core({.id = 70, .address = "orders"})))},
  };
}

// The binding of "orders" with null for metadata.
constexpr const char* kNoMetadata =
    "- add 3\n"
    "+ add 3 QUEUE_BINDING_RECORD name=orders address=orders metadata=null auto_created=false";

Faults body_faults() {
  return {
      {"body-not-as-typed", kWarning,
       "- add 20\n"
       "+ add 20 ADD_MESSAGE_PROTOCOL core address=orders type=text body=hex:01000000ff6100"},
      {"body-not-as-typed", kWarning,
       "- add 20\n"
       "+ add 20 ADD_MESSAGE_PROTOCOL core address=orders type=stream body=hex:0a01"},
      {"compressed-body-damaged", kDamage,
       fmt::format("- add 23\n"
                   "+ add 23 ADD_MESSAGE_PROTOCOL tx=22 core address=orders type=bytes body={} "
                   "prop._AMQ_LARGE_COMPRESSED=boolean:1 prop._AMQ_LARGE_SIZE=long:4",
                   kPacked)},
      {"amqp-damaged", kDamage, amqp_with("005370c00402415007 005377a10968")},
      {"amqp-damaged", kDamage, amqp_with("005370c00402415007 005377d00000000700000001b0000000ff")},
      {"queue-metadata-null", kWarning, kNoMetadata},
      // A later binding of the queue does not help: both are read.
      {"queue-metadata-null", kWarning,
       fmt::format("{}\n{}  update 3 QUEUE_BINDING_RECORD name=orders address=orders "
                   "metadata=\"\" auto_created=false",
                   kNoMetadata, kMoreBindings)},
      {"target-ignores",
       kWarning,
       "  add 96 MQTT_PACKET_ID_CORRELATION " + hex_word(BodyBuilder()
                                                             .i64(96)
                                                             .u8(1)
                                                             .string("client")
                                                             .i64(1)
                                                             .simple_string("orders")
                                                             .i32(5)
                                                             .bytes()),
       {},
       "2.29.0"},
      {"target-cannot-read", kWarning, "- add 8", {}, "2.11.0"},
  };
}

// ---- across
// --------------------------------------------------------------------------------------

Faults reference_faults() {
  return {
      {"references-without-queue", kWarning, "  update 20 ADD_REF queue_id=99"},
      {"reference-without-message", kWarning, "  update 900 ADD_REF queue_id=3"},
      {"acknowledgement-without-reference", kInfo, "  update 23 ACKNOWLEDGE_REF queue_id=5"},
      {"update-without-reference", kInfo,
       "  update 23 UPDATE_DELIVERY_COUNT queue_id=5 delivery_count=2"},
      {"message-without-reference", kInfo,
       "  add 80 ADD_MESSAGE_PROTOCOL core address=orders text=x"},
      {"message-added-twice", kWarning, "  add 21 ADD_MESSAGE_PROTOCOL core address=news text=two"},
      {"prepared-without-queue", kWarning,
       "- update 41 ADD_REF\n+ update 41 ADD_REF tx=40 queue_id=99"},
      {"prepared-without-queue", kWarning,
       "- update 20 ACKNOWLEDGE_REF\n+ update 20 ACKNOWLEDGE_REF tx=40 queue_id=99"},
      {"duplicate-ids-over-size", kInfo, "", {}, "", 2},
  };
}

Faults page_record_faults() {
  return {
      {"page-transaction-without-pages", kWarning,
       "  add 81 PAGE_TRANSACTION page_tx=999 reference_count=4"},
      {"page-transaction-count", kWarning,
       "- add 51\n+ add 51 PAGE_TRANSACTION page_tx=60 reference_count=1"},
      {"page-transaction-count", kWarning,
       "- add 51\n+ add 51 PAGE_TRANSACTION page_tx=60 reference_count=3"},
      {"paged-messages-uncommitted", kInfo, "- add 51"},
      {"cursor-without-queue", kInfo,
       "  add 82 ACKNOWLEDGE_CURSOR queue_id=99 page_number=1 message_number=0"},
      {"cursor-without-page", kWarning,
       "  add 82 ACKNOWLEDGE_CURSOR queue_id=5 page_number=7 message_number=0"},
      {"cursor-ack-beyond-page", kWarning,
       "  add 82 ACKNOWLEDGE_CURSOR queue_id=5 page_number=1 message_number=4"},
      {"cursor-ack-beyond-page", kWarning,
       "  add 93 ACKNOWLEDGE_CURSOR tx=92 queue_id=5 page_number=1 message_number=4\n"
       "  prepare tx=92 format=1 branch=branch global=other"},
      {"page-complete-without-page", kInfo,
       "  add 82 PAGE_CURSOR_COMPLETE queue_id=5 page_number=9 message_count=3"},
      {"page-complete-without-page", kInfo,
       "  add 82 PAGE_CURSOR_COMPLETE queue_id=5 page_number=3 message_count=3"},
      {"bookmark-without-page", kInfo,
       "  add 82 ACKNOWLEDGE_CURSOR queue_id=5 page_number=9 message_number=-1"},
  };
}

Faults page_faults() {
  const std::string other_counter =
      "- add 54\n+ add 54 PAGE_CURSOR_COUNTER_VALUE queue_id=5 value=6 persistent_size_bytes=0";
  return {
      {"page-counter-differs", kInfo, other_counter},
      {"page-counter-differs", kWarning, other_counter + "\n- add 8", {}, "2.19.0"},
      {"target-needs-counter", kWarning, "- add 54\n- add 50\n- add 8", {}, "2.19.0"},
      {"pages-without-address", kWarning,
       "file paging/g/address.txt\n"
       "  bytes \"ghost\\n\"\n"
       "page paging/g/000000001.page\n"
       "  entry core id=83 address=news text=paged queues=99"},
      {"page-without-queues", kInfo,
       "- page paging/f/000000003.page\n"
       "+ page paging/f/000000003.page\n"
       "+   entry core id=84 address=news text=paged queues=99"},
      {"paged-without-queue", kWarning,
       "- add 5 QUEUE_BINDING\n"
       "+ add 5 QUEUE_BINDING_RECORD name=news.a address=news metadata=\"\" auto_created=false "
       "max_consumers=-1 purge_on_no_consumers=false routing_type=MULTICAST\n"
       "+ add 9 ADDRESS_BINDING_RECORD name=lost routing_types=MULTICAST auto_created=false\n"
       "file paging/g/address.txt\n"
       "  bytes \"lost\\n\"\n"
       "page paging/g/000000001.page\n"
       "  entry core id=83 address=news text=paged queues=99"},
      // Others are on the address: what a deleted queue leaves behind.
      {"paged-without-queue", kInfo,
       "- entry core id=75\n"
       "+   entry core id=75 address=news text=paged queues=5\n"
       "+   entry core id=84 address=news text=paged queues=99"},
      {"paged-body-gone", kInfo,
       "- entry core id=75\n"
       "+   entry core id=75 address=news text=paged queues=5\n"
       "+   entry large id=85 address=news durable=false queues=5"},
  };
}

Faults large_faults() {
  return {
      {"large-body-missing", kDamage, "without large-messages/30.msg"},
      {"large-body-missing", kDamage, "without large-messages/74.msg"},
      {"large-body-missing", kDamage, "without large-messages/4000.msg"},
      {"large-body-length", kDamage, "change large-messages/30.msg\n  cut 4"},
      {"large-body-length", kWarning, "change large-messages/74.msg\n  bytes 56"},
      {"large-body-length", kDamage, compressed_large(3, 0)},
      {"large-body-damaged", kDamage, compressed_large(3, 8)},
      {"large-body-damaged", kDamage, compressed_large(4, 11)},
      {"large-body-damaged", kDamage, compressed_large(2, 11)},
      {"large-body-elsewhere", kInfo,
       "  add 86 ADD_LARGE_MESSAGE core address=orders prop._AMQ_ORIG_MESSAGE_ID=long:30\n"
       "  update 86 ADD_REF queue_id=3"},
      {"amqp-large-layout", kDamage, "change large-messages/4000.msg\n  cut 20"},
      // The last section ends behind the file.
      {"amqp-large-layout", kDamage, "change large-messages/4000.msg\n  cut 36"},
      {"amqp-large-layout", kDamage,
       "- file large-messages/4000.msg\n"
       "+ file large-messages/4000.msg\n"
       "+   bytes hex:005370c00402415007"},
      {"orphan-large-file", kWarning, "file large-messages/98.msg size=10"},
      {"orphan-large-file", kInfo, "file large-messages/98.tmp size=10"},
  };
}

Faults configuration_faults() {
  const std::string more(kMoreBindings);
  return {
      {"queue-without-address", kWarning,
       more + "  add 87 QUEUE_BINDING_RECORD name=lost address=lost metadata=\"\" "
              "auto_created=false"},
      {"queue-name-doubled", kWarning,
       more + "  add 87 QUEUE_BINDING_RECORD name=orders address=orders metadata=\"\" "
              "auto_created=false"},
      {"status-without-target", kInfo, more + "  add 87 QUEUE_STATUS_RECORD queue_id=99 status=0"},
      {"pause-lost", kWarning,
       more + "  update 5 QUEUE_BINDING_RECORD name=news.a address=news metadata=\"\" "
              "auto_created=false"},
      {"configuration-replaced", kInfo,
       more + "  add 87 CONNECTOR_RECORD name=connector url=tcp://other"},
      {"id-counter-missing", kWarning, "- add 6"},
      {"id-counter-low", kWarning, more + "  add 9000 CONNECTOR_RECORD name=c2 url=u"},
      {"id-counter-low", kWarning,
       "- entry core id=75\n"
       "+   entry core id=9000 address=news text=paged queues=5"},
      {"id-above-counter", kInfo, "  delete 9000"},
  };
}

Faults all_faults() {
  Faults all;
  for (const Faults& group :
       {file_name_faults(), header_faults(), framing_faults(), transaction_faults(),
        decode_faults(), body_faults(), reference_faults(), page_record_faults(), page_faults(),
        large_faults(), configuration_faults()}) {
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
  const Verified verified = verify("");
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
    const Verified verified = verify(fault.edits, options_of(fault), fault.hinder);
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
    for (int level = 0; level <= static_cast<int>(store::CheckLevel::kCross); ++level) {
      store::VerifyOptions options = options_of(fault);
      options.level = static_cast<store::CheckLevel>(level);
      INFO("level " << store::level_name(options.level));
      const Verified verified = verify(fault.edits, std::move(options), fault.hinder);
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
  std::set<std::string_view> planted = {"export-binding-skipped",
                                        "export-cut",
                                        "export-message-skipped",
                                        "export-name-unknown",
                                        "export-part-skipped",
                                        "export-of-damage",
                                        "export-queue-elsewhere",
                                        "export-transaction-missing",
                                        "file-renamed",
                                        "file-renumbered",
                                        "page-store-unreadable",
                                        "record-changed-while-reading",
                                        "record-written-short",
                                        "text-filtered",
                                        "too-many-queue-ids"};
  for (const Fault& fault : all_faults()) planted.insert(fault.code);
  for (const store::FindingCode& code : store::finding_codes()) {
    INFO(code.code);
    CHECK(planted.contains(code.code));
  }
}

TEST_CASE("null metadata is told where it stands, and only of bindings that a broker reads") {
  const auto run = [](const std::string& edits) {
    std::vector<Finding> found = verify(edits).findings;
    std::erase_if(found, [](const Finding& f) { return f.code != "queue-metadata-null"; });
    return found;
  };
  const std::string twice = fmt::format(
      "{}\n{}  update 3 QUEUE_BINDING_RECORD name=orders address=orders metadata=null "
      "auto_created=false\n",
      kNoMetadata, kMoreBindings);
  const std::vector<Finding> found = run(twice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].file == "bindings/activemq-bindings-1.bindings");
  CHECK(found[0].offset == 0x3d);  // behind the header and the record of the address
  CHECK(found[0].id == 3);
  CHECK(found[0].text.find("queue orders has null") != std::string::npos);
  CHECK(run(twice + "  delete 3").empty());
  // HornetQ ends the binding before its metadata.
  CHECK(run("- add 3\n+ add 3 QUEUE_BINDING_RECORD name=orders address=orders").empty());
  // Never committed.
  CHECK(run(fmt::format("{}  add 91 QUEUE_BINDING_RECORD tx=90 name=x address=orders "
                        "metadata=null auto_created=false",
                        kMoreBindings))
            .empty());
}

TEST_CASE("findings name a command that helps, ready for a shell") {
  const Verified verified = verify(
      "- update 21 UPDATE_DELIVERY_COUNT\n"
      "+ update 21 UPDATE_DELIVERY_COUNT hex:00000000000000030000000101\n"
      "  update 900 ADD_REF queue_id=3\n"
      "  update 20 ADD_REF queue_id=99",
      {.store = "'my store'"});
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
