// The two halves of an encoded AMQP value, for the decoders of this folder.
#pragma once

#include "saranga/bytes/cursor.h"

namespace saranga::message::amqp {

/// Takes a constructor: one code, or 00, a descriptor and again a constructor.
[[nodiscard]] Bytes take_constructor(Cursor& cursor);

/// Takes the content that belongs to a code, its size and count fields included.
[[nodiscard]] Bytes take_content(Cursor& cursor, std::uint8_t code);

}  // namespace saranga::message::amqp
