// The text that Artemis 2.56.0 prints for AMQP messages: toString() of its own classes, of the AMQP
// codec it uses, and of Java's collections.
#pragma once

#include "saranga/bytes/text_buffer.h"
#include "saranga/message/amqp_message.h"

namespace saranga::print {

/// How deep lists and maps are printed; what is nested deeper appears as "..." in text and as bytes
/// in JSON. No recursion follows the input beyond it.
inline constexpr int kMaximumAmqpDepth = 64;

/// Appends "AMQPStandardMessage( [durable=…]" or "AMQPLargeMessage( [durable=…]".
///
/// A message that the broker could not load (Artemis ends there with an exception) is printed as
/// far as it is understood, with scanningStatus=NOT_SCANNED.
void append_amqp_text(TextBuffer& out, const message::amqp::Stored& stored);

/// Appends the AMQP message-id as Artemis shows it as "userMessageID". False, and nothing appended,
/// when there is none.
bool append_amqp_user_id(TextBuffer& out, const message::amqp::Stored& stored);

/// Appends a value as Java prints what it is decoded to. Arrays, and described values of other
/// descriptors than those of AMQP itself, print their class and an identity hash there, which
/// differs from run to run; here the hash is always 0.
void append_amqp_value(TextBuffer& out, const message::amqp::Value& value);

}  // namespace saranga::print
