// The options of the one filter vocabulary (docs in every manual page, "SELECTION").
#pragma once

#include <cstdint>
#include <optional>

#include "saranga/store/filter.h"
#include "tools/cli/context.h"

namespace saranga::cli {

class CommandLine;

struct FilterOptions {
  store::FilterSpec spec{};
  std::optional<std::uint64_t> limit{};  ///< 0 is none, too
  std::uint64_t offset = 0;
  bool strict_names = false;
};

/// Which of the options a verb understands.
enum class FilterScope : std::uint8_t {
  kQueues,    ///< --queue, --address
  kMessages,  ///< all of them
  kRecords,   ///< all but --state, which a record has none of
};

/// Declares the options; both objects must outlive the parsing.
void add_filter_options(CommandLine& line, FilterOptions& options, FilterScope scope);

/// The filter. An error names the option.
[[nodiscard]] Result<store::Filter> compile_filter(const FilterOptions& options,
                                                   std::int64_t now_ms);

/// How a selection has ended.
struct Selected {
  std::uint64_t shown = 0;
  bool saw_all = true;           ///< false: --limit or the user ended it
  std::string_view none_text{};  ///< what to say when nothing was shown, though all was looked at
  bool quiet = false;
};

/// Tells which names have fitted nothing, or else that nothing fits. Gives whether --strict-names
/// makes a warning of that.
[[nodiscard]] bool tell_selected(const Context& context, const FilterOptions& options,
                                 const store::Filter& filter, const Selected& selected);

/// Counts off what --offset skips and --limit allows.
class Window {
 public:
  explicit Window(const FilterOptions& options)
      : left_(options.limit.value_or(0) == 0 ? kAll : *options.limit), skip_(options.offset) {}

  /// Whether the next one is to be shown; to be asked once for each.
  [[nodiscard]] bool takes() {
    if (skip_ != 0) {
      --skip_;
      return false;
    }
    if (full()) return false;
    --left_;
    ++taken_;
    return true;
  }
  /// Nothing more will be taken.
  [[nodiscard]] bool full() const { return left_ == 0; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  static constexpr std::uint64_t kAll = UINT64_MAX;
  std::uint64_t left_;
  std::uint64_t skip_;
  std::uint64_t taken_ = 0;
};

}  // namespace saranga::cli
