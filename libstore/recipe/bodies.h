// Bodies of records and payloads of page entries, from the words of a recipe and back
// (docs/recipes.md#bodies).
#pragma once

#include <string_view>

#include "libstore/recipe/words.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/format.h"

namespace saranga::store {

/// The number of a record type: its name in the table of the journal, or a number.
[[nodiscard]] Parsed<std::int8_t> read_record_type(Word word, journal::JournalKind kind);

/// What a body is for.
struct BodyPurpose {
  journal::JournalKind journal = journal::JournalKind::kMessages;
  std::int8_t user_type = 0;
  bool is_update = false;
  std::int64_t record_id = 0;
};

/// The body that the arguments describe: bytes, a Core message, or the fields of the record type.
[[nodiscard]] Parsed<std::vector<std::byte>> read_body(Arguments& arguments,
                                                       const BodyPurpose& purpose);
/// An Xid: bytes, or format=, branch= and global=.
[[nodiscard]] Parsed<std::vector<std::byte>> read_xid_body(Arguments& arguments);
/// The payload of a page entry: bytes, or a message with queues= and tx=.
[[nodiscard]] Parsed<std::vector<std::byte>> read_page_payload(Arguments& arguments);

/// Append " " and the words that give exactly these bytes.
void put_record_type(TextBuffer& out, std::int8_t type, journal::JournalKind kind);
void put_body(TextBuffer& out, Bytes body, const BodyPurpose& purpose);
void put_xid_body(TextBuffer& out, Bytes body);
void put_page_payload(TextBuffer& out, Bytes payload);

}  // namespace saranga::store
