// The record type numbers of the bindings journal that code outside of the table has to know.
#pragma once

#include <cstdint>

namespace saranga::bindings {

inline constexpr std::int8_t kQueueBinding = 21;
inline constexpr std::int8_t kQueueStatus = 22;
inline constexpr std::int8_t kIdCounter = 24;
inline constexpr std::int8_t kAddressSetting = 25;
inline constexpr std::int8_t kSecuritySetting = 26;
inline constexpr std::int8_t kAddressBinding = 44;
inline constexpr std::int8_t kAddressStatus = 46;

}  // namespace saranga::bindings
