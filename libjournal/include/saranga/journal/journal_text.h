// A journal as lines of text, in the form of `artemis data encode` and `artemis data decode`
// (docs/format/journal.md#text-form): each line in both directions.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "saranga/bytes/text_buffer.h"
#include "saranga/journal/format.h"
#include "saranga/journal/record_encoder.h"

namespace saranga::journal {

/// Appends the line that stands in front of the records of a file. Control characters of the name
/// become question marks, so that it stays one line.
SARANGA_API void append_text_file(TextBuffer& out, std::string_view name, const FileHeader& header);

/// Appends the line of a record.
SARANGA_API void append_text_record(TextBuffer& out, const Record& record);

/// A line that begins a file.
struct TextFile {
  std::string_view name;
  std::int64_t id = 0;  ///< of its header
};

/// A line with a record.
struct TextRecord {
  RecordFields fields;    ///< the tag is 0: the text has none
  std::string_view body;  ///< still in base64 (kUrl)
  std::size_t body_column = 0;
  std::optional<std::uint64_t> length_bytes;  ///< of the decoded body, when the line says so
};

/// What is wrong with a line, and where, counted from 1.
struct TextProblem {
  std::size_t column = 0;
  std::string text;
};

/// Nothing: the line is empty.
using TextLine = std::variant<std::monostate, TextFile, TextRecord>;

/// Takes a line apart; the views are of `line`, which has no line end. The body is not looked at.
/// Fields may come in any order, each once; `length`, `isUpdate`, `compactCount` and, for a delete
/// in a transaction, `userRecordType` may be left out.
[[nodiscard]] SARANGA_API std::expected<TextLine, TextProblem> parse_text_line(
    std::string_view line);

}  // namespace saranga::journal
