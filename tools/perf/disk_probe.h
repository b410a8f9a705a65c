// Measures how fast a folder's disk makes blocks durable, in the ways in which a broker writes its
// journal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saranga/bytes/error.h"
#include "tools/cli/context.h"

namespace saranga::perf {

/// A way of writing: the values of journal-type.
enum class JournalType : std::uint8_t {
  kNio,      ///< pwrite, then fdatasync
  kAsyncio,  ///< past the page cache, with several writes under way
  kMapped,   ///< into memory, then msync
};
[[nodiscard]] std::string_view journal_type_name(JournalType type);

/// What is measured. The defaults are those of `artemis perf-journal`.
struct ProbeOptions {
  std::string folder;
  std::string file_name = "test.tmp";  ///< must not exist; it loses its name before it is written
  std::uint64_t block_bytes = 4096;
  std::uint64_t writes = 250;
  std::uint64_t tries = 5;
  bool sync = true;            ///< blocks are made durable
  bool sync_writes = false;    ///< each block is waited for before the next one is written
  std::uint64_t max_aio = 32;  ///< writes under way with kAsyncio
};

/// What one way of writing does on the disk.
struct ProbeResult {
  JournalType type = JournalType::kNio;
  std::string impossible;             ///< why it cannot be used here; empty when it was measured
  std::vector<std::uint64_t> try_ns;  ///< how long each try took
  std::vector<std::uint64_t> latency_ns;  ///< of single blocks, one after the other; ascending

  /// Writes a millisecond of the fastest try.
  [[nodiscard]] double writes_per_ms(const ProbeOptions& options) const;
  /// What Artemis takes for journal-buffer-timeout: the time of one write of the fastest try.
  [[nodiscard]] std::uint64_t buffer_timeout_ns(const ProbeOptions& options) const;
  /// The latency that so many of 1000 single writes do not exceed; 0 when there were none.
  [[nodiscard]] std::uint64_t latency_at(unsigned per_mille) const;
};

/// Measures one way of writing. Stops between two writes when the context says so. The file has no
/// name any more when it is written, so that nothing can be left behind.
[[nodiscard]] Result<ProbeResult> probe_disk(const cli::Context& context, JournalType type,
                                             const ProbeOptions& options);

}  // namespace saranga::perf
