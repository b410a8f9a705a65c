// Artemis' text (release 2.56) of the records that are not messages, as `data print` shows them.
#pragma once

#include "saranga/bytes/error.h"
#include "saranga/bytes/fields.h"
#include "saranga/bytes/text_buffer.h"
#include "tools/print/record_body.h"

namespace saranga::print {

/// What Artemis prints for types whose text it doesn't know.
inline constexpr std::string_view kNoText = "** null **";

/// Appends the text of a record of the message journal. Of the types 30, 31 and 45, which hold
/// messages, it knows nothing but kNoText. When the body does not decode, nothing is appended and
/// the error says why.
[[nodiscard]] Result<void> append_message_record_text(TextBuffer& out, const RecordBody& record);

/// The same for a record of the bindings journal. `safe` is option --safe: types 21 and 44 are then
/// only named.
[[nodiscard]] Result<void> append_bindings_record_text(TextBuffer& out, const RecordBody& record,
                                                       bool safe = false);

/// The same for a record of the JMS journal, which Artemis has no text for: this one is ours.
[[nodiscard]] Result<void> append_jms_record_text(TextBuffer& out, const RecordBody& record);

/// "XidImpl (0 bq:… formatID:… gtxid:… base64:…". The 0 is an identity hash in Artemis, and there
/// is no closing parenthesis.
void append_xid_text(TextBuffer& out, const Xid& xid);

}  // namespace saranga::print
