#include "saranga/bindings/address_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace saranga::bindings {
namespace {

using enum FieldType;

struct Setting {
  std::string_view key;  // in JSON
  Field field;
};

// docs/format/bindings.md#json-settings. Texts that stand for a choice stay texts.
constexpr Setting kSettings[] = {
    {"addressFullMessagePolicy",
     {.name = "address_full_message_policy", .type = kNullableSimpleString}},
    {"maxSizeBytes", {.name = "max_size_bytes", .type = kNullableI64}},
    {"maxReadPageBytes", {.name = "max_read_page_bytes", .type = kNullableI32}},
    {"maxReadPageMessages", {.name = "max_read_page_messages", .type = kNullableI32}},
    {"prefetchPageBytes", {.name = "prefetch_page_bytes", .type = kNullableI32}},
    {"prefetchPageMessages", {.name = "prefetch_page_messages", .type = kNullableI32}},
    {"pageLimitBytes", {.name = "page_limit_bytes", .type = kNullableI64}},
    {"pageLimitMessages", {.name = "page_limit_messages", .type = kNullableI64}},
    {"pageFullMessagePolicy", {.name = "page_full_message_policy", .type = kNullableSimpleString}},
    {"diskFullMessagePolicy", {.name = "disk_full_message_policy", .type = kNullableSimpleString}},
    {"maxSizeMessages", {.name = "max_size_messages", .type = kNullableI64}},
    {"pageSizeBytes", {.name = "page_size_bytes", .type = kNullableI32}},
    {"pageCacheMaxSize", {.name = "page_cache_max_size", .type = kNullableI32}},
    {"maxDeliveryAttempts", {.name = "max_delivery_attempts", .type = kNullableI32}},
    {"messageCounterHistoryDayLimit",
     {.name = "message_counter_history_days", .type = kNullableI32}},
    {"redeliveryDelay", {.name = "redelivery_delay_ms", .type = kNullableI64}},
    {"redeliveryMultiplier", {.name = "redelivery_multiplier", .type = kNullableF64}},
    {"redeliveryCollisionAvoidanceFactor",
     {.name = "redelivery_collision_avoidance_factor", .type = kNullableF64}},
    {"maxRedeliveryDelay", {.name = "max_redelivery_delay_ms", .type = kNullableI64}},
    {"deadLetterAddress", {.name = "dead_letter_address", .type = kNullableSimpleString}},
    {"expiryAddress", {.name = "expiry_address", .type = kNullableSimpleString}},
    {"expiryDelay", {.name = "expiry_delay_ms", .type = kNullableI64}},
    {"minExpiryDelay", {.name = "min_expiry_delay_ms", .type = kNullableI64}},
    {"maxExpiryDelay", {.name = "max_expiry_delay_ms", .type = kNullableI64}},
    {"noExpiry", {.name = "no_expiry", .type = kNullableBoolean}},
    {"defaultLastValueQueue", {.name = "default_last_value_queue", .type = kNullableBoolean}},
    {"defaultLastValueKey", {.name = "default_last_value_key", .type = kNullableSimpleString}},
    {"defaultNonDestructive", {.name = "default_non_destructive", .type = kNullableBoolean}},
    {"defaultExclusiveQueue", {.name = "default_exclusive_queue", .type = kNullableBoolean}},
    {"defaultGroupRebalance", {.name = "default_group_rebalance", .type = kNullableBoolean}},
    {"defaultGroupRebalancePauseDispatch",
     {.name = "default_group_rebalance_pause_dispatch", .type = kNullableBoolean}},
    {"defaultGroupBuckets", {.name = "default_group_buckets", .type = kNullableI32}},
    {"defaultGroupFirstKey", {.name = "default_group_first_key", .type = kNullableSimpleString}},
    {"redistributionDelay", {.name = "redistribution_delay_ms", .type = kNullableI64}},
    {"sendToDLAOnNoRoute", {.name = "send_to_dla_on_no_route", .type = kNullableBoolean}},
    {"slowConsumerThreshold", {.name = "slow_consumer_threshold", .type = kNullableI64}},
    {"slowConsumerThresholdMeasurementUnit",
     {.name = "slow_consumer_threshold_measurement_unit", .type = kNullableSimpleString}},
    {"slowConsumerCheckPeriod", {.name = "slow_consumer_check_period_s", .type = kNullableI64}},
    {"slowConsumerPolicy", {.name = "slow_consumer_policy", .type = kNullableSimpleString}},
    {"autoCreateJmsQueues", {.name = "auto_create_jms_queues", .type = kNullableBoolean}},
    {"autoDeleteJmsQueues", {.name = "auto_delete_jms_queues", .type = kNullableBoolean}},
    {"autoCreateJmsTopics", {.name = "auto_create_jms_topics", .type = kNullableBoolean}},
    {"autoDeleteJmsTopics", {.name = "auto_delete_jms_topics", .type = kNullableBoolean}},
    {"autoCreateQueues", {.name = "auto_create_queues", .type = kNullableBoolean}},
    {"autoDeleteQueues", {.name = "auto_delete_queues", .type = kNullableBoolean}},
    {"autoDeleteCreatedQueues", {.name = "auto_delete_created_queues", .type = kNullableBoolean}},
    {"autoDeleteQueuesDelay", {.name = "auto_delete_queues_delay_ms", .type = kNullableI64}},
    {"autoDeleteQueuesSkipUsageCheck",
     {.name = "auto_delete_queues_skip_usage_check", .type = kNullableBoolean}},
    {"autoDeleteQueuesMessageCount",
     {.name = "auto_delete_queues_message_count", .type = kNullableI64}},
    {"defaultRingSize", {.name = "default_ring_size", .type = kNullableI64}},
    {"retroactiveMessageCount", {.name = "retroactive_message_count", .type = kNullableI64}},
    {"configDeleteQueues", {.name = "config_delete_queues", .type = kNullableSimpleString}},
    {"autoCreateAddresses", {.name = "auto_create_addresses", .type = kNullableBoolean}},
    {"autoDeleteAddresses", {.name = "auto_delete_addresses", .type = kNullableBoolean}},
    {"autoDeleteAddressesDelay", {.name = "auto_delete_addresses_delay_ms", .type = kNullableI64}},
    {"autoDeleteAddressesSkipUsageCheck",
     {.name = "auto_delete_addresses_skip_usage_check", .type = kNullableBoolean}},
    {"configDeleteAddresses", {.name = "config_delete_addresses", .type = kNullableSimpleString}},
    {"configDeleteDiverts", {.name = "config_delete_diverts", .type = kNullableSimpleString}},
    {"managementBrowsePageSize", {.name = "management_browse_page_size", .type = kNullableI32}},
    {"maxSizeBytesRejectThreshold",
     {.name = "max_size_reject_threshold_bytes", .type = kNullableI64}},
    {"defaultMaxConsumers", {.name = "default_max_consumers", .type = kNullableI32}},
    {"defaultPurgeOnNoConsumers",
     {.name = "default_purge_on_no_consumers", .type = kNullableBoolean}},
    {"defaultConsumersBeforeDispatch",
     {.name = "default_consumers_before_dispatch", .type = kNullableI32}},
    {"defaultDelayBeforeDispatch",
     {.name = "default_delay_before_dispatch_ms", .type = kNullableI64}},
    {"defaultQueueRoutingType",
     {.name = "default_queue_routing_type", .type = kNullableSimpleString}},
    {"defaultAddressRoutingType",
     {.name = "default_address_routing_type", .type = kNullableSimpleString}},
    {"defaultConsumerWindowSize", {.name = "default_consumer_window_bytes", .type = kNullableI32}},
    {"autoCreateDeadLetterResources",
     {.name = "auto_create_dead_letter_resources", .type = kNullableBoolean}},
    {"deadLetterQueuePrefix", {.name = "dead_letter_queue_prefix", .type = kNullableSimpleString}},
    {"deadLetterQueueSuffix", {.name = "dead_letter_queue_suffix", .type = kNullableSimpleString}},
    {"autoCreateExpiryResources",
     {.name = "auto_create_expiry_resources", .type = kNullableBoolean}},
    {"expiryQueuePrefix", {.name = "expiry_queue_prefix", .type = kNullableSimpleString}},
    {"expiryQueueSuffix", {.name = "expiry_queue_suffix", .type = kNullableSimpleString}},
    {"enableMetrics", {.name = "enable_metrics", .type = kNullableBoolean}},
    {"managementMessageAttributeSizeLimit",
     {.name = "management_message_attribute_limit_bytes", .type = kNullableI32}},
    {"enableIngressTimestamp", {.name = "enable_ingress_timestamp", .type = kNullableBoolean}},
    {"idCacheSize", {.name = "id_cache_size", .type = kNullableI32}},
    {"queuePrefetch", {.name = "queue_prefetch", .type = kNullableI32}},
    {"initialQueueBufferSize", {.name = "initial_queue_buffer_size", .type = kNullableI32}},
    {"dropMessagesWhenFull", {.name = "drop_messages_when_full", .type = kNullableBoolean}},
};

constexpr std::size_t kSettingCount = std::size(kSettings);
static_assert(kSettingCount <= FieldValues::kMaximum);

constexpr auto kSettingFields = [] {
  std::array<Field, kSettingCount> fields{};
  for (std::size_t i = 0; i < kSettingCount; ++i) fields[i] = kSettings[i].field;
  return fields;
}();

// Far beyond what a settings text needs, whose values are all plain.
constexpr int kMaximumDepth = 32;

// JSON must be UTF-8, which has no surrogates; Java strings may have some without partner.
std::string to_utf8(const Text& text) {
  std::string utf8 = text.str();
  for (std::size_t at = 0; at + 2 < utf8.size(); ++at) {
    if (utf8[at] != '\xED' || static_cast<unsigned char>(utf8[at + 1]) < 0xA0) continue;
    utf8.replace(at, 3, "\xEF\xBF\xBD");  // U+FFFD, as long as what it replaces
  }
  return utf8;
}

}  // namespace

