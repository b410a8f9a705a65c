// Core messages as JSON; every property keeps its type (docs/json.md).
#pragma once

#include "saranga/message/stored_message.h"
#include "tools/cli/json_writer.h"
#include "tools/print/body_detail.h"

namespace saranga::print {

/// Writes {"key":{"type":…,"value":…}, …}; bytes have "value_b64". False when the object does not
/// tell everything: a key occurs more than once, or is no whole text.
bool write_properties_json(cli::JsonWriter& json, const message::TypedProperties& properties);

/// Writes the member "body" of a record that is a piece of a large message's body.
void write_body_piece_json(cli::JsonWriter& json, Bytes piece, BodyDetail detail);

/// Writes the member "body". That of a large message can be put into `message.body` before.
void write_core_body_json(cli::JsonWriter& json, const message::CoreMessage& message,
                          BodyDetail detail);

/// Writes the members of a Core message into an object that is open. `large` says that the body is
/// a file of its own.
void write_core_json(cli::JsonWriter& json, const message::CoreMessage& message, bool large,
                     BodyDetail detail);

/// Writes the member "message" of any stored message.
void write_message_json(cli::JsonWriter& json, const message::StoredMessage& message, bool large,
                        BodyDetail detail);

}  // namespace saranga::print
