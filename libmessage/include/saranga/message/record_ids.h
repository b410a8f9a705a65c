// The record type numbers of the message journal that code outside of the table has to know.
#pragma once

#include <cstdint>

namespace saranga::message {

inline constexpr std::int8_t kAddLargeMessagePending = 29;
inline constexpr std::int8_t kAddLargeMessage = 30;
inline constexpr std::int8_t kAddMessage = 31;  ///< before 2.0
inline constexpr std::int8_t kAddReference = 32;
inline constexpr std::int8_t kAcknowledgeReference = 33;
inline constexpr std::int8_t kDeliveryCount = 34;
inline constexpr std::int8_t kPageTransaction = 35;
inline constexpr std::int8_t kScheduledDelivery = 36;
inline constexpr std::int8_t kDuplicateId = 37;
inline constexpr std::int8_t kHeuristicCompletion = 38;
inline constexpr std::int8_t kAcknowledgeCursor = 39;
inline constexpr std::int8_t kPageCounterValue = 40;
inline constexpr std::int8_t kPageCounterIncrement = 41;
inline constexpr std::int8_t kPageComplete = 42;
inline constexpr std::int8_t kPendingCounter = 43;
inline constexpr std::int8_t kAddMessageProtocol = 45;
inline constexpr std::int8_t kAckRetry = 53;
inline constexpr std::int8_t kMqttPacketId = 54;
inline constexpr std::int8_t kAddMessageBody = 49;

}  // namespace saranga::message
