// Taking the locks of a broker, so that no broker starts on a store while somebody else writes to
// it (docs/format/journal.md#server-lock).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saranga/bytes/error.h"

namespace saranga {

/// An exclusive lock on bytes of a file, held until it is destroyed. It conflicts with the locks of
/// a Java process, and, other than theirs, is not lost when this process closes the file somewhere
/// else.
class SARANGA_API FileLock {
 public:
  /// The locked bytes; 0 bytes: to the end of the file, however long it becomes.
  struct Range {
    std::uint64_t offset = 0;
    std::uint64_t length_bytes = 0;
  };

  /// Locks without waiting. Makes the file with `content` when it is not there, and never changes
  /// one that is. kBusy when another process holds a lock on any of the bytes; the text names it.
  [[nodiscard]] static Result<FileLock> take(const std::string& path, Range range,
                                             const std::string& content = {});
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// What a primary broker locks, of every release at once: all of serverlock.1 (from 2.10 on) and
/// the second byte of server.lock (before). The latter also keeps newer brokers from changing the
/// state byte, so that one that is started waits, and goes on when the locks are released.
class SARANGA_API BrokerLocks {
 public:
  /// `folder` is the one that holds server.lock: that of the journal unless the configuration names
  /// another. Missing files are made as a broker makes them, and stay. kBusy when a broker is
  /// running; nothing has been changed then.
  [[nodiscard]] static Result<BrokerLocks> take(const std::string& folder);

 private:
  explicit BrokerLocks(std::vector<FileLock> locks) : locks_(std::move(locks)) {}
  std::vector<FileLock> locks_;
};

}  // namespace saranga
