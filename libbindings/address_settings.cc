#include <array>

#include "libbindings/field_lists.h"

namespace saranga::bindings {

namespace {
using enum FieldType;
using enum Presence;

// The unit of the slow-consumer threshold is stored as its length in seconds.
constexpr ValueName kMeasurementUnits[] = {{1, "MESSAGES_PER_SECOND"},
                                           {60, "MESSAGES_PER_MINUTE"},
                                           {3600, "MESSAGES_PER_HOUR"},
                                           {86400, "MESSAGES_PER_DAY"}};
}  // namespace

// docs/format/bindings.md#address-settings. The index of a field is its number in that table.
// Choices are stored as text. A routing type of -1 is null.
constexpr Field kAddressSettingFields[77] = {
    {.name = "address_match", .type = kSimpleString},
    {.name = "address_full_message_policy", .type = kNullableSimpleString},
    {.name = "max_size_bytes", .type = kNullableI64},
    {.name = "page_size_bytes", .type = kNullableI64},
    {.name = "page_cache_max_size", .type = kNullableI32},
    {.name = "drop_messages_when_full", .type = kNullableBoolean},
    {.name = "max_delivery_attempts", .type = kNullableI32},
    {.name = "message_counter_history_days", .type = kNullableI32},
    {.name = "redelivery_delay_ms", .type = kNullableI64},
    {.name = "redelivery_multiplier", .type = kNullableF64},
    {.name = "max_redelivery_delay_ms", .type = kNullableI64},
    {.name = "dead_letter_address", .type = kNullableSimpleString},
    {.name = "expiry_address", .type = kNullableSimpleString},
    {.name = "expiry_delay_ms", .type = kNullableI64},
    {.name = "default_last_value_queue", .type = kNullableBoolean},
    {.name = "redistribution_delay_ms", .type = kNullableI64},
    {.name = "send_to_dla_on_no_route", .type = kNullableBoolean},
    {.name = "slow_consumer_threshold", .type = kNullableI64},
    {.name = "slow_consumer_check_period_s", .type = kNullableI64},
    {.name = "slow_consumer_policy", .type = kNullableSimpleString},
    {.name = "auto_create_jms_queues", .type = kNullableBoolean},
    {.name = "auto_delete_jms_queues", .type = kNullableBoolean},
    {.name = "auto_create_jms_topics", .type = kNullableBoolean},
    {.name = "auto_delete_jms_topics", .type = kNullableBoolean},
    {.name = "auto_create_queues", .type = kNullableBoolean},
    {.name = "auto_delete_queues", .type = kNullableBoolean},
    {.name = "config_delete_queues", .type = kNullableSimpleString},
    {.name = "auto_create_addresses", .type = kNullableBoolean},
    {.name = "auto_delete_addresses", .type = kNullableBoolean},
    {.name = "config_delete_addresses", .type = kNullableSimpleString},
    {.name = "management_browse_page_size", .type = kNullableI32},
    {.name = "max_size_reject_threshold_bytes", .type = kNullableI64},
    {.name = "default_max_consumers", .type = kNullableI32},
    {.name = "default_purge_on_no_consumers", .type = kNullableBoolean},
    {.name = "default_queue_routing_type", .type = kI8, .names = kRoutingTypes},
    {.name = "default_address_routing_type", .type = kI8, .names = kRoutingTypes},
    {.name = "default_exclusive_queue", .type = kNullableBoolean, .presence = kIfBytesRemain},
    {.name = "default_consumers_before_dispatch", .type = kNullableI32, .presence = kIfBytesRemain},
    {.name = "default_delay_before_dispatch_ms", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "default_consumer_window_bytes", .type = kNullableI32, .presence = kIfBytesRemain},
    {.name = "default_last_value_key", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "default_non_destructive", .type = kNullableBoolean, .presence = kIfBytesRemain},
    {.name = "auto_delete_queues_delay_ms", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "auto_delete_addresses_delay_ms", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "default_group_rebalance", .type = kNullableBoolean, .presence = kIfBytesRemain},
    {.name = "default_group_buckets", .type = kNullableI32, .presence = kIfBytesRemain},
    {.name = "auto_delete_queues_message_count", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "auto_delete_created_queues", .type = kNullableBoolean, .presence = kIfBytesRemain},
    {.name = "default_ring_size", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "redelivery_collision_avoidance_factor",
     .type = kNullableF64,
     .presence = kIfBytesRemain},
    {.name = "default_group_first_key", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "retroactive_message_count", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "auto_create_dead_letter_resources",
     .type = kNullableBoolean,
     .presence = kIfBytesRemain},
    {.name = "dead_letter_queue_prefix", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "dead_letter_queue_suffix", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "auto_create_expiry_resources", .type = kNullableBoolean, .presence = kIfBytesRemain},
    {.name = "expiry_queue_prefix", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "expiry_queue_suffix", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "min_expiry_delay_ms", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "max_expiry_delay_ms", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "enable_metrics", .type = kNullableBoolean, .presence = kIfBytesRemain},
    {.name = "default_group_rebalance_pause_dispatch",
     .type = kNullableBoolean,
     .presence = kIfBytesRemain},
    {.name = "management_message_attribute_limit_bytes",
     .type = kNullableI32,
     .presence = kIfBytesRemain},
    {.name = "slow_consumer_threshold_measurement_unit",
     .type = kNullableI32,
     .presence = kIfBytesRemain,
     .names = kMeasurementUnits},
    {.name = "enable_ingress_timestamp", .type = kNullableBoolean, .presence = kIfBytesRemain},
    {.name = "config_delete_diverts", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "max_size_messages", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "max_read_page_bytes", .type = kNullableI32, .presence = kIfBytesRemain},
    {.name = "max_read_page_messages", .type = kNullableI32, .presence = kIfBytesRemain},
    {.name = "page_limit_bytes", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "page_limit_messages", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "page_full_message_policy", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "auto_delete_queues_skip_usage_check",
     .type = kNullableBoolean,
     .presence = kIfBytesRemain},
    {.name = "auto_delete_addresses_skip_usage_check",
     .type = kNullableBoolean,
     .presence = kIfBytesRemain},
    {.name = "id_cache_size", .type = kNullableI32, .presence = kIfBytesRemain},
    {.name = "prefetch_page_bytes", .type = kNullableI32, .presence = kIfBytesRemain},
    {.name = "prefetch_page_messages", .type = kNullableI32, .presence = kIfBytesRemain},
};

namespace {

// Which fields, by their numbers, a generation of releases wrote. Later releases inserted fields in
// the middle, so only trying tells the generations apart.
struct Generation {
  std::string_view name;  // the first release
  int last;               // the last field
  bool (*keeps)(int number);
};

constexpr int kLastField = 76;

constexpr Generation kGenerations[] = {
    {.name = {}, .last = kLastField, .keeps = [](int) { return true; }},
    // 2.0.0 to 2.1.0. Brokers read it without 65 too, though no release wrote such a record.
    {.name = "2.0",
     .last = kLastField,
     .keeps = [](int n) { return n != 26 && n != 29 && n != 65; }},
    {.name = "1.4", .last = 31, .keeps = [](int n) { return n <= 23 || n >= 30; }},
    {.name = "1.3", .last = 30, .keeps = [](int n) { return n <= 23 || n == 30; }},
    {.name = "1.0", .last = 21, .keeps = [](int) { return true; }},
    {.name = "hornetq", .last = 19, .keeps = [](int) { return true; }},
};

template <std::size_t kIndex>
constexpr std::size_t count_fields() {
  const Generation& generation = kGenerations[kIndex];
  std::size_t count = 1;
  for (int n = 1; n <= generation.last; ++n) count += generation.keeps(n) ? 1U : 0U;
  return count;
}

template <std::size_t kIndex>
constexpr auto kFieldsOf = [] {
  const Generation& generation = kGenerations[kIndex];
  std::array<Field, count_fields<kIndex>()> fields{};
  std::size_t at = 0;
  for (int n = 0; n <= generation.last; ++n) {
    if (n != 0 && !generation.keeps(n)) continue;
    fields[at++] = kAddressSettingFields[n];
  }
  return fields;
}();

constexpr Layout kLayouts[] = {
    {kGenerations[0].name, kAddressSettingFields}, {kGenerations[1].name, kFieldsOf<1>},
    {kGenerations[2].name, kFieldsOf<2>},          {kGenerations[3].name, kFieldsOf<3>},
    {kGenerations[4].name, kFieldsOf<4>},          {kGenerations[5].name, kFieldsOf<5>},
};
static_assert(std::size(kLayouts) == std::size(kGenerations));

// Whether one field has the very bytes that Artemis writes, not just bytes that a reader takes.
bool reads_canonically(const Field& field, Cursor& cursor) {
  const auto flag = [&](std::uint8_t yes) {
    const std::uint8_t byte = cursor.u8();
    if (byte != 0 && byte != yes) cursor.fail("has an unusual flag");
    return byte != 0;
  };
  switch (field.type) {
    case kNullableI32:
      if (flag(0xFF)) (void)cursor.i32();
      return cursor.ok();
    case kNullableI64:
    case kNullableF64:
      if (flag(0xFF)) (void)cursor.i64();
      return cursor.ok();
    case kNullableBoolean:
      if (flag(0xFF)) (void)flag(0xFF);
      return cursor.ok();
    case kNullableSimpleString:
      if (flag(1) && cursor.sized_bytes().size() % 2 != 0) return false;
      return cursor.ok();
    case kI8: {
      const std::int8_t value = cursor.i8();
      return cursor.ok() && value >= -1 && value <= 1;
    }
    default: (void)cursor.simple_string(); return cursor.ok();
  }
}

bool is_canonical(const FieldValues& values, Bytes body) {
  Cursor cursor(body);
  for (std::size_t i = 0; i < values.size() && !cursor.at_end(); ++i) {
    if (!reads_canonically(values.fields()[i], cursor)) return false;
  }
  return cursor.ok();
}

}  // namespace

bool decode_address_settings(const RecordType& type, Bytes body, DecodedRecord& out) {
  // Several generations may use up the payload by accident. The one whose flags are exactly those
  // that Artemis writes is the right one; among equals the newest.
  for (const Layout& layout : kLayouts) {
    if (decode_exactly(type, std::span(&layout, 1), body, out) && is_canonical(out.values, body)) {
      return true;
    }
  }
  return decode_exactly(type, kLayouts, body, out);
}

}  // namespace saranga::bindings
