// XML as Artemis writes its exports: an element a line, three blanks a level, no declaration
// (docs/format/export-xml.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/text_buffer.h"
#include "tools/cli/output.h"

namespace saranga::exporting {

/// Appends WTF-8 as the value of an attribute. Tabs and line ends are written so that a parser
/// gives them back. False when a character had to become U+FFFD, because XML has no way to write
/// it.
bool append_attribute_value(TextBuffer& out, std::string_view text);

/// Streams one document. Names are constants. What it writes is well-formed whatever the values
/// hold.
class XmlWriter {
 public:
  explicit XmlWriter(cli::Output& output) : output_(output) {}

  /// Begins an element with children. Attributes may follow until something else is written.
  void begin(std::string_view name);
  void end();
  /// Begins an element without children; end_empty() ends it.
  void begin_empty(std::string_view name);
  void end_empty();

  void attribute(std::string_view name, std::int64_t value);
  /// `value` is WTF-8. When XML cannot hold it, U+FFFD stands for what it lacks, and a second
  /// attribute, "x-<name>-utf16", has all of its UTF-16 units, in Base64. Returns whether it can.
  bool attribute(std::string_view name, std::string_view value);
  /// Only the second form, for a value that means something else to readers of the first.
  void utf16_attribute(std::string_view name, std::string_view value);

  /// A CDATA section of its own line with the bytes in URL-safe Base64.
  void base64_cdata(Bytes bytes);

 private:
  static constexpr std::size_t kMostLevels = 8;

  void new_line();
  void close_tag();

  cli::Output& output_;
  std::string_view names_[kMostLevels]{};
  std::size_t level_ = 0;
  bool open_tag_ = false;
};

}  // namespace saranga::exporting
