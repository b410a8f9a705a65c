// Records of releases before 2.0 in a form that those from 2.0 on can read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "saranga/bytes/fields.h"

namespace saranga::bindings {

/// The body of a queue binding, address setting or security setting with everything that a broker
/// of 2.x reads without looking whether it is there, and ends its start without: settings that are
/// not set, roles that nobody has, metadata that is empty. Null metadata, with which no broker
/// starts, becomes empty as well. Nothing when the body is fine as it is, or no such record.
[[nodiscard]] SARANGA_API Result<std::optional<std::vector<std::byte>>> present_form(
    std::int8_t type, Bytes body);

}  // namespace saranga::bindings
