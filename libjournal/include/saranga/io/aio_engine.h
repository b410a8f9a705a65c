// Writing with libaio and O_DIRECT, past the page cache: what a broker calls ASYNCIO
// (docs/format/journal.md#direct-writes). For files that are full of zeros already and are written
// in whole blocks; WriterOptions::alignment_bytes makes journals so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "saranga/io/write_engine.h"

namespace saranga {

/// What an AioEngine asks of the kernel; tests have another one. One thread drives it.
class SARANGA_API AsyncIo {
 public:
  /// One thing to do. Bytes stay unchanged until it is done; without bytes: fdatasync.
  struct Operation {
    std::shared_ptr<WritableFile> file;
    std::uint64_t offset = 0;
    Bytes bytes{};
    bool durable = false;  ///< done only when the bytes have reached the medium
  };
  struct Done {
    std::uint64_t token = 0;
    Result<std::uint64_t> bytes;  ///< how many were written; fewer than asked for is no error
  };

  virtual ~AsyncIo() = default;
  /// Begins an operation; false when too many are under way already, and one must be reaped first.
  [[nodiscard]] virtual Result<bool> begin(const Operation& operation, std::uint64_t token) = 0;
  /// What is done, in any order; with `wait`, at least one when any is under way.
  [[nodiscard]] virtual Result<std::vector<Done>> reap(bool wait) = 0;
};

/// Keeps several writes under way. A write with a sync is one operation (RWF_DSYNC: data, drive
/// cache and the metadata that is needed to find it), unless earlier writes to the file were made
/// without one: then an fdatasync follows when all of them are done. Completion never goes past the
/// first request that is not complete, whatever order the disk chooses. After an error wait() still
/// waits for what is under way, because the kernel reads the buffers.
class SARANGA_API AioEngine final : public WriteEngine {
 public:
  /// kUnsupported, with the reason, when the kernel has no asynchronous I/O to give.
  [[nodiscard]] static Result<std::unique_ptr<AioEngine>> create(std::size_t depth = 2);
  AioEngine(std::unique_ptr<AsyncIo> io, std::size_t depth);
  ~AioEngine() override;
  AioEngine(const AioEngine&) = delete;
  AioEngine& operator=(const AioEngine&) = delete;

  [[nodiscard]] std::size_t depth() const override;
  void submit(WriteRequest request) override;
  [[nodiscard]] Result<std::uint64_t> completed() override;
  [[nodiscard]] Result<void> wait(std::uint64_t count) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The smallest block in which files of a folder can be written past the page cache, found by
/// writing to a file without a name. kUnsupported, with the reason, when they cannot.
[[nodiscard]] SARANGA_API Result<std::uint32_t> direct_block_bytes(const std::string& folder);

/// An engine, and why it is not the one that was wanted.
struct EngineChoice {
  std::unique_ptr<WriteEngine> engine;
  bool direct = false;
  std::string reason;  ///< empty when it is the one that was wanted
};

/// An AioEngine when `folder` lets blocks of `alignment_bytes` be written past the page cache, else
/// a PwriteEngine on `jobs`, which must outlive it.
[[nodiscard]] SARANGA_API EngineChoice choose_direct_engine(const std::string& folder,
                                                            std::uint32_t alignment_bytes,
                                                            JobRunner& jobs);

}  // namespace saranga
