#include "tools/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "tools/cli/humanise.h"

namespace saranga::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSilent{1000};
constexpr milliseconds kBetween{250};
// Before so much of the work is done, what is left is a guess.
constexpr std::uint64_t kLeastPercent = 3;

void put(int descriptor, const std::string& text) {
  (void)!::write(descriptor, text.data(), text.size());
}

}  // namespace

std::string progress_text(std::uint64_t done_bytes, std::uint64_t total_bytes,
                          std::int64_t spent_ms) {
  const std::uint64_t done = done_bytes < total_bytes ? done_bytes : total_bytes;
  const double share = static_cast<double>(done) / static_cast<double>(total_bytes);
  const auto percent = static_cast<std::uint64_t>(share * 100);
  std::string text =
      fmt::format("{} of {}, {} %", human_bytes(done), human_bytes(total_bytes), percent);
  if (percent < kLeastPercent) return text;
  const auto left_ms =
      static_cast<std::int64_t>(static_cast<double>(spent_ms) * (1 - share) / share);
  return text + fmt::format(", {} left", human_age((left_ms + 999) / 1000 * 1000));
}

Progress::Progress(int descriptor, Mode mode)
    : descriptor_(descriptor), terminal_(::isatty(descriptor) == 1), next_(start_ + kSilent) {
  on_ = mode == Mode::kAlways || (mode == Mode::kAuto && terminal_);
  if (mode == Mode::kAlways) next_ = start_;
}

void Progress::tell(std::uint64_t done_bytes, std::uint64_t total_bytes) {
  if (!on_ || total_bytes == 0) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  const auto spent_ms = std::chrono::duration_cast<milliseconds>(now - start_).count();
  const std::string text = progress_text(done_bytes, total_bytes, spent_ms);
  put(descriptor_, terminal_ ? "\r" + text + "\x1b[K" : "saranga: " + text + "\n");
  shown_ = terminal_;
}

void Progress::clear() {
  if (!shown_) return;
  put(descriptor_, "\r\x1b[K");
  shown_ = false;
}

}  // namespace saranga::cli
