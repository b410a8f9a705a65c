// Fuzzes AMQP messages: the stored forms, the sections, every nested value, and both printers. The
// first byte is the type of a record and is not looked at, the second the persister id.
#include <cstddef>
#include <cstdint>

#include "saranga/bytes/text_buffer.h"
#include "saranga/message/amqp_message.h"
#include "tools/print/amqp_json.h"
#include "tools/print/amqp_text.h"

namespace {

using namespace saranga;
using namespace saranga::message::amqp;

// Values that a checked value holds must all be readable.
void check(const Value& value) {
  if (check_value(value) != nullptr) return;
  Elements elements = value.elements();
  if (value.elements_are_empty()) return;
  const std::uint32_t announced = elements.left();
  std::uint32_t found = 0;
  while (elements.next()) ++found;
  if (found != announced || !elements.ok()) __builtin_trap();
}

void print_all(const Stored& stored) {
  TextBuffer out;
  print::append_amqp_text(out, stored);
  print::append_amqp_user_id(out, stored);
  for (const auto detail :
       {print::BodyDetail::kText, print::BodyDetail::kHex, print::BodyDetail::kFull}) {
    out.clear();
    cli::JsonWriter json(out);
    json.begin_object();
    print::write_amqp_json(json, stored, detail);
    json.end_object();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  Cursor cursor(input.subspan(2));
  Stored stored{.persister_id = data[1]};
  const bool decoded = decode_stored(cursor, stored);
  if (decoded != cursor.ok()) __builtin_trap();
  print_all(stored);

  const Message message = Message::of(stored);
  for (const auto kind : {SectionKind::kHeader, SectionKind::kMessageAnnotations,
                          SectionKind::kProperties, SectionKind::kApplicationProperties}) {
    check(message.section(kind).value);
  }
  BodySections body = message.body();
  while (const auto section = body.next()) check(section->value);

  print_all({.persister_id = kPersisterV3, .encoded = input.subspan(1)});
  Cursor values(input.subspan(1));
  const Value value = Value::read(values);
  Cursor again(input.subspan(1));
  if (skip_value(again) != values.ok()) __builtin_trap();
  if (values.ok() && values.position() != again.position()) __builtin_trap();
  check(value);
  return 0;
}
