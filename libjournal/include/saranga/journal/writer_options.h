// How a journal is written. Names and defaults are those of a broker's configuration
// (docs/format/journal.md#files-and-names, docs/format/journal.md#writers-and-layouts).
#pragma once

#include <cstdint>
#include <string>

#include "saranga/journal/folder.h"

namespace saranga::journal {

struct WriterOptions {
  JournalKind kind = JournalKind::kMessages;
  std::string prefix = "activemq-data";        ///< of the names of new files
  std::string extension = "amq";               ///< must be one of `kind`
  std::uint64_t file_size_bytes = 10'485'760;  ///< at least 1024, a multiple of the alignment
  std::int32_t min_files = 2;                  ///< at least 2; created when a journal is opened
  std::int32_t pool_files = -1;   ///< freed files beyond so many are removed; negative: none is
  std::int32_t attic_files = 10;  ///< so many freed files of a wrong size are kept in attic/
  /// 1: records follow each other (NIO, MAPPED). More: each write begins and ends on a block of so
  /// many bytes (ASYNCIO); a power of two from 512 on.
  std::uint32_t alignment_bytes = 1;
  /// What is gathered for one write; a longer record gets a write of its own, which Artemis
  /// refuses to do but reads. A multiple of the alignment.
  std::size_t buffer_bytes = 501'760;
  /// Writes zeros over old records before anything is written in their place, as far as there are
  /// any. Costs writing every file once more when it becomes free (docs/performance.md). Off, as in
  /// Artemis: a record that was torn by a power failure may end in bytes of an older one and look
  /// whole, at worst a delete that was never durable, with an id made of two
  /// (docs/format/journal.md#wiping-before-reuse).
  bool zero_before_reuse = true;
  /// New files are filled with zeros, so that appending never waits for room. Off: they have their
  /// size, and room is taken when records come. For stores that nobody sees before they are whole.
  bool fill_new_files = true;
  bool datasync = true;  ///< off: nothing is synced, and nothing survives a power failure for sure
  /// An opened journal goes on behind the last record of its last file, as a broker does. Off: in
  /// a new file, so that what stands behind that record stays as it is.
  bool continue_last_file = true;
  /// Whoever appends also does what maintain() does, each time a file is full. Off: the owner of
  /// the journal calls maintain() when it suits.
  bool automatic_maintenance = true;
};

}  // namespace saranga::journal
