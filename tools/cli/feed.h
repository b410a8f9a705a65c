// Reading what a command is given to its end.
#pragma once

#include <vector>

#include "tools/cli/input.h"
#include "tools/cli/verb_options.h"

namespace saranga::cli {

/// Feeds the input, an Input or something that reads like one, piece by piece to `consumer`, which
/// has feed() and finish(), and gives what that finishes with. Ends with an error when the run has
/// to stop.
template <class Source, class Consumer>
[[nodiscard]] auto feed_all(VerbRun& run, Source& input, Consumer& consumer)
    -> decltype(consumer.finish()) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  std::vector<char> piece(kPieceBytes);
  std::uint64_t read_bytes = 0;
  while (true) {
    const auto count = input.read(piece);
    if (!count) return std::unexpected(count.error());
    if (run.must_stop()) return fail(ErrorCode::kIo, "interrupted");
    if (*count == 0) return consumer.finish();
    if (auto fed = consumer.feed({piece.data(), *count}); !fed) {
      return std::unexpected(fed.error());
    }
    read_bytes += *count;
    if (input.size_bytes() != 0) run.progress().tell(read_bytes, input.size_bytes());
  }
}

/// Ends the run after feed_all() failed: an input that makes no sense is damage.
[[nodiscard]] inline ExitCode fail_input(VerbRun& run, const Error& error) {
  const ExitCode code = run.fail(error);
  const bool damaged = error.code == ErrorCode::kDamaged;
  return damaged && code == ExitCode::kFailed ? ExitCode::kDamage : code;
}

}  // namespace saranga::cli
