// The words of a recipe's line, and the values that they stand for (docs/recipes.md#lines).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/text.h"
#include "saranga/bytes/text_buffer.h"

namespace saranga::store {

/// What is wrong in a line, and where, counted from 1.
struct RecipeProblem {
  std::size_t column = 0;
  std::string text;
};

template <class T>
using Parsed = std::expected<T, RecipeProblem>;

/// A word as it is written; a view of the line.
struct Word {
  std::string_view text;
  std::size_t column = 0;

  [[nodiscard]] std::unexpected<RecipeProblem> problem(std::string what) const {
    return std::unexpected(RecipeProblem{.column = column, .text = std::move(what)});
  }
};

/// The words of a line, without the comment behind them. Blanks within quotes do not separate.
[[nodiscard]] Parsed<std::vector<Word>> split_words(std::string_view line);

/// The parts of a word between commas that stand in no quotes; none of an empty word.
[[nodiscard]] std::vector<Word> split_list(Word word);

/// A decimal number, or a hexadecimal one behind 0x, from `least` to `most`.
[[nodiscard]] Parsed<std::int64_t> read_number(Word word, std::int64_t least = INT64_MIN,
                                               std::int64_t most = INT64_MAX);

/// UTF-8 text, in quotes or without.
[[nodiscard]] Parsed<std::string> read_text(Word word);

/// Bytes: hex:…, b64:…, or text.
[[nodiscard]] Parsed<std::vector<std::byte>> read_bytes(Word word);

/// The words behind the first of a line: some by place, and some as name=value.
class Arguments {
 public:
  Arguments(std::vector<Word> words, std::size_t end_column);

  /// The next one without a name; a problem that says `what` is missing when there is none.
  [[nodiscard]] Parsed<Word> next(std::string_view what);
  [[nodiscard]] std::optional<Word> next_if_any();
  /// The value of a name, when it is there.
  [[nodiscard]] std::optional<Word> named(std::string_view name);
  [[nodiscard]] Parsed<std::int64_t> number(std::string_view name, std::int64_t otherwise,
                                            std::int64_t least = INT64_MIN,
                                            std::int64_t most = INT64_MAX);
  /// What nobody has asked for: each name with its value; `name` keeps quotes.
  struct Named {
    Word name;
    Word value;
    bool used = false;
  };
  [[nodiscard]] std::vector<Named>& all_named() { return named_; }
  /// A problem when a word has not been used.
  [[nodiscard]] Parsed<void> finish() const;
  [[nodiscard]] std::size_t end_column() const { return end_column_; }

 private:
  std::vector<Word> placed_;
  std::size_t next_ = 0;
  std::vector<Named> named_;
  std::optional<RecipeProblem> twice_;
  std::size_t end_column_;
};

/// Appends text in quotes; false, with nothing appended, when read_text() would not give it back.
bool put_text(TextBuffer& out, const Text& text);
/// Appends b64:… .
void put_bytes(TextBuffer& out, Bytes bytes);

}  // namespace saranga::store
