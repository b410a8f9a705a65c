#include "saranga/bindings/queue_binding.h"

#include <algorithm>
#include <array>
#include <string>

#include "libbindings/field_lists.h"
#include "saranga/bindings/record_ids.h"
#include "saranga/bindings/record_types.h"

namespace saranga::bindings {

namespace {
using enum FieldType;
using enum Presence;
}  // namespace

// docs/format/bindings.md#queue-binding: releases appended fields, so the record of an old one ends
// early. HornetQ stops after `filter`, 1.x after `auto_created`; the next three came together.
constexpr Field kQueueBindingFields[25] = {
    {.name = "name", .type = kSimpleString},
    {.name = "address", .type = kSimpleString},
    {.name = "filter", .type = kNullableSimpleString},
    {.name = "metadata", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "auto_created", .type = kBoolean, .presence = kWithPrevious, .absent = "false"},
    {.name = "max_consumers", .type = kI32, .presence = kIfBytesRemain, .absent = "-1"},
    {.name = "purge_on_no_consumers",
     .type = kBoolean,
     .presence = kWithPrevious,
     .absent = "false"},
    {.name = "routing_type",
     .type = kI8,
     .presence = kWithPrevious,
     .absent = "MULTICAST",
     .names = kRoutingTypes},
    {.name = "exclusive", .type = kBoolean, .presence = kIfBytesRemain, .absent = "false"},
    {.name = "last_value", .type = kBoolean, .presence = kIfBytesRemain, .absent = "false"},
    {.name = "configuration_managed",
     .type = kBoolean,
     .presence = kIfBytesRemain,
     .absent = "false"},
    {.name = "consumers_before_dispatch", .type = kI32, .presence = kIfBytesRemain, .absent = "0"},
    {.name = "delay_before_dispatch_ms", .type = kI64, .presence = kIfBytesRemain, .absent = "-1"},
    {.name = "last_value_key", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "non_destructive", .type = kBoolean, .presence = kIfBytesRemain, .absent = "false"},
    {.name = "group_rebalance", .type = kBoolean, .presence = kIfBytesRemain, .absent = "false"},
    {.name = "group_buckets", .type = kI32, .presence = kIfBytesRemain, .absent = "-1"},
    {.name = "auto_delete",
     .type = kBoolean,
     .presence = kIfBytesRemain,
     .absent = "equals auto_created"},
    {.name = "auto_delete_delay_ms", .type = kI64, .presence = kIfBytesRemain, .absent = "0"},
    {.name = "auto_delete_message_count", .type = kI64, .presence = kIfBytesRemain, .absent = "0"},
    {.name = "group_first_key", .type = kNullableSimpleString, .presence = kIfBytesRemain},
    {.name = "ring_size", .type = kI64, .presence = kIfBytesRemain, .absent = "-1"},
    {.name = "enabled", .type = kBoolean, .presence = kIfBytesRemain, .absent = "true"},
    {.name = "group_rebalance_pause_dispatch",
     .type = kBoolean,
     .presence = kIfBytesRemain,
     .absent = "false"},
    {.name = "internal", .type = kBoolean, .presence = kIfBytesRemain, .absent = "false"},
};

namespace {

// SimpleString text as UTF-16 units, without converting it.
class Units {
 public:
  explicit Units(const Text& text) : raw_(text.raw()) {}
  [[nodiscard]] std::size_t size() const { return raw_.size() / 2; }
  [[nodiscard]] bool is(std::size_t at, char c) const {
    return raw_[2 * at] == static_cast<std::byte>(c) && raw_[2 * at + 1] == std::byte{0};
  }
  // Where `c` comes next from `at` on, or `end`.
  [[nodiscard]] std::size_t find(char c, std::size_t at, std::size_t end) const {
    while (at < end && !is(at, c)) ++at;
    return at;
  }
  [[nodiscard]] Text slice(std::size_t from, std::size_t end) const {
    return {raw_.subspan(2 * from, 2 * (end - from)), TextEncoding::kUtf16Le};
  }

 private:
  Bytes raw_;
};

// The value of one "key=value" part with key "user". Java's split drops empty pieces at the end, so
// "user=bob=" has two pieces and "user=" has one.
std::optional<Text> user_of_part(const Units& units, std::size_t from, std::size_t end) {
  while (end > from && units.is(end - 1, '=')) --end;
  const std::size_t equals = units.find('=', from, end);
  if (equals == end || units.find('=', equals + 1, end) != end) return std::nullopt;
  if (!units.slice(from, equals).equals("user")) return std::nullopt;
  return units.slice(equals + 1, end);
}

constexpr std::array<std::string_view, 5> kIdentity = {"name", "address", "filter", "metadata",
                                                       "routing_type"};

bool is_default(const Field& field, const FieldValue& value, const FieldValues& all) {
  if (value.state == FieldValue::State::kAbsent) return true;
  if (value.state == FieldValue::State::kNull) return field.absent == "null";
  if (field.type == FieldType::kNullableSimpleString) return value.text.empty();
  if (field.absent == "equals auto_created") {
    return (value.number != 0) == (all.get("auto_created").number != 0);
  }
  if (field.type == FieldType::kBoolean) return (value.number != 0) == (field.absent == "true");
  return std::to_string(value.number) == field.absent;
}

}  // namespace

std::vector<std::string_view> own_settings(Bytes queue_binding) {
  std::vector<std::string_view> names;
  DecodedRecord decoded;
  if (!decode_record(*find_record_type(kQueueBinding), false, queue_binding, decoded)) return names;
  const FieldValues& values = decoded.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Field& field = values.fields()[i];
    if (std::ranges::find(kIdentity, field.name) != kIdentity.end()) continue;
    if (!is_default(field, values[i], values)) names.push_back(field.name);
  }
  return names;
}

std::optional<Text> queue_user(const Text& metadata) {
  const Units units(metadata);
  std::optional<Text> user;
  for (std::size_t from = 0; from < units.size();) {
    const std::size_t end = units.find(';', from, units.size());
    if (const auto found = user_of_part(units, from, end)) user = found;
    from = end + 1;
  }
  return user;
}

std::optional<QualifiedName> split_qualified_name(const Text& name) {
  const Units units(name);
  for (std::size_t at = 0; at + 1 < units.size(); ++at) {
    if (!units.is(at, ':') || !units.is(at + 1, ':')) continue;
    return QualifiedName{.address = units.slice(0, at), .queue = units.slice(at + 2, units.size())};
  }
  return std::nullopt;
}

}  // namespace saranga::bindings
