#include "saranga/bindings/present_form.h"

#include <algorithm>

#include "saranga/bindings/record_ids.h"
#include "saranga/bindings/record_types.h"

namespace saranga::bindings {
namespace {

using State = FieldValue::State;

// docs/format/bindings.md#address-settings: the layouts of before 2.0.
bool is_old_layout(std::string_view layout) {
  constexpr std::string_view kOld[] = {"hornetq", "1.0", "1.3", "1.4"};
  return std::ranges::find(kOld, layout) != std::end(kOld);
}

bool is_missing(const FieldValues& values, std::string_view name, bool null_too) {
  const State state = values.get(name).state;
  return state == State::kAbsent || (null_too && state == State::kNull);
}

bool needs_change(const DecodedRecord& decoded) {
  switch (decoded.type->number) {
    case kQueueBinding: return is_missing(decoded.values, "metadata", true);
    case kSecuritySetting: return is_missing(decoded.values, "delete_address", false);
    case kAddressSetting: return is_old_layout(decoded.layout);
    default: return false;
  }
}

// What stands for a field that the old form does not have. Roles and metadata must not be null.
void fill_in(std::int8_t type, const Field& field, FieldValue& value) {
  const bool text = type == kSecuritySetting || field.name == "metadata";
  constexpr std::string_view kRead[] = {"metadata", "auto_created", "browse", "create_address",
                                        "delete_address"};
  const bool read = field.presence == Presence::kRequired || type == kAddressSetting ||
                    std::ranges::find(kRead, field.name) != std::end(kRead);
  if (!read) return;
  value.state = is_nullable(field.type) && !text ? State::kNull : State::kPresent;
  // -1 is the null of routing types (docs/format/bindings.md#address-settings).
  if (type == kAddressSetting && field.type == FieldType::kI8) value.number = -1;
}

}  // namespace

Result<std::optional<std::vector<std::byte>>> present_form(std::int8_t type, Bytes body) {
  const RecordType* row = find_record_type(type);
  if (row == nullptr) return std::nullopt;
  DecodedRecord decoded;
  if (!decode_record(*row, false, body, decoded) || !needs_change(decoded)) return std::nullopt;
  FieldValues made;
  made.reset(row->fields);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Field& field = made.fields()[i];
    FieldValue& value = made.at(i);
    value = decoded.values.get(field.name);
    const bool null_metadata = field.name == "metadata" && value.state == State::kNull;
    if (value.state == State::kAbsent || null_metadata) fill_in(type, field, value);
  }
  auto encoded = encode_fields(made, number_flag(*row));
  if (!encoded) return std::unexpected(encoded.error());
  return std::move(*encoded);
}

}  // namespace saranga::bindings
