// Comma-separated values as RFC 4180 has them: CR LF behind each row, quotes where they are needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/bytes/text_buffer.h"

namespace saranga::cli {

/// Writes into a TextBuffer that the caller owns. Nothing is an empty field, an empty text is a
/// pair of quotes. What is no UTF-8, and U+0000, at which readers end, becomes U+FFFD: JSON is the
/// form that keeps everything.
class CsvWriter {
 public:
  explicit CsvWriter(TextBuffer& out) : out_(out) {}

  void text(std::string_view utf8);
  void nullable(const std::optional<std::string>& utf8);
  void number(std::int64_t value);
  void number(std::uint64_t value);
  void truth(bool value);
  void nothing() { separate(); }
  void end_row();

  /// Fields in which something became U+FFFD.
  [[nodiscard]] std::uint64_t replaced() const { return replaced_; }

 private:
  void separate();

  TextBuffer& out_;
  std::uint64_t replaced_ = 0;
  bool first_ = true;
};

}  // namespace saranga::cli
