#include "tools/cli/ordered_jobs.h"

#include <algorithm>

namespace saranga::cli {
namespace {
constexpr std::size_t kJobsPerThread = 6;
// A helper that sleeps is woken for so many jobs: waking it costs more than a small job. For a long
// one it is woken at once.
constexpr std::size_t kJobsToWakeFor = 6;
}  // namespace

OrderedJobs::OrderedJobs(unsigned helper_threads) : limit_((helper_threads + 1) * kJobsPerThread) {
  for (unsigned i = 0; i < helper_threads; ++i) helpers_.emplace_back([this] { help(); });
}

OrderedJobs::~OrderedJobs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
}

void OrderedJobs::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::shared_ptr<Slot> next;
    for (const auto& slot : slots_) {
      if (slot->state != State::kWaiting) continue;
      next = slot;
      break;
    }
    if (next == nullptr) {
      if (ending_) return;
      work_.wait(lock);
      continue;
    }
    next->state = State::kRunning;
    --waiting_;
    lock.unlock();
    next->job->run();
    lock.lock();
    next->state = State::kDone;
    done_.notify_one();
  }
}

void OrderedJobs::submit(std::unique_ptr<Job> job) {
  auto slot = std::make_shared<Slot>();
  slot->job = std::move(job);
  bool wake = slot->job->is_long();
  {
    const std::lock_guard lock(mutex_);
    slots_.push_back(std::move(slot));
    wake = ++waiting_ >= kJobsToWakeFor || wake;
  }
  if (wake) work_.notify_one();
  deliver_done();
  while (slots_.size() >= limit_) finish_oldest();
}

void OrderedJobs::deliver_done() {
  while (true) {
    std::shared_ptr<Slot> oldest;
    {
      const std::lock_guard lock(mutex_);
      if (slots_.empty() || slots_.front()->state != State::kDone) return;
      oldest = std::move(slots_.front());
      slots_.pop_front();
    }
    oldest->job->deliver();
  }
}

// Delivers the oldest job. As long as it is not done, this thread does whatever nobody has begun.
void OrderedJobs::finish_oldest() {
  std::shared_ptr<Slot> oldest;
  {
    std::unique_lock lock(mutex_);
    oldest = slots_.front();
    while (oldest->state != State::kDone) {
      const auto waiting =
          std::ranges::find(slots_, State::kWaiting, [](const auto& slot) { return slot->state; });
      if (waiting == slots_.end()) {
        done_.wait(lock);
        continue;
      }
      const std::shared_ptr<Slot> mine = *waiting;
      mine->state = State::kRunning;
      if (--waiting_ != 0) work_.notify_one();
      lock.unlock();
      mine->job->run();
      lock.lock();
      mine->state = State::kDone;
    }
    slots_.pop_front();
  }
  oldest->job->deliver();
}

void OrderedJobs::drain() {
  while (!slots_.empty()) finish_oldest();
}

}  // namespace saranga::cli
