#include "tools/cli/csv_writer.h"

#include "saranga/bytes/utf8.h"

namespace saranga::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_no_text(std::uint32_t c) {
  return c == 0 || (c & kNotUtf8) != 0 || (c >= 0xD800 && c < 0xE000);
}

}  // namespace

void CsvWriter::separate() {
  if (!first_) out_.put(',');
  first_ = false;
}

void CsvWriter::text(std::string_view utf8) {
  separate();
  const bool quoted = utf8.empty() || utf8.find_first_of("\",\r\n") != std::string_view::npos ||
                      utf8.front() == ' ' || utf8.back() == ' ';
  if (quoted) out_.put('"');
  bool replaces = false;
  while (!utf8.empty()) {
    const std::string_view before = utf8;
    const std::uint32_t c = take_code_point(utf8);
    if (c == '"') out_.put('"');
    replaces = replaces || is_no_text(c);
    out_.put(is_no_text(c) ? kReplacement : before.substr(0, before.size() - utf8.size()));
  }
  replaced_ += replaces ? 1 : 0;
  if (quoted) out_.put('"');
}

void CsvWriter::nullable(const std::optional<std::string>& utf8) {
  if (utf8) {
    text(*utf8);
  } else {
    nothing();
  }
}

void CsvWriter::number(std::int64_t value) {
  separate();
  out_.put_int(value);
}

void CsvWriter::number(std::uint64_t value) {
  separate();
  out_.put_unsigned(value);
}

void CsvWriter::truth(bool value) {
  separate();
  out_.put_boolean(value);
}

void CsvWriter::end_row() {
  out_.put("\r\n");
  first_ = true;
}

}  // namespace saranga::cli
