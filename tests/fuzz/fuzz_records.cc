// Fuzzes decoding, text and JSON of the records that are not messages. First byte: the journal;
// second: the type; third: the update flag and safe mode; then the body.
#include <cstdlib>

#include "tools/print/record_json.h"
#include "tools/print/record_text.h"

using namespace saranga;

namespace {

void print_record(unsigned journal, const print::RecordBody& record, bool safe) {
  TextBuffer text;
  TextBuffer json_text;
  cli::JsonWriter json(json_text);
  json.begin_object();
  Result<void> result;
  switch (journal % 3) {
    case 0:
      result = print::append_message_record_text(text, record);
      (void)print::write_message_record_json(json, record);
      break;
    case 1:
      result = print::append_bindings_record_text(text, record, safe);
      (void)print::write_bindings_record_json(json, record);
      break;
    default:
      result = print::append_jms_record_text(text, record);
      (void)print::write_jms_record_json(json, record);
      break;
  }
  json.end_object();
  // A failure prints nothing, and says why.
  if (!result && (!text.empty() || result.error().text.empty())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  print_record(data[0],
               {.id = 9,
                .user_type = static_cast<std::int8_t>(data[1]),
                .is_update = (data[2] & 1U) != 0,
                .body = std::as_bytes(std::span(data + 3, size - 3))},
               (data[2] & 2U) != 0);
  return 0;
}
