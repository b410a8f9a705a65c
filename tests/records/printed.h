// Shorthand for printing one record body in the tests of this folder.
#pragma once

#include <string>

#include "tests/records/samples.h"
#include "tools/print/record_json.h"
#include "tools/print/record_text.h"

namespace saranga::test {

inline print::RecordBody body_of(int type, Bytes body, bool is_update = false,
                                 std::int64_t id = 9) {
  return {
      .id = id, .user_type = static_cast<std::int8_t>(type), .is_update = is_update, .body = body};
}

/// The text, or "error: …" when the body does not decode.
inline std::string text_of(Journal journal, const print::RecordBody& record) {
  TextBuffer out;
  Result<void> result;
  switch (journal) {
    case Journal::kMessages: result = print::append_message_record_text(out, record); break;
    case Journal::kBindings: result = print::append_bindings_record_text(out, record); break;
    case Journal::kJms: result = print::append_jms_record_text(out, record); break;
  }
  return result ? out.str() : "error: " + result.error().message();
}

/// The members of the record in an object of their own.
inline std::string json_of(Journal journal, const print::RecordBody& record) {
  TextBuffer out;
  cli::JsonWriter json(out);
  json.begin_object();
  switch (journal) {
    case Journal::kMessages: (void)print::write_message_record_json(json, record); break;
    case Journal::kBindings: (void)print::write_bindings_record_json(json, record); break;
    case Journal::kJms: (void)print::write_jms_record_json(json, record); break;
  }
  json.end_object();
  return out.str();
}

}  // namespace saranga::test
