// The options of the one filter vocabulary (docs in every manual page, "SELECTION").
#pragma once

#include <cstdint>
#include <optional>

#include "saranga/store/filter.h"
#include "tools/cli/context.h"

namespace CLI {
class App;
}

namespace saranga::cli {

struct FilterOptions {
  store::FilterSpec spec{};
  std::optional<std::uint64_t> limit{};
  std::uint64_t offset = 0;
  bool strict_names = false;
};

/// Which of the options a verb understands.
enum class FilterScope : std::uint8_t {
  kQueues,    ///< --queue, --address
  kMessages,  ///< all of them
};

/// Declares the options; both objects must outlive the parsing.
void add_filter_options(CLI::App& app, FilterOptions& options, FilterScope scope);

/// The filter. An error names the option.
[[nodiscard]] Result<store::Filter> compile_filter(const FilterOptions& options,
                                                   std::int64_t now_ms);

/// Tells, unless `quiet`, which names fitted nothing. Gives whether --strict-names makes that a warning.
[[nodiscard]] bool tell_unmatched(const Context& context, const FilterOptions& options,
                                  const store::Filter& filter, bool saw_all, bool quiet);

/// Counts off what --offset skips and --limit allows.
class Window {
 public:
  explicit Window(const FilterOptions& options) : limit_(options.limit), skip_(options.offset) {}

  /// Whether the next one is to be shown; to be asked once for each.
  [[nodiscard]] bool takes() {
    if (skip_ != 0) {
      --skip_;
      return false;
    }
    if (full()) return false;
    ++taken_;
    return true;
  }
  /// Nothing more will be taken.
  [[nodiscard]] bool full() const { return limit_ && taken_ >= *limit_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  std::optional<std::uint64_t> limit_;
  std::uint64_t skip_;
  std::uint64_t taken_ = 0;
};

}  // namespace saranga::cli
