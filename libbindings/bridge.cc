#include <array>

#include "libbindings/field_lists.h"

namespace saranga::bindings {

namespace {
using enum FieldType;
using enum Presence;
}  // namespace

// docs/format/bindings.md#bridges. The flags of nullable values are 01 here, but FF for the
// multiplier; only zero or not matters to a reader.
constexpr Field kBridgeFields[30] = {
    {.name = "name", .type = kNullableString},
    {.name = "parent_name", .type = kNullableString},
    {.name = "queue_name", .type = kNullableString},
    {.name = "forwarding_address", .type = kNullableString},
    {.name = "filter", .type = kNullableString},
    {.name = "discovery_group_name", .type = kNullableString},
    {.name = "ha", .type = kNullableBoolean},
    {.name = "retry_interval_ms", .type = kNullableI64},
    {.name = "retry_interval_multiplier", .type = kNullableF64},
    {.name = "initial_connect_attempts", .type = kNullableI32},
    {.name = "reconnect_attempts", .type = kNullableI32},
    {.name = "reconnect_attempts_on_same_node", .type = kNullableI32},
    {.name = "use_duplicate_detection", .type = kNullableBoolean},
    {.name = "confirmation_window_bytes", .type = kNullableI32},
    {.name = "producer_window_bytes", .type = kNullableI32},
    {.name = "client_failure_check_period_ms", .type = kNullableI64},
    {.name = "user", .type = kNullableString},
    {.name = "password", .type = kNullableString, .privacy = Privacy::kSecret},
    {.name = "connection_ttl_ms", .type = kNullableI64},
    {.name = "max_retry_interval_ms", .type = kNullableI64},
    {.name = "min_large_message_bytes", .type = kNullableI32},
    {.name = "call_timeout_ms", .type = kNullableI64},
    {.name = "concurrency", .type = kNullableI32},
    {.name = "configuration_managed", .type = kNullableBoolean},
    {.name = "routing_type", .type = kI8, .names = kComponentRoutingTypes},
    {.name = "transformer_class", .type = kNullableString},
    {.name = "transformer_properties",
     .type = kNullableStringPairs,
     .presence = kIfPreviousNotNull},
    {.name = "static_connectors", .type = kNullableStringList},
    {.name = "pending_ack_timeout_ms", .type = kNullableI64, .presence = kIfBytesRemain},
    {.name = "client_id", .type = kNullableString, .presence = kIfBytesRemain},
};

std::span<const Layout> bridge_layouts() {
  // 2.28 to 2.35 write the class of a transformer without its flag, which shifts all that follows:
  // a broker reads a count of connectors out of the middle of the name and fails.
  static constexpr auto kWithoutFlag = [] {
    auto fields = std::to_array(kBridgeFields);
    fields[25].type = kString;
    return fields;
  }();
  static constexpr Layout kLayouts[] = {
      {.name = {}, .fields = kBridgeFields},
      {.name = "transformer-without-flag", .fields = kWithoutFlag},
  };
  return kLayouts;
}

}  // namespace saranga::bindings
