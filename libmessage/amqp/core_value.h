// AMQP values as the values of Core properties, maps and streams. Private to the library.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "saranga/message/amqp_value.h"
#include "saranga/message/typed_properties.h"

namespace saranga::message::amqp {

/// A value that Core can hold.
struct CoreValue {
  PropertyValue value{};
  bool inexact = false;  ///< it is of another type than before, in a way that shows
};

/// Unsigned integers become the smallest signed type, of their own width or wider, that holds them;
/// a timestamp its milliseconds, a uuid its text. Nothing for lists, maps, arrays, decimals and
/// described values. Texts that have to be made go to `texts`, the others are views of the value.
[[nodiscard]] std::optional<CoreValue> core_value(const Value& value,
                                                  std::deque<std::string>& texts);

/// 8-4-4-4-12 lower-case digits of 16 bytes.
[[nodiscard]] std::string uuid_text(Bytes bytes);

}  // namespace saranga::message::amqp
