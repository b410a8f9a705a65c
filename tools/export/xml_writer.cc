#include "tools/export/xml_writer.h"

#include <cassert>
#include <vector>

#include "saranga/bytes/base64.h"
#include "saranga/bytes/text.h"
#include "saranga/bytes/utf8.h"

namespace saranga::exporting {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kIndent = "                        ";
constexpr std::size_t kIndentOfLevel = 3;
constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
constexpr std::uint32_t kFirstSurrogate = 0xD800;
constexpr std::uint32_t kLastSurrogate = 0xDFFF;
constexpr std::uint32_t kFirstSupplementary = 0x10000;

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '&' && c != '<' && c != '>' && c != '"';
}

// The characters that XML 1.0 allows.
bool has_form(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < kFirstSurrogate || (code > kLastSurrogate && code < 0xFFFE) ||
         (code >= kFirstSupplementary && code <= 0x10FFFF);
}

void put_escaped(TextBuffer& out, std::uint32_t code) {
  switch (code) {
    case '&': return out.put("&amp;");
    case '<': return out.put("&lt;");
    case '>': return out.put("&gt;");
    case '"': return out.put("&quot;");
    case '\t': return out.put("&#9;");
    case '\n': return out.put("&#10;");
    case '\r': return out.put("&#13;");
    default: return append_code_point(out, code);
  }
}

std::vector<std::byte> utf16_of(std::string_view text) {
  std::vector<std::byte> units;
  const auto put = [&](std::uint32_t unit) {
    units.push_back(static_cast<std::byte>(unit >> 8));
    units.push_back(static_cast<std::byte>(unit));
  };
  while (!text.empty()) {
    std::uint32_t code = take_code_point(text);
    if ((code & kNotUtf8) != 0) code = 0xFFFD;
    if (code < kFirstSupplementary) {
      put(code);
    } else {
      put(kFirstSurrogate + ((code - kFirstSupplementary) >> 10));
      put(0xDC00 + ((code - kFirstSupplementary) & 0x3FF));
    }
  }
  return units;
}

}  // namespace

bool append_attribute_value(TextBuffer& out, std::string_view text) {
  bool exact = true;
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out.put(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::uint32_t code = take_code_point(text);
    if ((code & kNotUtf8) != 0 || !has_form(code)) {
      out.put(kReplacement);
      exact = false;
    } else {
      put_escaped(out, code);
    }
  }
  return exact;
}

void XmlWriter::new_line() {
  close_tag();
  TextBuffer& out = output_.buffer();
  if (out.size() >= kFlushBytes) output_.flush();
  out.put('\n');
  out.put(kIndent.substr(0, level_ * kIndentOfLevel));
}

void XmlWriter::close_tag() {
  if (open_tag_) output_.buffer().put('>');
  open_tag_ = false;
}

void XmlWriter::begin(std::string_view name) {
  assert(level_ < kMostLevels);
  new_line();
  output_.buffer().put('<');
  output_.buffer().put(name);
  names_[level_++] = name;
  open_tag_ = true;
}

void XmlWriter::end() {
  close_tag();
  --level_;
  new_line();
  TextBuffer& out = output_.buffer();
  out.put("</");
  out.put(names_[level_]);
  out.put('>');
}

void XmlWriter::begin_empty(std::string_view name) {
  new_line();
  output_.buffer().put('<');
  output_.buffer().put(name);
}

void XmlWriter::end_empty() { output_.buffer().put("/>"); }

void XmlWriter::attribute(std::string_view name, std::int64_t value) {
  TextBuffer& out = output_.buffer();
  out.put(' ');
  out.put(name);
  out.put("=\"");
  out.put_int(value);
  out.put('"');
}

bool XmlWriter::attribute(std::string_view name, std::string_view value) {
  TextBuffer& out = output_.buffer();
  out.put(' ');
  out.put(name);
  out.put("=\"");
  const bool exact = append_attribute_value(out, value);
  out.put('"');
  if (!exact) utf16_attribute(name, value);
  return exact;
}

void XmlWriter::utf16_attribute(std::string_view name, std::string_view value) {
  TextBuffer& out = output_.buffer();
  out.put(" x-");
  out.put(name);
  out.put("-utf16=\"");
  append_base64(out, utf16_of(value), Base64Alphabet::kUrl);
  out.put('"');
}

void XmlWriter::base64_cdata(Bytes bytes) {
  new_line();
  TextBuffer& out = output_.buffer();
  out.put("<![CDATA[");
  append_base64(out, bytes, Base64Alphabet::kUrl);
  out.put("]]>");
}

}  // namespace saranga::exporting
