// Points in time as people write them. The library knows no clock and no time zone: the present is
// handed in, and a time without a zone is UTC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "saranga/bytes/error.h"

namespace saranga::store {

/// Reads a point in time, in ms since 1970:
///   2024-05-01, 2024-05-01T12:30, 2024-05-01T12:30:15.250, all with Z, +02:00 or nothing behind
///   them (a blank may stand for the T) 1714566615250             a number is milliseconds since
///   1970 250ms 30s 90m 2h 3d 1w    so long before `now_ms`; several in a row add up: 1d12h now
[[nodiscard]] SARANGA_API Result<std::int64_t> parse_time(std::string_view text,
                                                          std::int64_t now_ms);

/// "2024-05-01T12:30:15.250Z"; the milliseconds only when they are not zero. A time outside of the
/// years 0000 to 9999 becomes its number.
[[nodiscard]] SARANGA_API std::string format_time(std::int64_t time_ms);

}  // namespace saranga::store
