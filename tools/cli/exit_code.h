// Exit codes of every command; docs/exit-codes.md explains them.
#pragma once

namespace saranga::cli {

enum class ExitCode : int {
  kClean = 0,
  kWarnings = 1,  ///< finished; something is worth telling
  kDamage = 2,    ///< finished; data is damaged or lost
  kFailed = 3,    ///< could not finish
  kInUse = 4,     ///< a broker holds the store
  kUsage = 64,
  kInterrupted = 130,
};

}  // namespace saranga::cli
