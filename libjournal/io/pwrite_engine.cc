#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "saranga/io/write_engine.h"

namespace saranga {
namespace {

Result<void> carry_out(const WriteRequest& request) {
  if (!request.bytes.empty()) {
    if (auto written = request.file->write_at(request.offset, request.bytes); !written) {
      return written;
    }
  }
  return request.sync ? request.file->sync_data() : Result<void>{};
}

}  // namespace

/// What the driving thread and the job share.
struct PwriteEngine::Queue {
  std::mutex mutex;
  std::condition_variable progress;
  std::deque<WriteRequest> waiting;
  std::uint64_t completed = 0;
  std::optional<Error> error;
  bool busy = false;     // a job is under way and takes whatever comes
  bool running = false;  // some thread has begun it

  // The next request, nothing when there is none or an earlier one has failed.
  std::optional<WriteRequest> take() {
    const std::lock_guard lock(mutex);
    if (error) waiting.clear();
    if (waiting.empty()) {
      busy = running = false;
      progress.notify_all();
      return std::nullopt;
    }
    std::optional<WriteRequest> next(std::move(waiting.front()));
    waiting.pop_front();
    return next;
  }
  void finish(const Result<void>& outcome) {
    const std::lock_guard lock(mutex);
    if (outcome) {
      ++completed;
    } else if (!error) {
      error = outcome.error();
    }
    progress.notify_all();
  }
  void begin() {
    const std::lock_guard lock(mutex);
    running = true;
  }
  // As long as another thread is at it, one need not wait for what was submitted later.
  void wait(std::uint64_t count) {
    std::unique_lock lock(mutex);
    progress.wait(lock, [&] { return !running || error || completed >= count; });
  }
};

/// Works until the queue is empty, so that one file is never written by two threads at a time.
class PwriteEngine::WriteJob final : public Job {
 public:
  explicit WriteJob(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}
  void run() override {
    queue_->begin();
    while (auto next = queue_->take()) {
      const auto outcome = carry_out(*next);
      next.reset();  // closes the file, before somebody learns that all is done
      queue_->finish(outcome);
    }
  }
  void deliver() override {}
  [[nodiscard]] bool is_long() const override { return true; }

 private:
  std::shared_ptr<Queue> queue_;
};

PwriteEngine::PwriteEngine(JobRunner& jobs) : jobs_(jobs), queue_(std::make_shared<Queue>()) {}

PwriteEngine::~PwriteEngine() { jobs_.drain(); }

void PwriteEngine::submit(WriteRequest request) {
  {
    const std::lock_guard lock(queue_->mutex);
    if (queue_->error) return;
    queue_->waiting.push_back(std::move(request));
    if (std::exchange(queue_->busy, true)) return;
  }
  jobs_.submit(std::make_unique<WriteJob>(queue_));
}

Result<std::uint64_t> PwriteEngine::completed() {
  const std::lock_guard lock(queue_->mutex);
  if (queue_->error) return std::unexpected(*queue_->error);
  return queue_->completed;
}

Result<void> PwriteEngine::wait(std::uint64_t count) {
  queue_->wait(count);
  auto done = completed();
  if (done && *done < count) {
    jobs_.drain();
    done = completed();
  }
  if (!done) return std::unexpected(done.error());
  if (*done < count)
    return fail(ErrorCode::kInvalidArgument, "waiting for more than was submitted");
  return {};
}

}  // namespace saranga
