// The field lists that stand in files of their own because they are long or come in several
// layouts. Internal to the library.
#pragma once

#include <span>

#include "saranga/bytes/fields.h"

namespace saranga::bindings {

/// Values 0 and 1 of a routing type in bindings and settings.
inline constexpr ValueName kRoutingTypes[] = {{0, "MULTICAST"}, {1, "ANYCAST"}};

/// Routing types of diverts and bridges.
inline constexpr ValueName kComponentRoutingTypes[] = {
    {0, "MULTICAST"}, {1, "ANYCAST"}, {2, "STRIP"}, {3, "PASS"}};

extern const Field kQueueBindingFields[25];
extern const Field kDivertFields[9];
extern const Field kBridgeFields[30];
/// Address match, then all attributes: the layout of the last release that wrote it.
extern const Field kAddressSettingFields[77];

/// The layouts of diverts, bridges and address settings, newest first.
[[nodiscard]] std::span<const Layout> divert_layouts();
[[nodiscard]] std::span<const Layout> bridge_layouts();

/// Address settings of all generations; see the source for how they are told apart.
bool decode_address_settings(const RecordType& type, Bytes body, DecodedRecord& out);

}  // namespace saranga::bindings
