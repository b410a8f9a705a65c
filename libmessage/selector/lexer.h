// The words of a selector (docs/format/selectors.md#words).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/bytes/error.h"

namespace saranga::message::selector {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,
  kQuotedName,
  kText,
  kDecimal,
  kHexadecimal,
  kOctal,
  kReal,
  kOpen,
  kClose,
  kComma,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kNot,
  kAnd,
  kOr,
  kBetween,
  kLike,
  kEscape,
  kIn,
  kIs,
  kTrue,
  kFalse,
  kNull,
  kXpath,
  kXquery,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::size_t from = 0;
  std::size_t to = 0;
};

/// A mistake in the text, with the offset where it shows.
struct Mistake {
  std::size_t offset = 0;
  std::string text;
  ErrorCode code = ErrorCode::kInvalidArgument;
};

/// Cuts a text into words. Linear in the text.
class Lexer {
 public:
  /// Starts at `from`; the text has to outlive the lexer.
  Lexer(std::string_view text, std::size_t from, bool hyphenated_names);

  /// The next word; nothing at a mistake, see mistake().
  [[nodiscard]] std::optional<Token> next();
  [[nodiscard]] const Mistake& mistake() const { return mistake_; }

  [[nodiscard]] std::string_view image(const Token& token) const {
    return text_.substr(token.from, token.to - token.from);
  }
  /// What a quoted word holds: without quotes, and with doubled ones made single.
  [[nodiscard]] std::string unquoted(const Token& token) const;
  /// The word for a message: in quotes and cut, if it is long.
  [[nodiscard]] std::string describe(const Token& token) const;

 private:
  void skip_blanks();
  [[nodiscard]] char at(std::size_t offset) const {
    return offset < text_.size() ? text_[offset] : '\0';
  }
  std::optional<Token> name();
  std::optional<Token> quoted(char quote, TokenKind kind);
  std::optional<Token> number();
  std::optional<Token> sign();
  [[nodiscard]] std::size_t behind_digits(std::size_t from) const;
  [[nodiscard]] std::size_t behind_exponent(std::size_t from) const;
  Token take(TokenKind kind, std::size_t to);
  std::nullopt_t refuse(std::size_t offset, std::string text);

  std::string_view text_;
  std::size_t at_;
  bool hyphenated_names_;
  // Where the last end of a line and the last end of a comment stand: without one ahead, no search
  // for it is begun.
  std::size_t last_line_end_;
  std::size_t last_comment_end_;
  Mistake mistake_{};
};

/// A character or more of the text, fit to be shown: control characters become escapes.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace saranga::message::selector
