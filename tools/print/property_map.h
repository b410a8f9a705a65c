// The properties of a message as a Java map holds them.
#pragma once

#include <span>

#include "saranga/message/typed_properties.h"

namespace saranga::print {

/// Each key once, at its first place in stored order and with its last value. Views of the block;
/// the span holds until the thread's next call.
[[nodiscard]] std::span<message::Property> unique_properties(
    const message::TypedProperties& properties);

}  // namespace saranga::print
