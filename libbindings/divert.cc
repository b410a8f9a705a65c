#include <array>

#include "libbindings/field_lists.h"

namespace saranga::bindings {

namespace {
using enum FieldType;
using enum Presence;
}  // namespace

// docs/format/bindings.md#diverts
constexpr Field kDivertFields[9] = {
    {.name = "name", .type = kNullableString},
    {.name = "address", .type = kNullableString},
    {.name = "forwarding_address", .type = kNullableString},
    {.name = "routing_name", .type = kNullableString},
    {.name = "exclusive", .type = kBoolean},
    {.name = "filter", .type = kNullableString},
    {.name = "routing_type", .type = kI8, .names = kComponentRoutingTypes},
    {.name = "transformer_class", .type = kNullableString},
    {.name = "transformer_properties",
     .type = kNullableStringPairs,
     .presence = kIfPreviousNotNull},
};

std::span<const Layout> divert_layouts() {
  // 2.16 to 2.35 write the class name without its flag. A broker takes the first byte of its
  // length, zero, for "no transformer" and ignores the rest; but the rest is there.
  static constexpr auto kWithoutFlag = [] {
    auto fields = std::to_array(kDivertFields);
    fields[7].type = kString;
    return fields;
  }();
  static constexpr Layout kLayouts[] = {
      {.name = {}, .fields = kDivertFields},
      {.name = "transformer-without-flag", .fields = kWithoutFlag},
  };
  return kLayouts;
}

}  // namespace saranga::bindings
