// Work that may run on several threads and is delivered in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "saranga/io/jobs.h"

namespace saranga::cli {

/// Runs jobs on helper threads and on the submitting thread when that would only wait. A bounded
/// number of jobs is in flight, so memory stays bounded.
class OrderedJobs final : public JobRunner {
 public:
  explicit OrderedJobs(unsigned helper_threads);
  ~OrderedJobs() override;
  OrderedJobs(const OrderedJobs&) = delete;
  OrderedJobs& operator=(const OrderedJobs&) = delete;

  void submit(std::unique_ptr<Job> job) override;
  void drain() override;

 private:
  enum class State : std::uint8_t { kWaiting, kRunning, kDone };
  struct Slot {
    std::unique_ptr<Job> job;
    State state = State::kWaiting;
  };

  void help();
  void finish_oldest();
  void deliver_done();

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::deque<std::shared_ptr<Slot>> slots_;
  std::size_t waiting_ = 0;  // slots that nobody has begun
  std::size_t limit_;
  bool ending_ = false;
  std::vector<std::jthread> helpers_;
};

}  // namespace saranga::cli
