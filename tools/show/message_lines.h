// One message in full, as lines "key: value".
#pragma once

#include <cstdint>
#include <string>

#include "tools/list/message_body.h"

namespace saranga::show {

/// Headers, properties and body, each line behind two blanks. `now_ms` tells what has expired.
[[nodiscard]] std::string message_lines(const store::LiveMessage& message,
                                        const list::MessageBody& body, list::BodyDetail detail,
                                        std::int64_t now_ms);

}  // namespace saranga::show
