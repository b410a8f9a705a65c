// The engine that writes with pwrite and fdatasync.
#include "saranga/io/write_engine.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/io/temporary_folder.h"
#include "tests/support/faulty_directory.h"

using namespace saranga;
using namespace saranga::test;

namespace {

/// One thread that runs the jobs.
class ThreadRunner final : public JobRunner {
 public:
  ThreadRunner() : thread_([this] { work(); }) {}
  ~ThreadRunner() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void submit(std::unique_ptr<Job> job) override {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_all();
  }
  void drain() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty() && !running_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const auto job = std::move(jobs_.front());
      jobs_.pop_front();
      running_ = true;
      lock.unlock();
      job->run();
      lock.lock();
      running_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Job>> jobs_;
  bool running_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace

TEST_CASE("requests are written in order, and a sync makes all before it durable") {
  FaultyDirectory disk;
  InlineRunner runner;
  PwriteEngine engine(runner);
  std::shared_ptr<WritableFile> file(std::move(*disk.create("x")));
  REQUIRE(disk.sync());
  engine.submit({.file = file, .offset = 0, .bytes = as_bytes("abcd")});
  CHECK(engine.completed() == std::uint64_t{1});
  CHECK(disk.after_power_failure(Loss::kAll, 1).at("x").empty());
  engine.submit({.file = file, .offset = 2, .bytes = as_bytes("CDEF"), .sync = true});
  REQUIRE(engine.wait(2));
  CHECK(as_text(disk.after_power_failure(Loss::kAll, 1).at("x")) == "abCDEF");
  engine.submit({.file = file, .sync = true});
  CHECK(engine.completed() == std::uint64_t{3});
  CHECK_FALSE(engine.wait(4));
}

TEST_CASE("after an error nothing more is written, and every call tells it") {
  FaultyDirectory disk;
  InlineRunner runner;
  PwriteEngine engine(runner);
  std::shared_ptr<WritableFile> file(std::move(*disk.create("x")));
  disk.plan({.fails_at = 1});
  engine.submit({.file = file, .offset = 0, .bytes = as_bytes("abcd")});
  engine.submit({.file = file, .offset = 0, .bytes = as_bytes("efgh")});
  const auto completed = engine.completed();
  REQUIRE_FALSE(completed);
  CHECK(completed.error().message() == "disk/x: cannot write: Input/output error");
  CHECK_FALSE(engine.wait(1));
  CHECK(disk.files().at("x").empty());
}

TEST_CASE("with a thread, requests are complete some time later and all of them in the end") {
  const TemporaryFolder folder;
  auto directory = open_writable_directory(folder.path());
  REQUIRE(directory);
  ThreadRunner runner;
  PwriteEngine engine(runner);
  std::shared_ptr<WritableFile> file(std::move(*(*directory)->create("x")));
  std::string expected;
  std::deque<std::string> parts;
  std::uint64_t before = 0;
  for (int i = 0; i < 500; ++i) {
    parts.push_back(std::to_string(i) + ";");
    engine.submit({.file = file,
                   .offset = expected.size(),
                   .bytes = as_bytes(parts.back()),
                   .sync = i % 50 == 0});
    expected += parts.back();
    const auto completed = engine.completed();
    REQUIRE(completed);
    CHECK(*completed >= before);
    before = *completed;
  }
  REQUIRE(engine.wait(500));
  CHECK(folder.content("x") == expected);
}
