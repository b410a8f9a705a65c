// What a JournalWriter consists of; shared by appending and by opening.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libjournal/journal/append_stream.h"
#include "libjournal/journal/file_accounts.h"
#include "libjournal/journal/file_pool.h"
#include "saranga/journal/journal_writer.h"

namespace saranga::journal {

struct JournalWriter::State {
  /// A file with data.
  struct DataFile {
    PoolFile file;
    FileSlot slot = 0;
  };

  State(WritableDirectory& given_directory, WriteEngine& engine, WriterOptions given_options,
        std::int64_t last_id)
      : directory(given_directory),
        options(std::move(given_options)),
        pool(directory, options, last_id),
        stream(engine, {.alignment_bytes = options.alignment_bytes,
                        .buffer_bytes = options.buffer_bytes,
                        .datasync = options.datasync}) {}

  [[nodiscard]] Result<Position> append(RecordFields fields, Slices body);
  /// Whether a record makes sense now.
  [[nodiscard]] Result<void> check(const RecordFields& fields, std::uint64_t bytes) const;
  /// Closes the current file and goes on in the next one.
  [[nodiscard]] Result<void> roll();
  /// Makes a file of the pool the current one.
  void begin(const PoolFile& file, std::unique_ptr<WritableFile> opened_file);
  [[nodiscard]] Result<void> maintain();
  [[nodiscard]] Result<void> reclaim();
  void maintain_automatically();
  [[nodiscard]] std::size_t used_files() const { return closed.size() + 1 + (ahead ? 1 : 0); }

  WritableDirectory& directory;
  WriterOptions options;
  FileAccounts accounts;
  FilePool pool;
  AppendStream stream;
  std::vector<DataFile> closed;  // ascending by header id
  DataFile current{};
  std::optional<PoolFile> ahead;  // the next file, ready to be used
  bool check_due = true;          // a file was closed since the last look for dead ones
  std::optional<Error> maintenance_error;
  std::uint64_t freed_total = 0;
  OpenedJournal opened;
};

}  // namespace saranga::journal
