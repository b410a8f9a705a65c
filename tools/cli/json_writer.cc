#include "tools/cli/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "saranga/bytes/base64.h"

namespace saranga::cli {
namespace {

// Which bytes can stand in a JSON string as they are. 0xED may start a surrogate in WTF-8.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0x20; c < 256; ++c) plain[static_cast<std::size_t>(c)] = true;
  plain['"'] = plain['\\'] = plain[0x7F] = plain[0xED] = false;
  return plain;
}();

void put_unit(TextBuffer& out, unsigned unit) {
  static constexpr char kHex[] = "0123456789abcdef";
  const char escape[] = {
      '\\',           'u', kHex[unit >> 12 & 15], kHex[unit >> 8 & 15], kHex[unit >> 4 & 15],
      kHex[unit & 15]};
  out.put(std::string_view(escape, sizeof escape));
}

// Writes the escaped form of the character at `at`; returns how many bytes it covers.
std::size_t put_escaped(TextBuffer& out, std::string_view text, std::size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  switch (c) {
    case '"': out.put("\\\""); return 1;
    case '\\': out.put("\\\\"); return 1;
    case '\n': out.put("\\n"); return 1;
    case '\r': out.put("\\r"); return 1;
    case '\t': out.put("\\t"); return 1;
    default: break;
  }
  if (c == 0xED && at + 2 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) {
    const unsigned low = static_cast<unsigned char>(text[at + 2]) & 0x3FU;
    put_unit(out, 0xD000U | (static_cast<unsigned char>(text[at + 1]) & 0x3FU) << 6 | low);
    return 3;
  }
  if (c == 0xED) {
    out.put(static_cast<char>(c));
  } else {
    put_unit(out, c);
  }
  return 1;
}

template <class T>
void put_real(JsonWriter& json, TextBuffer& out, T number) {
  if (std::isnan(number)) return json.value("NaN");
  if (std::isinf(number)) return json.value(number < 0 ? "-Infinity" : "Infinity");
  json.value(std::int64_t{0});
  out.truncate(out.size() - 1);  // value(0) has put the separator; its digit is replaced
  char* at = out.reserve(40);
  out.commit(static_cast<std::size_t>(std::to_chars(at, at + 40, number).ptr - at));
}

}  // namespace

void JsonWriter::quoted(std::string_view text) {
  out_.put('"');
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (kPlain[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    out_.put(text.substr(from, at - from));
    at += put_escaped(out_, text, at);
    from = at;
  }
  out_.put(text.substr(from));
  out_.put('"');
}

void JsonWriter::key(std::string_view name) {
  separate();
  out_.put('"');
  out_.put(name);
  out_.put("\":");
  comma_ = false;
}

void JsonWriter::key(const Text& name) {
  value(name);
  out_.put(':');
  comma_ = false;
}

void JsonWriter::value(std::string_view utf8) {
  separate();
  quoted(utf8);
}

void JsonWriter::value(const Text& text) {
  separate();
  scratch_.clear();
  text.append_to(scratch_);
  quoted(scratch_.view());
}

void JsonWriter::value(std::int64_t number) {
  separate();
  out_.put_int(number);
}

void JsonWriter::value(std::uint64_t number) {
  separate();
  out_.put_unsigned(number);
}

void JsonWriter::value(bool truth) {
  separate();
  out_.put_boolean(truth);
}

void JsonWriter::value(double number) { put_real(*this, out_, number); }
void JsonWriter::value(float number) { put_real(*this, out_, number); }

void JsonWriter::null() {
  separate();
  out_.put("null");
}

void JsonWriter::base64(Bytes bytes) {
  separate();
  out_.put('"');
  append_base64(out_, bytes, Base64Alphabet::kStandard);
  out_.put('"');
}

}  // namespace saranga::cli
