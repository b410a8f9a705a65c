// Properties and bodies of messages as text for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saranga/store/live_messages.h"
#include "tools/list/message_body.h"

namespace saranga::list {

/// The properties that a client gave, with their values as text; neither is made safe to show.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> property_entries(
    const message::StoredMessage& message);

/// The same as "name=value, …", on one line.
[[nodiscard]] std::string properties_text(const message::StoredMessage& message);

/// The body as whole lines, each behind `indent`: its text, a dump, or what it is and its size.
[[nodiscard]] std::string body_lines(const store::LiveMessage& message, const MessageBody& body,
                                     BodyDetail detail, std::string_view indent);

}  // namespace saranga::list
