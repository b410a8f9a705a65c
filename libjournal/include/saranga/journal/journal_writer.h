// Appending to a journal as a broker does (docs/format/journal.md): records of every kind, files
// that roll over, are freed and used again, and one watermark that says what a power failure can no
// longer take away.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/io/write_engine.h"
#include "saranga/journal/record_encoder.h"
#include "saranga/journal/writer_options.h"

namespace saranga::journal {

/// Counts the records appended by one writer, from 1 on. A record is durable, and with it all
/// before it, once durable() has reached its position.
using Position = std::uint64_t;

/// What was found when a journal was opened.
struct OpenedJournal {
  std::uint64_t records = 0;
  std::uint64_t live_ids = 0;
  /// Greatest id of an add or update, committed or not; -1 when there is none. The next free id is
  /// not known from it (docs/format/bindings.md#id-counter).
  std::int64_t max_id = -1;
  std::vector<std::int64_t> prepared;  ///< transactions in doubt: commit() or rollback() ends one
  std::vector<std::int64_t> rolled_back;  ///< transactions that had no outcome, and have one now
};

/// What a writer has on disk.
struct WriterFiles {
  std::string current;            ///< the file that is appended to
  std::int64_t current_id = 0;    ///< its header id
  std::size_t closed = 0;         ///< files with data that are full
  std::size_t free = 0;           ///< empty files that wait, the one made ready included
  std::uint64_t freed_total = 0;  ///< how often a file became free since opening
};

/// Sees every record while a journal is opened, in load order; the record is valid during the call.
using RecordVisitor = std::function<void(const Record& record, const JournalFile& file)>;

/// One journal, open for appending. One thread owns it; the engine may write on another. The caller
/// holds the broker's lock, lets nobody else write to the folder, and never uses a record id or
/// transaction id twice.
///
/// After a crash at any moment a load finds everything that was durable. Of what was not, it finds
/// any part: single records, and transactions whole or not at all. The format has no checksum: a
/// record that was not durable, spans sectors of the disk, and lost one of them may be found with
/// other bytes in its body.
class SARANGA_API JournalWriter {
 public:
  /// Opens the journal in `directory`, creating its files when there are none. Reads all of it;
  /// finishes a compaction that was interrupted, removes files that were being created, makes empty
  /// files free, and rolls back transactions that were neither prepared nor ended, as the start of
  /// a broker does. What is odd goes to `sink`. kUnsupported when a file waits for its retention
  /// copy, kDamaged when a header makes no sense. Directory and engine must outlive the writer, and
  /// the engine serves no other.
  [[nodiscard]] static Result<std::unique_ptr<JournalWriter>> open(
      WritableDirectory& directory, WriteEngine& engine, WriterOptions options, FindingSink& sink,
      const RecordVisitor& visitor = {});
  /// Waits for what the engine is writing. What was not handed to it is lost: sync() first.
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  [[nodiscard]] const OpenedJournal& opened() const;

  /// Appends a record: copies it once, into the batch that is being filled, and rolls over to
  /// another file when it does not fit. Tag and number in `fields` are set here; the compact count
  /// is taken as it is. Nothing is appended after an error:
  /// * kInvalidArgument: no file can hold a record of this length;
  /// * kNotFound: an update or delete of an id that is not live, the end of a transaction that is
  ///   not open;
  /// * kExists: an add of an id that is live;
  /// * kIo: no next file could be made, and the append may be tried again; or writing has failed,
  ///   and then every later call fails too.
  [[nodiscard]] Result<Position> append(RecordFields fields, Slices body = {});

  [[nodiscard]] Result<Position> add(std::int64_t id, std::int8_t user_type, Slices body) {
    return append({.kind = RecordKind::kAdd, .user_type = user_type, .id = id}, body);
  }
  [[nodiscard]] Result<Position> update(std::int64_t id, std::int8_t user_type, Slices body) {
    return append({.kind = RecordKind::kUpdate, .user_type = user_type, .id = id}, body);
  }
  [[nodiscard]] Result<Position> remove(std::int64_t id) {
    return append({.kind = RecordKind::kDelete, .id = id});
  }
  /// A record that no load looks at, and that keeps no file.
  [[nodiscard]] Result<Position> event(std::int64_t id, std::int8_t user_type, Slices body) {
    return append({.kind = RecordKind::kEvent, .user_type = user_type, .id = id}, body);
  }
  /// The forms in a transaction begin it when it is not open. They count with its commit().
  [[nodiscard]] Result<Position> add_tx(std::int64_t tx_id, std::int64_t id, std::int8_t user_type,
                                        Slices body) {
    return append({.kind = RecordKind::kAddTx, .user_type = user_type, .tx_id = tx_id, .id = id},
                  body);
  }
  [[nodiscard]] Result<Position> update_tx(std::int64_t tx_id, std::int64_t id,
                                           std::int8_t user_type, Slices body) {
    return append({.kind = RecordKind::kUpdateTx, .user_type = user_type, .tx_id = tx_id, .id = id},
                  body);
  }
  [[nodiscard]] Result<Position> remove_tx(std::int64_t tx_id, std::int64_t id, Slices body = {}) {
    return append({.kind = RecordKind::kDeleteTx, .tx_id = tx_id, .id = id}, body);
  }
  /// `xid` is the extra data, as docs/format/messages.md#xid lays it out.
  [[nodiscard]] Result<Position> prepare(std::int64_t tx_id, Slices xid) {
    return append({.kind = RecordKind::kPrepare, .tx_id = tx_id}, xid);
  }
  [[nodiscard]] Result<Position> commit(std::int64_t tx_id) {
    return append({.kind = RecordKind::kCommit, .tx_id = tx_id});
  }
  [[nodiscard]] Result<Position> rollback(std::int64_t tx_id) {
    return append({.kind = RecordKind::kRollback, .tx_id = tx_id});
  }

  /// Begins to write and sync what was appended when nothing is under way; never waits. Called
  /// again and again, this is group commit: a batch is as large as the disk is slow.
  [[nodiscard]] Result<void> start();
  /// Takes note of what the engine has completed; never waits.
  [[nodiscard]] Result<void> poll();
  /// Returns when everything appended is durable.
  [[nodiscard]] Result<void> sync();

  [[nodiscard]] Position appended() const;
  /// The watermark. With `datasync` off it says what has been written.
  [[nodiscard]] Position durable() const;

  [[nodiscard]] bool is_live(std::int64_t id) const;
  [[nodiscard]] WriterFiles files() const;

  /// Frees the files that nothing needs any more and makes the next file ready. Waits for the disk.
  /// May be left out: then appending makes a file when it needs one, and none becomes free.
  [[nodiscard]] Result<void> maintain();
  /// Whether maintain() has something to do: a file was closed, or no next one is ready.
  [[nodiscard]] bool maintenance_due() const;
  /// What went wrong in the last automatic maintenance; it is tried again with the next file.
  [[nodiscard]] const std::optional<Error>& maintenance_error() const;

 private:
  struct State;
  class Opener;
  explicit JournalWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace saranga::journal
