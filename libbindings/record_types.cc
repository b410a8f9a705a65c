#include "saranga/bindings/record_types.h"

#include <array>

#include "libbindings/field_lists.h"

namespace saranga::bindings {
namespace {

using enum FieldType;
using enum Presence;
using enum RecordEffect;
using Form = BodyForm;

constexpr ValueName kStatuses[] = {{0, "PAUSED"}, {1, "RUNNING"}};

constexpr Field kGroup[] = {
    {.name = "group_id", .type = kSimpleString},
    {.name = "cluster_name", .type = kSimpleString},
};

constexpr Field kQueueStatus[] = {
    {.name = "queue_id", .type = kI64},
    {.name = "status", .type = kI16, .names = kStatuses},
};

// Every id given out before the next such record is at most `counter`.
constexpr Field kIdCounter[] = {{.name = "counter", .type = kI64}};

// docs/format/bindings.md#security-settings: comma-separated lists of roles. HornetQ stops after
// `manage`, 1.x from 1.4 after `browse`, 2.0 to 2.32 after `delete_address`.
constexpr Field kSecuritySetting[] = {
    {.name = "address_match", .type = kSimpleString},
    {.name = "send", .type = kNullableSimpleString},
    {.name = "consume", .type = kNullableSimpleString},
    {.name = "create_durable_queue", .type = kNullableSimpleString},
    {.name = "delete_durable_queue", .type = kNullableSimpleString},
    {.name = "create_non_durable_queue", .type = kNullableSimpleString},
    {.name = "delete_non_durable_queue", .type = kNullableSimpleString},
    {.name = "manage", .type = kNullableSimpleString},
    {.name = "browse", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "create_address", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "delete_address", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "view", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "edit", .type = kNullableSimpleString, .presence = kIfBytesRemain},
};

// docs/format/bindings.md#address-binding
constexpr Field kAddressBinding[] = {
    {.name = "name", .type = kSimpleString},
    {.name = "routing_types", .type = kI8List, .names = kRoutingTypes},
    {.name = "auto_created", .type = kBoolean},
    {.name = "internal", .type = kBoolean, .presence = kIfBytesRemain, .absent = "false"},
};

constexpr Field kAddressStatus[] = {
    {.name = "address_id", .type = kI64},
    {.name = "status", .type = kI16, .names = kStatuses},
};

constexpr Field kUser[] = {
    {.name = "username", .type = kString},
    {.name = "password", .type = kString, .privacy = Privacy::kSecret},
};

constexpr Field kRole[] = {
    {.name = "username", .type = kString},
    {.name = "roles", .type = kStringList},
};

constexpr Field kKeyValuePair[] = {
    {.name = "map_id", .type = kString},
    {.name = "key", .type = kString},
    {.name = "value", .type = kString},
};

constexpr Field kConnector[] = {
    {.name = "name", .type = kString},
    {.name = "url", .type = kString, .privacy = Privacy::kUrl},
};

constexpr Field kJsonSetting[] = {
    {.name = "address_match", .type = kSimpleString},
    {.name = "json", .type = kSimpleString},
};

// number, name, since, effect, form, fields
constexpr RecordType kTypes[] = {
    {20, "GROUP_RECORD", "1.0", kConfiguration, Form::kFields, kGroup},
    {21, "QUEUE_BINDING_RECORD", "1.0", kConfiguration, Form::kFields, kQueueBindingFields},
    {22, "QUEUE_STATUS_RECORD", "1.5.0", kConfiguration, Form::kFields, kQueueStatus},
    {24, "ID_COUNTER_RECORD", "1.0", kCounter, Form::kFields, kIdCounter},
    {25, "ADDRESS_SETTING_RECORD", "1.0", kConfiguration, Form::kAddressSettings,
     kAddressSettingFields},
    {26, "SECURITY_SETTING_RECORD", "1.0", kConfiguration, Form::kFields, kSecuritySetting},
    {27, "DIVERT_RECORD", "2.16.0", kConfiguration, Form::kDivert, kDivertFields},
    {28, "BRIDGE_RECORD", "2.28.0", kConfiguration, Form::kBridge, kBridgeFields},
    {44, "ADDRESS_BINDING_RECORD", "2.0.0", kConfiguration, Form::kFields, kAddressBinding},
    {46, "ADDRESS_STATUS_RECORD", "2.10.0", kConfiguration, Form::kFields, kAddressStatus},
    {47, "USER_RECORD", "2.16.0", kConfiguration, Form::kFields, kUser},
    {48, "ROLE_RECORD", "2.16.0", kConfiguration, Form::kFields, kRole},
    {50, "KEY_VALUE_PAIR_RECORD", "2.21.0", kBookkeeping, Form::kFields, kKeyValuePair},
    {51, "CONNECTOR_RECORD", "2.29.0", kConfiguration, Form::kFields, kConnector},
    {52, "ADDRESS_SETTING_RECORD_JSON", "2.32.0", kConfiguration, Form::kFields, kJsonSetting},
};

// docs/format/old-releases.md#jms-journal
constexpr ValueName kJmsKinds[] = {{0, "CONNECTION_FACTORY"}, {1, "TOPIC"}, {2, "QUEUE"}};

// The settings differ from release to release.
constexpr Field kConnectionFactory[] = {
    {.name = "name", .type = kSimpleString},
    {.name = "settings_b64", .type = kRestBytes},
};

constexpr Field kDestination[] = {
    {.name = "kind", .type = kI8, .names = kJmsKinds},
    {.name = "name", .type = kSimpleString},
    {.name = "selector", .type = kNullableSimpleString},
    {.name = "durable", .type = kBoolean},
};

constexpr Field kJndiEntries[] = {
    {.name = "kind", .type = kI8, .names = kJmsKinds},
    {.name = "name", .type = kSimpleString},
    {.name = "bindings", .type = kSimpleStringList},
};

constexpr RecordType kJmsTypes[] = {
    {1, "CF_RECORD", "hornetq", kConfiguration, Form::kFields, kConnectionFactory},
    {2, "DESTINATION_RECORD", "hornetq", kConfiguration, Form::kFields, kDestination},
    {3, "BINDING_RECORD", "hornetq", kConfiguration, Form::kFields, kJndiEntries},
};

using Rows = std::array<const RecordType*, 128>;

// Row by number, so that a lookup is one load.
constexpr Rows index_of(std::span<const RecordType> types) {
  Rows rows{};
  for (const RecordType& type : types) rows[static_cast<std::size_t>(type.number)] = &type;
  return rows;
}

constexpr Rows kRows = index_of(kTypes);
constexpr Rows kJmsRows = index_of(kJmsTypes);

}  // namespace

std::span<const RecordType> record_types() { return kTypes; }

const RecordType* find_record_type(std::int8_t number) {
  return number < 0 ? nullptr : kRows[static_cast<std::size_t>(number)];
}

std::span<const RecordType> jms_record_types() { return kJmsTypes; }

const RecordType* find_jms_record_type(std::int8_t number) {
  return number < 0 ? nullptr : kJmsRows[static_cast<std::size_t>(number)];
}

bool decode_record(const RecordType& type, bool is_update, Bytes body, DecodedRecord& out) {
  switch (type.form) {
    case Form::kAddressSettings: return decode_address_settings(type, body, out);
    // A body that fits no layout whole may still be of a later release, with something behind it.
    case Form::kDivert:
      return decode_exactly(type, divert_layouts(), body, out) ||
             decode_fields(type, is_update, body, out);
    case Form::kBridge:
      return decode_exactly(type, bridge_layouts(), body, out) ||
             decode_fields(type, is_update, body, out);
    default: return decode_fields(type, is_update, body, out);
  }
}

NumberFlag number_flag(const RecordType& type) {
  return type.form == Form::kBridge ? NumberFlag::kOne : NumberFlag::kFf;
}

Result<std::vector<std::byte>> encode_record(const DecodedRecord& record) {
  if (record.type == nullptr) return fail(ErrorCode::kInvalidArgument, "has no record type");
  return encode_fields(record.values, number_flag(*record.type), record.trailing);
}

}  // namespace saranga::bindings
