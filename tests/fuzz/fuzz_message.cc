// Fuzzes stored messages: decoding, the text of Artemis, and JSON with every detail of bodies. The
// first byte is the type of the record: 30 and 31 have layouts of their own, all others are read as
// type 45.
#include <cstddef>
#include <cstdint>

#include "saranga/message/record_ids.h"
#include "saranga/message/stored_message.h"
#include "tests/fuzz/json_check.h"
#include "tools/print/core_json.h"
#include "tools/print/core_text.h"
#include "tools/print/describe.h"

namespace {

using namespace saranga;
using print::BodyDetail;

void check_inside(Bytes view, Bytes whole) {
  if (view.empty()) return;
  if (view.data() < whole.data()) __builtin_trap();
  if (view.data() + view.size() > whole.data() + whole.size()) __builtin_trap();
}

// What is handed out lies in the input, and the properties are as many as was said.
void check_core(const message::CoreMessage& core, Bytes input) {
  check_inside(core.buffer, input);
  check_inside(core.body, input);
  check_inside(core.headers.user_id, input);
  check_inside(core.headers.properties.entries(), input);
  message::TypedProperties::Iterator iterator(core.headers.properties);
  std::uint32_t count = 0;
  while (const auto property = iterator.next()) {
    check_inside(property->key.raw(), input);
    check_inside(property->value.bytes, input);
    check_inside(property->value.text.raw(), input);
    ++count;
  }
  if (count != core.headers.properties.count()) __builtin_trap();
}

void print_all(const message::StoredMessage& stored, bool large) {
  for (const bool safe : {false, true}) {
    TextBuffer text;
    print::append_message(text, stored, large, safe);
    (void)print::append_message_user_id(text, stored);
    if (large && stored.core) print::append_paged_large_message(text, *stored.core, safe);
  }
  for (const auto detail : {BodyDetail::kNone, BodyDetail::kSummary, BodyDetail::kText,
                            BodyDetail::kHex, BodyDetail::kFull}) {
    TextBuffer out;
    cli::JsonWriter json(out);
    json.begin_object();
    print::write_message_json(json, stored, large, detail);
    json.end_object();
    if (!saranga::test::is_balanced_json(out.view())) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const Bytes input = std::as_bytes(std::span(data + 1, size - 1));
  Cursor cursor(input);
  message::StoredMessage stored;
  const bool large = data[0] == message::kAddLargeMessage;
  if (large) {
    stored.core = message::read_large_message(cursor);
  } else if (data[0] == message::kAddMessage) {
    stored.core = message::read_old_message(cursor);
  } else {
    stored = message::read_stored_message(cursor);
  }
  if (cursor.position() > input.size()) __builtin_trap();
  if (stored.core) check_core(*stored.core, input);
  // The printers are only given what has been decoded whole.
  if (cursor.ok()) print_all(stored, large);
  return 0;
}
