// How far a command has come, for people who wait: one line on the terminal that is written over.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace saranga::cli {

/// "512 MiB of 1.2 GiB, 43 %, 3s left"; the time is left out as long as nothing can be said of it.
/// There must be something to do.
[[nodiscard]] std::string progress_text(std::uint64_t done_bytes, std::uint64_t total_bytes,
                                        std::int64_t spent_ms);

/// Writes the line to a descriptor, at most a few times a second and not in the first one: a
/// command that is done by then needs none. One thread uses it.
class Progress {
 public:
  enum class Mode : std::uint8_t {
    kAuto,    ///< when the descriptor is a terminal
    kAlways,  ///< also elsewhere, a line each
    kNever,
  };

  Progress(int descriptor, Mode mode);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Tells how much has been read; nothing as long as nobody knows how much there is.
  void tell(std::uint64_t done_bytes, std::uint64_t total_bytes);
  /// Takes the line away, for something else to be written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  int descriptor_;
  bool on_ = false;
  bool terminal_ = false;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace saranga::cli
