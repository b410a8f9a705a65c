// How batches of bytes come to the disk: one interface for whoever fills batches, one engine a way
// of writing.
#pragma once

#include <cstdint>
#include <memory>

#include "saranga/io/jobs.h"
#include "saranga/io/writable_directory.h"

namespace saranga {

/// One write, and the sync behind it when it is wanted.
struct WriteRequest {
  std::shared_ptr<WritableFile> file;  ///< stays open until the request is complete
  std::uint64_t offset = 0;
  Bytes bytes{};  ///< whoever submits keeps them unchanged until completion; none: only the sync
  bool sync = false;
};

/// Carries out requests. A request with `sync` is complete when its bytes and those of all earlier
/// requests for the same file are durable, any other when its bytes are written. Requests for
/// different files have no order among them: whoever needs one waits in between. After the first
/// error nothing more is written, and every call returns that error. One thread drives an engine.
class SARANGA_API WriteEngine {
 public:
  virtual ~WriteEngine() = default;
  /// So many requests may be under way without one having to wait for another.
  [[nodiscard]] virtual std::size_t depth() const = 0;
  /// Takes a request and may return before it is complete.
  virtual void submit(WriteRequest request) = 0;
  /// How many requests are complete, counted from the first one ever submitted: the first that is
  /// not hides those behind it. Never waits.
  [[nodiscard]] virtual Result<std::uint64_t> completed() = 0;
  /// Waits until completed() is at least `count`; so many must have been submitted.
  [[nodiscard]] virtual Result<void> wait(std::uint64_t count) = 0;
};

/// pwrite and fdatasync, one request after the other, on whatever thread `jobs` gives. With an
/// InlineRunner every request is complete when submit() returns.
class SARANGA_API PwriteEngine final : public WriteEngine {
 public:
  /// `jobs` must outlive the engine, and must not be driven from another thread.
  explicit PwriteEngine(JobRunner& jobs);
  /// Waits for what is under way.
  ~PwriteEngine() override;
  PwriteEngine(const PwriteEngine&) = delete;
  PwriteEngine& operator=(const PwriteEngine&) = delete;

  [[nodiscard]] std::size_t depth() const override { return 2; }
  void submit(WriteRequest request) override;
  [[nodiscard]] Result<std::uint64_t> completed() override;
  [[nodiscard]] Result<void> wait(std::uint64_t count) override;

 private:
  struct Queue;
  class WriteJob;
  JobRunner& jobs_;
  std::shared_ptr<Queue> queue_;
};

}  // namespace saranga
