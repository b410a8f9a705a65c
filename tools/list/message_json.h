// A listed message as JSON: the members of docs/json.md, saranga.messages/1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "saranga/store/live_messages.h"
#include "tools/cli/json_writer.h"
#include "tools/list/message_body.h"

namespace saranga::list {

/// Writes everything but the body into an object that is open.
void write_live_message(cli::JsonWriter& json, const store::LiveMessage& message,
                        const MessageBody& body, std::int64_t now_ms);

/// The size of the body: as encoded in its record, or of its file. Nothing when that is not there.
[[nodiscard]] std::optional<std::uint64_t> body_size(const store::LiveMessage& message,
                                                     const MessageBody& body);

/// The properties that a client gave, as a JSON object with typed values.
[[nodiscard]] std::string properties_json(const message::StoredMessage& message);

/// The object "body" alone; empty for a body that is not held in memory.
[[nodiscard]] std::string body_json(const MessageBody& body, BodyDetail detail);

}  // namespace saranga::list
