#include "tools/cli/table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "tools/cli/text_width.h"

namespace saranga::cli {
namespace {

constexpr std::size_t kHeldRows = 500;
constexpr std::size_t kNarrowest = 4;  // a column's width when nothing else helps
constexpr std::string_view kGap = "  ";

void put_blanks(TextBuffer& out, std::size_t count) {
  for (; count != 0; --count) out.put(' ');
}

}  // namespace

std::optional<std::size_t> terminal_width(const Context& context) {
  if (::isatty(context.data_descriptor) == 0) return std::nullopt;
  if (const auto columns = context.environment.find("COLUMNS");
      columns != context.environment.end()) {
    const std::string& text = columns->second;
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc{} && end == text.data() + text.size() && width != 0) return width;
  }
  winsize size{};
  if (::ioctl(context.data_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    return size.ws_col;
  }
  return std::nullopt;
}

void Table::add(TextBuffer& out, std::vector<std::string> cells, std::string below) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  if (measured_) {
    print(out, cells);
    out.put(below);
    return;
  }
  held_.push_back({std::move(cells), std::move(below)});
  if (held_.size() == kHeldRows) finish(out);
}

void Table::finish(TextBuffer& out) {
  if (measured_ || held_.empty()) return;
  measure();
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  print(out, titles);
  for (const Row& row : held_) {
    print(out, row.cells);
    out.put(row.below);
  }
  held_.clear();
}

void Table::measure() {
  measured_ = true;
  shown_.assign(columns_.size(), true);
  std::vector<std::size_t> natural(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    natural[i] = text_width(columns_[i].title);
    for (const Row& row : held_) natural[i] = std::max(natural[i], text_width(row.cells[i]));
  }
  widths_ = natural;
  if (!width_) return;
  shrink(*width_, SIZE_MAX);
  for (auto next = next_to_leave(); next && total_width() > *width_; next = next_to_leave()) {
    shown_[*next] = false;
    widths_ = natural;
    shrink(*width_, SIZE_MAX);
  }
  shrink(*width_, kNarrowest);
}

// The column that can be missed best, of equal ones the last.
std::optional<std::size_t> Table::next_to_leave() const {
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i] || columns_[i].optional == 0) continue;
    if (!next || columns_[i].optional <= columns_[*next].optional) next = i;
  }
  return next;
}

// Takes from whichever column is widest at the moment, so that no name loses more than needed.
// Columns are left their least width, but `at_most` so much.
void Table::shrink(std::size_t width, std::size_t at_most) {
  for (std::size_t total = total_width(); total > width; --total) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t least = std::min(columns_[i].least, at_most);
      if (!shown_[i] || least == 0 || widths_[i] <= least) continue;
      if (widest == columns_.size() || widths_[i] > widths_[widest]) widest = i;
    }
    if (widest == columns_.size()) return;
    --widths_[widest];
  }
}

std::size_t Table::total_width() const {
  std::size_t total = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (shown_[i]) total += widths_[i] + (total == 0 ? 0 : kGap.size());
  }
  return total;
}

void Table::print(TextBuffer& out, const std::vector<std::string>& cells) const {
  std::size_t pending = 0;  // blanks that are owed; none are put at the end of a line
  bool first = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i]) continue;
    if (!first) pending += kGap.size();
    first = false;
    const bool cut = width_ && columns_[i].least != 0;
    const std::string cell = cut ? cut_to_width(cells[i], widths_[i]) : cells[i];
    const std::size_t used = text_width(cell);
    const std::size_t blanks = used < widths_[i] ? widths_[i] - used : 0;
    if (columns_[i].kind == Column::Kind::kNumber) pending += blanks;
    if (!cell.empty()) {
      put_blanks(out, pending);
      pending = 0;
      out.put(cell);
    }
    if (columns_[i].kind == Column::Kind::kText) pending += blanks;
  }
  out.put('\n');
}

}  // namespace saranga::cli
