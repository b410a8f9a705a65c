#include "tools/print/describe.h"

#include "saranga/bytes/base64.h"
#include "saranga/message/record_ids.h"
#include "tools/print/amqp_text.h"
#include "tools/print/core_text.h"
#include "tools/print/java_text.h"
#include "tools/print/record_text.h"

namespace saranga::print {
namespace {

using journal::JournalKind;
using journal::Record;
using message::StoredMessage;

RecordBody body_of(const Record& record) {
  return {.id = record.id,
          .user_type = record.user_type,
          .is_update = record.is_update(),
          .body = record.body};
}

bool is_message(std::int8_t type) {
  return type == message::kAddMessageProtocol || type == message::kAddLargeMessage ||
         type == message::kAddMessage;
}

// What could not be decoded is still a record: the line says so and goes on.
void append_undecodable(TextBuffer& out, std::size_t from, std::string_view problem) {
  out.truncate(from);
  out.put("** undecodable: ");
  out.put(problem);
  out.put(" **");
}

void append_safe_message(TextBuffer& out, const StoredMessage& message, bool large) {
  if (message.amqp) {
    out.put(message.amqp->is_large() ? "AMQPLargeMessage" : "AMQPStandardMessage");
    out.put("(safe data, size=");
    out.put_unsigned(message.amqp->encoded.size());
    return out.put(')');
  }
  if (large) return out.put("LargeServerMessageImpl(safe data)");
  out.put("CoreMessage(safe data, size=");
  out.put_unsigned(message.core->buffer.size());
  out.put(')');
}

Problem append_message_record(TextBuffer& out, const Record& record, bool safe) {
  const std::size_t from = out.size();
  const bool core_large = record.user_type == message::kAddLargeMessage;
  Cursor cursor(record.body);
  StoredMessage message;
  if (record.user_type == message::kAddMessageProtocol) {
    message = message::read_stored_message(cursor);
  } else if (core_large) {
    message.core = message::read_large_message(cursor);
  } else {
    message.core = message::read_old_message(cursor);
  }
  if (!cursor.ok()) {
    append_undecodable(out, from, cursor.problem());
    return cursor.problem();
  }
  if (safe) {
    append_safe_message(out, message, core_large);
    return std::nullopt;
  }
  const bool large = core_large || (message.amqp && message.amqp->is_large());
  out.put(large ? "LargeMessage(messageID=" : "Message(messageID=");
  out.put_int(message.id());
  out.put(";userMessageID=");
  if (append_message_user_id(out, message)) {
    out.put(";msg=");
  } else {
    out.truncate(out.size() - std::string_view("userMessageID=").size());
    out.put("msg=");
  }
  append_message(out, message, core_large, false);
  return std::nullopt;
}

}  // namespace

void append_message(TextBuffer& out, const StoredMessage& message, bool large, bool safe) {
  if (safe) return append_safe_message(out, message, large);
  if (message.amqp) return append_amqp_text(out, *message.amqp);
  if (!message.core) return;
  if (large) return append_large_message(out, *message.core);
  append_core_message(out, *message.core);
}

bool append_message_user_id(TextBuffer& out, const StoredMessage& message) {
  if (message.amqp) return append_amqp_user_id(out, *message.amqp);
  if (!message.core || message.core->headers.user_id.empty()) return false;
  append_uuid(out, message.core->headers.user_id);
  return true;
}

Problem Describer::append_text(TextBuffer& out, const Record& record) const {
  if (record.kind == journal::RecordKind::kDeleteTx) {
    out.put(kNoText);
    return std::nullopt;
  }
  if (kind_ == JournalKind::kMessages && is_message(record.user_type)) {
    return append_message_record(out, record, safe_);
  }
  const std::size_t from = out.size();
  const RecordBody body = body_of(record);
  const Result<void> printed =
      kind_ == JournalKind::kMessages   ? append_message_record_text(out, body)
      : kind_ == JournalKind::kBindings ? append_bindings_record_text(out, body, safe_)
                                        : append_jms_record_text(out, body);
  if (printed) return std::nullopt;
  append_undecodable(out, from, printed.error().text);
  return printed.error().text;
}

Problem Describer::append(TextBuffer& out, const Record& record) const {
  out.put("recordID=");
  out.put_int(record.id);
  out.put(";userRecordType=");
  out.put_int(record.user_type);
  out.put(record.is_update() ? ";isUpdate=true;compactCount=" : ";isUpdate=false;compactCount=");
  out.put_int(record.compact_count);
  out.put(';');
  return append_text(out, record);
}

}  // namespace saranga::print
