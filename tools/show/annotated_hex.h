// A record as annotated hexadecimal: each field with its bytes and its meaning.
#pragma once

#include <cstdint>

#include "saranga/bytes/text_buffer.h"
#include "saranga/journal/format.h"

namespace saranga::show {

/// Writes the fields of a whole record, one a line, and its body as a dump. `bytes` are those of
/// the record; `format_version` that of its file.
void annotate_record(TextBuffer& out, Bytes bytes, const journal::Record& record,
                     std::int32_t format_version);

/// Writes a plain dump: sixteen bytes a line, with their offsets and characters.
void dump_bytes(TextBuffer& out, Bytes bytes, std::uint64_t offset);

}  // namespace saranga::show
