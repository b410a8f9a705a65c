// Artemis' text of Core messages and of typed properties.
#pragma once

#include "saranga/bytes/text_buffer.h"
#include "saranga/message/core_message.h"

namespace saranga::print {

/// "TypedProperties[k=v, …]" in the order in which Artemis' hash map lists the entries.
void append_typed_properties(TextBuffer& out, const message::TypedProperties& properties);
/// The same for an encoded block, flag and count included; as many entries as can be read.
void append_typed_properties(TextBuffer& out, Bytes block);

/// "CoreMessage[…]@0"; the number behind @ is an identity hash in Artemis.
void append_core_message(TextBuffer& out, const message::CoreMessage& message);
/// What Artemis prints for a large Core message of a page: "NullStorageLargeServerMessage[…]".
void append_paged_large_message(TextBuffer& out, const message::CoreMessage& message, bool safe);
/// "LargeServerMessage[…]@0"
void append_large_message(TextBuffer& out, const message::CoreMessage& message);

}  // namespace saranga::print
