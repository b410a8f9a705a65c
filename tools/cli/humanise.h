// Numbers as people read them. Programs get the exact ones, in JSON and CSV.
#pragma once

#include <cstdint>
#include <string>

namespace saranga::cli {

/// "0 B", "999 B", "1.5 KiB", "12 MiB", "3.25 GiB": three digits, units of 1024.
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// "1,234,567".
[[nodiscard]] std::string human_count(std::uint64_t count);

/// A span of time by its two largest units: "350ms", "12s", "5m 2s", "3h 20m", "2d 4h", "1y 30d".
/// One that is negative lies ahead: "in 5m".
[[nodiscard]] std::string human_age(std::int64_t age_ms);

/// "3 messages", "1 message": `noun` gets an s unless it is one.
[[nodiscard]] std::string human_plural(std::uint64_t count, const char* noun);

}  // namespace saranga::cli
