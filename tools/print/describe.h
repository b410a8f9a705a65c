// The description of a record as Artemis prints it: "recordID=…;userRecordType=…;…;TEXT".
#pragma once

#include <optional>
#include <string>

#include "saranga/bytes/text_buffer.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/format.h"
#include "saranga/message/stored_message.h"

namespace saranga::print {

/// Why a body could not be printed in full, when that is so.
using Problem = std::optional<std::string>;

/// Describes the records of one journal. Immutable: any number of threads may share it.
class Describer {
 public:
  /// `safe` is option --safe: what is in messages and bindings is not shown.
  Describer(journal::JournalKind kind, bool safe) : kind_(kind), safe_(safe) {}

  /// Appends "recordID=…;userRecordType=…;isUpdate=…;compactCount=…;" and the text of the body.
  [[nodiscard]] Problem append(TextBuffer& out, const journal::Record& record) const;

 private:
  [[nodiscard]] Problem append_text(TextBuffer& out, const journal::Record& record) const;

  journal::JournalKind kind_;
  bool safe_;
};

/// The text of a message without what surrounds it: "CoreMessage[…]@0", "AMQPStandardMessage( […]".
void append_message(TextBuffer& out, const message::StoredMessage& message, bool large, bool safe);

/// The message's user id, if it has one; false when nothing was appended.
bool append_message_user_id(TextBuffer& out, const message::StoredMessage& message);

}  // namespace saranga::print
