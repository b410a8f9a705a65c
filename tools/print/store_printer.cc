#include "tools/print/store_printer.h"

#include <fmt/format.h>

#include "saranga/message/record_ids.h"

namespace saranga::print {

void note_counter(RecordNotes& notes, const journal::Record& record, std::size_t text_position) {
  const bool increment = record.user_type == message::kPageCounterIncrement;
  if (!increment && record.user_type != message::kPageCounterValue) return;
  Cursor cursor(record.body);
  CounterNote note{.text_position = text_position, .increment = increment};
  note.queue = cursor.i64();
  note.value = increment ? cursor.i32() : cursor.i64();
  if (!cursor.ok()) return;
  // Before 2.5.0 the record ends here.
  if (cursor.remaining() >= 8) note.size_bytes = cursor.i64();
  notes.counters.push_back(note);
}

Finding undecodable(std::string_view file, std::uint64_t offset, std::uint64_t length,
                    std::optional<std::int64_t> id, std::string_view problem) {
  return {.code = "body-undecodable",
          .severity = Severity::kDamage,
          .file = std::string(file),
          .offset = offset,
          .length_bytes = length,
          .id = id,
          .text = fmt::format("the frame is whole, but its content does not decode: {}", problem)};
}

}  // namespace saranga::print
