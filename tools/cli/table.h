// Tables for people: columns aligned by what they hold, as wide as the terminal allows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saranga/bytes/text_buffer.h"
#include "tools/cli/context.h"

namespace saranga::cli {

/// One column.
struct Column {
  enum class Kind : std::uint8_t {
    kText,    ///< to the left
    kNumber,  ///< to the right
  };
  std::string title;
  Kind kind = Kind::kText;
  std::size_t least = 0;  ///< how far the column may be cut without harm; 0: not at all
  unsigned optional = 0;  ///< left out when the table is too wide all the same: 1 first, 0 never
};

/// Columns of the terminal that data goes to; nothing when it goes elsewhere. COLUMNS wins over
/// what the terminal says.
[[nodiscard]] std::optional<std::size_t> terminal_width(const Context& context);

/// A table that is printed while it grows. The first rows decide how wide the columns are; a later
/// cell that is wider pushes its row to the right, unless there is a terminal to fit.
class Table {
 public:
  /// Without a width nothing is ever cut or left out.
  Table(std::vector<Column> columns, std::optional<std::size_t> width)
      : columns_(std::move(columns)), width_(width) {}

  /// Adds a row, one cell a column; its text is made safe to show. `below` are whole lines to print
  /// under it, as they are.
  void add(TextBuffer& out, std::vector<std::string> cells, std::string below = {});
  /// Prints what is still held back. A table without rows prints nothing.
  void finish(TextBuffer& out);

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string below;
  };

  void measure();
  [[nodiscard]] std::optional<std::size_t> next_to_leave() const;
  void shrink(std::size_t width, std::size_t at_most);
  [[nodiscard]] std::size_t total_width() const;
  void print(TextBuffer& out, const std::vector<std::string>& cells) const;

  std::vector<Column> columns_;
  std::optional<std::size_t> width_;
  std::vector<std::size_t> widths_;
  std::vector<bool> shown_;
  std::vector<Row> held_;
  bool measured_ = false;
};

}  // namespace saranga::cli
