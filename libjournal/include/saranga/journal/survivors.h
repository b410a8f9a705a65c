// Which records survive a load: the fold over all records of a journal in file order, by the rules
// of a starting broker (docs/format/journal.md#loading-a-journal). It keeps places, not bodies.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "saranga/bytes/export.h"
#include "saranga/bytes/finding.h"
#include "saranga/journal/format.h"
#include "saranga/journal/id_set.h"
#include "saranga/journal/transaction_fold.h"

namespace saranga::journal {

/// Where a record is: the index of its file in the order of reading, and its offset.
class Place {
 public:
  Place() = default;
  Place(std::size_t file, std::uint64_t offset)
      : packed_(static_cast<std::uint64_t>(file) << kOffsetBits | offset) {}
  [[nodiscard]] std::size_t file() const {
    return static_cast<std::size_t>(packed_ >> kOffsetBits);
  }
  [[nodiscard]] std::uint64_t offset() const {
    return packed_ & ((std::uint64_t{1} << kOffsetBits) - 1);
  }
  friend bool operator==(Place, Place) = default;

 private:
  // Journal files are below 2 GiB for Artemis; 2^40 leaves room, and for 16 million files.
  static constexpr unsigned kOffsetBits = 40;
  std::uint64_t packed_ = 0;
};

/// A record by id and place.
struct PlacedRecord {
  std::int64_t id = 0;
  Place place{};
};

/// A transaction that is still open when all files are read.
using OpenTransaction = FoldedTransaction<PlacedRecord>;

/// Takes the records of a journal one after the other and knows at the end which ones count.
/// Memory: 16 bytes for each record that may survive and for each record of an open transaction,
/// and a bit or so for each deleted id. One thread drives it.
class SARANGA_API Survivors {
 public:
  /// `sink` receives what does not fit together (a commit whose number of records is wrong). The
  /// file names in findings are `file_names[place.file()]`; both must outlive this object.
  Survivors(FindingSink& sink, const std::vector<std::string>& file_names)
      : sink_(sink), file_names_(file_names) {}

  /// `file` counts the files in the order of reading. EVENT records are ignored, as in a load.
  void apply(const Record& record, std::size_t file);
  /// To be called once after the last record; removes what deletes took away.
  void finish();

  /// Surviving adds and updates in load order (transactional ones at their commit).
  [[nodiscard]] const std::deque<PlacedRecord>& records() const { return records_; }
  /// Open transactions in the order of their first record.
  [[nodiscard]] const std::vector<OpenTransaction>& open() const { return open_; }
  [[nodiscard]] const IdSet& deleted() const { return deleted_; }

 private:
  void commit(const Record& record, std::size_t file);
  void mismatch(const Record& record, std::size_t file, std::int32_t counted, const char* what);
  void remove_deleted();

  FindingSink& sink_;
  const std::vector<std::string>& file_names_;
  std::deque<PlacedRecord> records_;
  IdSet deleted_;
  std::size_t prune_at_ = std::size_t{1} << 16;
  TransactionFold<PlacedRecord> transactions_;
  std::vector<OpenTransaction> open_;
};

}  // namespace saranga::journal
