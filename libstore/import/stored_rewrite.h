// Stored messages under another id or address, or in the encoding of present releases. Private to
// this folder.
#pragma once

#include <optional>
#include <vector>

#include "saranga/message/stored_message.h"
#include "saranga/store/fact.h"

namespace saranga::store {

/// A message out of an archive, decoded. Views of its bytes.
struct DecodedStored {
  std::int8_t type = 0;  ///< of the record that its bytes are the body of
  message::StoredMessage message{};
  bool large = false;    ///< its body is a file
  bool hornetq = false;  ///< has properties by HornetQ's names

  [[nodiscard]] bool core_large() const;
};

/// kInvalidArgument when the bytes are no message.
[[nodiscard]] Result<DecodedStored> decode_stored_message(std::int8_t type, Bytes encoded);

/// What is to be different.
struct StoredChanges {
  std::int64_t id = 0;
  std::optional<Text> address{};  ///< nothing: as it was
};

/// Whether anything has to be changed: releases from 2.0 on refuse messages in the encoding of
/// those before, and know properties such as _HQ_SCHED_DELIVERY as _AMQ_SCHED_DELIVERY.
[[nodiscard]] bool needs_rewrite(const DecodedStored& stored, const StoredChanges& changes);

struct RewrittenStored {
  std::int8_t type = 0;
  std::vector<std::byte> encoded;
};
[[nodiscard]] Result<RewrittenStored> rewrite_stored(const DecodedStored& stored,
                                                     const StoredChanges& changes);

}  // namespace saranga::store
