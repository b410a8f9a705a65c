#include "libmessage/selector/lexer.h"

#include <algorithm>

namespace saranga::message::selector {
namespace {

constexpr std::size_t kLongestImage = 40;  // bytes of a word that a message shows

struct Keyword {
  std::string_view upper;
  TokenKind kind;
};

constexpr Keyword kKeywords[] = {
    {"NOT", TokenKind::kNot},         {"AND", TokenKind::kAnd},   {"OR", TokenKind::kOr},
    {"BETWEEN", TokenKind::kBetween}, {"LIKE", TokenKind::kLike}, {"ESCAPE", TokenKind::kEscape},
    {"IN", TokenKind::kIn},           {"IS", TokenKind::kIs},     {"TRUE", TokenKind::kTrue},
    {"FALSE", TokenKind::kFalse},     {"NULL", TokenKind::kNull}, {"XPATH", TokenKind::kXpath},
    {"XQUERY", TokenKind::kXquery},
};

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_hexadecimal(char c) { return is_digit(c) || (upper(c) >= 'A' && upper(c) <= 'F'); }
bool is_name_start(char c) { return (upper(c) >= 'A' && upper(c) <= 'Z') || c == '_' || c == '$'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

TokenKind kind_of_name(std::string_view name) {
  for (const Keyword& keyword : kKeywords) {
    if (std::ranges::equal(name, keyword.upper, {}, upper)) return keyword.kind;
  }
  return TokenKind::kName;
}

// Whether `last`, the offset of the last mark in the text, is at or behind `from`.
bool is_ahead(std::size_t last, std::size_t from) {
  return last != std::string_view::npos && last >= from;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::size_t from, bool hyphenated_names)
    : text_(text),
      at_(from),
      hyphenated_names_(hyphenated_names),
      last_line_end_(text.find_last_of("\r\n")),
      last_comment_end_(text.rfind("*/")) {}

Token Lexer::take(TokenKind kind, std::size_t to) {
  const Token token{kind, at_, to};
  at_ = to;
  return token;
}

std::nullopt_t Lexer::refuse(std::size_t offset, std::string text) {
  mistake_ = {.offset = offset, .text = std::move(text)};
  return std::nullopt;
}

// A comment whose end is missing is none: its beginning is read as operators.
void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_, 2) == "--" && is_ahead(last_line_end_, at_ + 2)) {
      at_ = text_.find_first_of("\r\n", at_ + 2) + 1;
    } else if (text_.substr(at_, 2) == "/*" && is_ahead(last_comment_end_, at_ + 2)) {
      at_ = text_.find("*/", at_ + 2) + 2;
    } else {
      return;
    }
  }
}

std::optional<Token> Lexer::next() {
  skip_blanks();
  const char c = at(at_);
  if (at_ == text_.size()) return take(TokenKind::kEnd, at_);
  if (is_name_start(c)) return name();
  if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return number();
  if (c == '\'') return quoted(c, TokenKind::kText);
  if (c == '"') {
    if (!hyphenated_names_) return quoted(c, TokenKind::kQuotedName);
    return refuse(at_, "found a quoted identifier, which hyphenated_props: does not allow");
  }
  return sign();
}

std::optional<Token> Lexer::name() {
  std::size_t to = at_ + 1;
  while (is_name_start(at(to)) || is_digit(at(to)) || (hyphenated_names_ && at(to) == '-')) ++to;
  return take(kind_of_name(text_.substr(at_, to - at_)), to);
}

std::optional<Token> Lexer::quoted(char quote, TokenKind kind) {
  for (std::size_t to = at_ + 1; (to = text_.find(quote, to)) != std::string_view::npos; to += 2) {
    if (at(to + 1) != quote) return take(kind, to + 1);
  }
  const bool text = kind == TokenKind::kText;
  return refuse(at_, text ? "found a text that does not end, expected another '"
                          : "found a quoted identifier that does not end, expected another \"");
}

std::size_t Lexer::behind_digits(std::size_t from) const {
  while (is_digit(at(from))) ++from;
  return from;
}

// `from` itself when no whole exponent stands there.
std::size_t Lexer::behind_exponent(std::size_t from) const {
  if (upper(at(from)) != 'E') return from;
  const bool has_sign = at(from + 1) == '+' || at(from + 1) == '-';
  const std::size_t digits = from + (has_sign ? 2 : 1);
  return is_digit(at(digits)) ? behind_digits(digits) : from;
}

// The longest of the forms wins, so what looks like one of a real number is tried first.
std::optional<Token> Lexer::number() {
  std::size_t to = behind_digits(at_);
  if (at(to) == '.') return take(TokenKind::kReal, behind_exponent(behind_digits(to + 1)));
  if (behind_exponent(to) != to) return take(TokenKind::kReal, behind_exponent(to));
  if (text_[at_] != '0') return take(TokenKind::kDecimal, upper(at(to)) == 'L' ? to + 1 : to);
  if (upper(at(at_ + 1)) == 'X' && is_hexadecimal(at(at_ + 2))) {
    for (to = at_ + 2; is_hexadecimal(at(to));) ++to;
    return take(TokenKind::kHexadecimal, to);
  }
  for (to = at_ + 1; is_octal(at(to));) ++to;
  return take(TokenKind::kOctal, to);
}

std::optional<Token> Lexer::sign() {
  const char following = at(at_ + 1);
  switch (text_[at_]) {
    case '(': return take(TokenKind::kOpen, at_ + 1);
    case ')': return take(TokenKind::kClose, at_ + 1);
    case ',': return take(TokenKind::kComma, at_ + 1);
    case '=': return take(TokenKind::kEqual, at_ + 1);
    case '+': return take(TokenKind::kPlus, at_ + 1);
    case '-': return take(TokenKind::kMinus, at_ + 1);
    case '*': return take(TokenKind::kStar, at_ + 1);
    case '/': return take(TokenKind::kSlash, at_ + 1);
    case '%': return take(TokenKind::kPercent, at_ + 1);
    case '<':
      if (following == '>') return take(TokenKind::kNotEqual, at_ + 2);
      if (following == '=') return take(TokenKind::kLessOrEqual, at_ + 2);
      return take(TokenKind::kLess, at_ + 1);
    case '>':
      if (following == '=') return take(TokenKind::kGreaterOrEqual, at_ + 2);
      return take(TokenKind::kGreater, at_ + 1);
    default: break;
  }
  std::size_t to = at_ + 1;
  while ((static_cast<unsigned char>(at(to)) & 0xC0U) == 0x80U) ++to;
  return refuse(at_, "found " + printable(text_.substr(at_, to - at_)) +
                         ", which is no part of the language outside of quotes");
}

std::string Lexer::unquoted(const Token& token) const {
  const char quote = text_[token.from];
  std::string out;
  for (std::size_t i = token.from + 1; i + 1 < token.to; ++i) {
    if (text_[i] == quote) ++i;  // the first of a pair
    out += text_[i];
  }
  return out;
}

std::string Lexer::describe(const Token& token) const {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  return printable(image(token));
}

std::string printable(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (at >= kLongestImage && (c & 0xC0U) != 0x80U) break;
    if (c >= ' ' && c != 0x7F) {
      out += text[at];
    } else {
      out += "\\x";
      out += kDigits[c >> 4];
      out += kDigits[c & 15];
    }
  }
  return out + (at < text.size() ? "..." : "");
}

}  // namespace saranga::message::selector
