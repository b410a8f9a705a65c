// The body of an AMQP message as that of a Core message. Private to the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "saranga/message/amqp_message.h"
#include "saranga/message/core_message.h"

namespace saranga::message::amqp {

/// What the property JMS_AMQP_ORIGINAL_ENCODING tells of the body that was.
enum class OriginalEncoding : std::int16_t {
  kNone = 1,
  kData = 2,
  kSequence = 3,
  kValueNull = 4,
  kValueString = 5,
  kValueBinary = 6,
  kValueMap = 7,
  kValueList = 8,
};

struct CoreBody {
  CoreType type = CoreType::kBytes;
  std::vector<std::byte> bytes{};              ///< encoded as the type wants it
  std::optional<OriginalEncoding> encoding{};  ///< none for a body of encoded AMQP
  bool inexact = false;                        ///< a value has changed its type
  bool kept_as_amqp = false;                   ///< Core has no body for it: its AMQP encoding
};

/// `content_type` is that of the properties, empty when there is none.
[[nodiscard]] CoreBody core_body(const Message& message, std::string_view content_type);

}  // namespace saranga::message::amqp
