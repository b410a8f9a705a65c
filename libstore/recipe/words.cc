#include "libstore/recipe/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "saranga/bytes/base64.h"

namespace saranga::store {
namespace {

constexpr std::string_view kHex = "hex:";
constexpr std::string_view kBase64 = "b64:";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The position behind the quotes that open at `at`; npos when they are not closed.
std::size_t quotes_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

// The first `wanted` outside of quotes, or the end.
std::size_t find_bare(std::string_view text, char wanted, std::size_t at = 0) {
  while (at < text.size() && text[at] != wanted) {
    at = text[at] == '"' ? std::min(quotes_end(text, at), text.size()) : at + 1;
  }
  return std::min(at, text.size());
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Reads the escape behind the backslash at `at`, which moves behind it; false when it is none.
bool read_escape(std::string_view text, std::size_t& at, TextBuffer& out) {
  const char kind = at + 1 < text.size() ? text[at + 1] : '\0';
  at += 2;
  switch (kind) {
    case 'n': out.put('\n'); return true;
    case 'r': out.put('\r'); return true;
    case 't': out.put('\t'); return true;
    case '"':
    case '\\': out.put(kind); return true;
    case 'u': break;
    default: return false;
  }
  std::uint32_t point = 0;
  for (std::size_t i = 0; i < 4; ++i, ++at) {
    const int digit = at < text.size() ? digit_of(text[at]) : -1;
    if (digit < 0) return false;
    point = point * 16 + static_cast<std::uint32_t>(digit);
  }
  append_code_point(out, point);
  return true;
}

}  // namespace

Parsed<std::vector<Word>> split_words(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    if (line[at] == '#') break;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) {
      if (line[at] != '"') {
        ++at;
        continue;
      }
      const std::size_t end = quotes_end(line, at);
      if (end == std::string_view::npos) {
        return Word{.text = {}, .column = at + 1}.problem("these quotes are not closed");
      }
      at = end;
    }
    words.push_back({.text = line.substr(begin, at - begin), .column = begin + 1});
  }
  return words;
}

std::vector<Word> split_list(Word word) {
  std::vector<Word> parts;
  if (word.text.empty()) return parts;
  for (std::size_t at = 0; at <= word.text.size();) {
    const std::size_t end = find_bare(word.text, ',', at);
    parts.push_back({.text = word.text.substr(at, end - at), .column = word.column + at});
    at = end + 1;
  }
  return parts;
}

Parsed<std::int64_t> read_number(Word word, std::int64_t least, std::int64_t most) {
  std::string_view digits = word.text;
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
  if (error == std::errc::invalid_argument || stop != end || digits.empty()) {
    return word.problem(fmt::format("expected a number, found '{:.40}'", word.text));
  }
  if (error != std::errc{} || value < least || value > most) {
    return word.problem(fmt::format("{:.40} is not from {} to {}", word.text, least, most));
  }
  return value;
}

Parsed<std::string> read_text(Word word) {
  if (!word.text.starts_with('"')) {
    if (word.text.find('"') == std::string_view::npos) return std::string(word.text);
    return word.problem("quotes have to enclose the whole text");
  }
  if (quotes_end(word.text, 0) != word.text.size()) {
    return word.problem("something stands behind the quotes");
  }
  const std::string_view inside = word.text.substr(0, word.text.size() - 1);
  std::string text;
  text.reserve(inside.size() - 1);
  TextBuffer escaped;
  for (std::size_t at = 1; at < inside.size();) {
    const std::size_t plain_end = std::min(inside.find('\\', at), inside.size());
    text += inside.substr(at, plain_end - at);
    at = plain_end;
    if (at == inside.size()) break;
    const std::size_t column = word.column + at;
    escaped.clear();
    const bool known = read_escape(inside, at, escaped);
    text += escaped.view();
    if (!known) {
      return Word{.text = {}, .column = column}.problem(
          "expected \\n, \\r, \\t, \\\", \\\\ or \\u and four hexadecimal digits");
    }
  }
  return text;
}