// Takes the events of the parser; building a document would nest as deeply as the input does.
class SettingsReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit SettingsReader(JsonSettings& to) : to_(to) {}

  bool null() override {
    return with_value([](FieldValue& v) { v.state = State::kNull; });
  }
  bool boolean(bool value) override {
    return with_value(kNullableBoolean, [&](FieldValue& v) { v.number = value ? 1 : 0; });
  }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return integer(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return real(value); }
  bool string(string_t& value) override {
    return with_value(kNullableSimpleString, [&](FieldValue& v) {
      v.text = Text(to_.texts_.emplace_back(std::move(value)));
    });
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    const auto found = std::ranges::find(kSettings, name, &Setting::key);
    setting_ = static_cast<std::size_t>(found - std::begin(kSettings));
    if (setting_ == kSettingCount) to_.unknown_keys_.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    to_.problem_ = fmt::format("JSON text: not valid at character {}", position);
    return false;
  }

 private:
  using State = FieldValue::State;

  bool fail(std::string problem) {
    to_.problem_ = std::move(problem);
    return false;
  }

  [[nodiscard]] bool is_ours() const { return depth_ == 1 && setting_ < kSettingCount; }

  template <class Fill>
  bool with_value(Fill fill) {
    if (depth_ == 0) return fail("JSON text: not an object");
    if (is_ours()) fill(to_.values_.at(setting_) = FieldValue{});
    return true;
  }
  template <class Fill>
  bool with_value(FieldType type, Fill fill) {
    if (is_ours() && kSettings[setting_].field.type != type) return wrong_type();
    return with_value([&](FieldValue& value) {
      value.state = State::kPresent;
      fill(value);
    });
  }
  bool wrong_type() {
    return fail(fmt::format("JSON text: {} has the wrong type", kSettings[setting_].key));
  }

  // Artemis takes any number and narrows it as Java does.
  bool integer(std::int64_t value) { return with_number(value, static_cast<double>(value)); }
  bool real(double value) {
    constexpr double kLimit = 9.2e18;  // just inside of what an i64 holds
    if (is_ours() && kSettings[setting_].field.type != kNullableF64 && std::fabs(value) > kLimit) {
      return fail(fmt::format("JSON text: {} is out of range", kSettings[setting_].key));
    }
    return with_number(std::fabs(value) > kLimit ? 0 : static_cast<std::int64_t>(value), value);
  }
  bool with_number(std::int64_t whole, double value) {
    const FieldType type = is_ours() ? kSettings[setting_].field.type : kNullableI64;
    if (type == kNullableI32) whole = static_cast<std::int32_t>(whole);
    if (type != kNullableI32 && type != kNullableI64 && type != kNullableF64) return wrong_type();
    return with_value(type, [&](FieldValue& v) {
      v.number = whole;
      v.real = value;
    });
  }

  bool open(bool object) {
    if (depth_ == 0 && !object) return fail("JSON text: not an object");
    if (is_ours()) return wrong_type();
    if (++depth_ > kMaximumDepth) return fail("JSON text: nested too deeply");
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  JsonSettings& to_;
  int depth_ = 0;
  std::size_t setting_ = kSettingCount;  // of the key that came last at the first level
};

std::span<const Field> setting_fields() { return kSettingFields; }

std::string_view setting_key(std::size_t index) { return kSettings[index].key; }

bool JsonSettings::parse(const Text& json) {
  values_.reset(kSettingFields);
  texts_.clear();
  unknown_keys_.clear();
  problem_.clear();
  SettingsReader reader(*this);
  return nlohmann::json::sax_parse(to_utf8(json), &reader);
}

}  // namespace saranga::bindings
