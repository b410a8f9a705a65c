// Work that a library step may hand out to threads. The library starts none: whoever calls it
// brings a runner, which decides where jobs run.
#pragma once

#include <memory>

#include "saranga/bytes/export.h"

namespace saranga {

/// One piece of work.
class SARANGA_API Job {
 public:
  virtual ~Job() = default;
  /// Runs on any thread, at the same time as other jobs; must not touch what they share.
  virtual void run() = 0;
  /// Runs on the submitting thread, in the order of submission.
  virtual void deliver() = 0;
  /// Whether it takes so long that a sleeping thread should be woken for it alone.
  [[nodiscard]] virtual bool is_long() const { return false; }
};

/// Runs jobs and delivers them in order.
class SARANGA_API JobRunner {
 public:
  virtual ~JobRunner() = default;
  virtual void submit(std::unique_ptr<Job> job) = 0;
  /// Delivers everything submitted so far.
  virtual void drain() = 0;
};

/// Runs every job at once, on the calling thread.
class SARANGA_API InlineRunner final : public JobRunner {
 public:
  void submit(std::unique_ptr<Job> job) override {
    job->run();
    job->deliver();
  }
  void drain() override {}
};

}  // namespace saranga