Parsed<std::vector<std::byte>> read_bytes(Word word) {
  std::vector<std::byte> bytes;
  if (word.text.starts_with(kBase64)) {
    const std::string_view text = word.text.substr(kBase64.size());
    const auto read = append_base64_bytes(bytes, text, Base64Alphabet::kStandard);
    if (read) return bytes;
    return Word{.text = {}, .column = word.column + kBase64.size() + read.error()}.problem(
        "no base64 as it is expected here: A-Z a-z 0-9 + / and = at the end");
  }
  if (!word.text.starts_with(kHex)) {
    const auto text = read_text(word);
    if (!text) return std::unexpected(text.error());
    const Bytes view = as_bytes(*text);
    return std::vector<std::byte>(view.begin(), view.end());
  }
  const std::string_view digits = word.text.substr(kHex.size());
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    const int high = digit_of(digits[at]);
    const int low = at + 1 < digits.size() ? digit_of(digits[at + 1]) : -1;
    if (high < 0 || low < 0) {
      return Word{.text = {}, .column = word.column + kHex.size() + at}.problem(
          "expected two hexadecimal digits a byte");
    }
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return bytes;
}

Arguments::Arguments(std::vector<Word> words, std::size_t end_column) : end_column_(end_column) {
  for (const Word& word : words) {
    const std::size_t equals = find_bare(word.text, '=');
    // The equals signs of base64 stand at its end and belong to it.
    if (equals == word.text.size() || word.text.starts_with(kBase64)) {
      placed_.push_back(word);
      continue;
    }
    const Word name{.text = word.text.substr(0, equals), .column = word.column};
    if (named(name.text)) {
      twice_ = RecipeProblem{.column = word.column, .text = fmt::format("{} twice", name.text)};
    }
    named_.push_back(
        {.name = name,
         .value = {.text = word.text.substr(equals + 1), .column = word.column + equals + 1}});
  }
  for (Named& one : named_) one.used = false;
}

Parsed<Word> Arguments::next(std::string_view what) {
  if (const auto word = next_if_any()) return *word;
  return Word{.text = {}, .column = end_column_}.problem(fmt::format("expected {}", what));
}

std::optional<Word> Arguments::next_if_any() {
  if (next_ == placed_.size()) return std::nullopt;
  return placed_[next_++];
}

std::optional<Word> Arguments::named(std::string_view name) {
  const auto found =
      std::ranges::find(named_, name, [](const Named& one) { return one.name.text; });
  if (found == named_.end()) return std::nullopt;
  found->used = true;
  return found->value;
}

Parsed<std::int64_t> Arguments::number(std::string_view name, std::int64_t otherwise,
                                       std::int64_t least, std::int64_t most) {
  const auto word = named(name);
  return word ? read_number(*word, least, most) : Parsed<std::int64_t>(otherwise);
}

Parsed<void> Arguments::finish() const {
  if (twice_) return std::unexpected(*twice_);
  if (next_ < placed_.size()) {
    return placed_[next_].problem(
        fmt::format("'{:.40}' is not expected here", placed_[next_].text));
  }
  for (const Named& one : named_) {
    if (!one.used) {
      return one.name.problem(fmt::format("'{:.40}' is not expected here", one.name.text));
    }
  }
  return {};
}

bool put_text(TextBuffer& out, const Text& text) {
  if (!text.well_formed()) return false;
  const std::size_t begin = out.size();
  out.put('"');
  for (const char c : text.str()) {
    switch (c) {
      case '\n': out.put("\\n"); break;
      case '\r': out.put("\\r"); break;
      case '\t': out.put("\\t"); break;
      case '"':
      case '\\':
        out.put('\\');
        out.put(c);
        break;
      default:
        if ((c >= 0 && c < ' ') || c == '\x7F') {
          out.put(fmt::format("\\u{:04x}", static_cast<unsigned>(c)));
        } else {
          out.put(c);
        }
    }
  }
  out.put('"');
  (void)begin;
  return true;
}

void put_bytes(TextBuffer& out, Bytes bytes) {
  out.put(kBase64);
  append_base64(out, bytes, Base64Alphabet::kStandard);
}

}  // namespace saranga::store
