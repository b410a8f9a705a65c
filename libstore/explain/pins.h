// What holds the files of a journal, in groups: ids whose records are in the same files and that
// the same queues or transactions keep. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "libstore/prepared_index.h"
#include "saranga/bytes/id_hash.h"
#include "saranga/journal/liveness.h"
#include "saranga/store/explain.h"

namespace saranga::store {

/// What keeps an id alive.
struct Holder {
  enum class Kind : std::uint8_t {
    kMessage,       ///< queues and prepared transactions
    kUnreferenced,  ///< a message that is on no queue
    kRecord,        ///< a record of another type
  };
  Kind kind = Kind::kRecord;
  std::int8_t user_type = 0;                 ///< of kRecord
  std::vector<std::int64_t> queues{};        ///< ascending
  std::vector<std::int64_t> transactions{};  ///< ascending

  friend auto operator<=>(const Holder&, const Holder&) = default;
};

/// Tells what keeps an id of the message journal.
class HolderFinder {
 public:
  explicit HolderFinder(const LoadedStore& store) : store_(store), prepared_(store.model()) {}

  /// `first_type` is the user type of the record that made the id live.
  [[nodiscard]] Holder find(std::int64_t id, std::int8_t first_type) const;
  /// The queue of a message that only one queue keeps, which is the usual case.
  [[nodiscard]] std::optional<std::int64_t> only_queue(std::int64_t id,
                                                       std::int8_t first_type) const;

 private:
  const LoadedStore& store_;
  PreparedIndex prepared_;
};

/// How long records of a type stay that are no messages.
[[nodiscard]] Release release_of(journal::JournalKind journal, std::int8_t user_type);
/// The name of a type of that journal.
[[nodiscard]] std::string_view type_name(journal::JournalKind journal, std::int8_t user_type);
/// What the ids of one holder have in one file.
struct FileShare {
  std::uint32_t holder = 0;
  std::uint64_t ids = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

/// Ids of one holder whose records are in the same files.
struct Cohort {
  std::uint32_t holder = 0;
  std::uint32_t files = 0;  ///< number of the set of files
  std::uint64_t ids = 0;
};

/// One pass over the live ids of a journal.
class PinTable {
 public:
  /// `finder` is null for the bindings journal. There are `files` files.
  PinTable(const journal::Liveness& liveness, const HolderFinder* finder, std::size_t files);

  [[nodiscard]] const Holder& holder(std::uint32_t index) const { return holders_[index]; }
  [[nodiscard]] std::size_t holder_count() const { return holders_.size(); }
  [[nodiscard]] const std::vector<Cohort>& cohorts() const { return cohorts_; }
  /// Numbers of the cohorts that have a record in the file.
  [[nodiscard]] std::span<const std::uint32_t> cohorts_in(std::size_t file) const {
    return by_file_[file];
  }
  [[nodiscard]] std::span<const FileShare> shares(std::size_t file) const { return shares_[file]; }
  /// The files of a set.
  [[nodiscard]] std::span<const std::uint32_t> files_of(std::uint32_t set) const {
    return sets_[set];
  }
  /// The lowest live id with a record in the file.
  [[nodiscard]] std::optional<std::int64_t> oldest(std::size_t file) const { return oldest_[file]; }

 private:
  void take(std::int64_t id, std::span<const journal::LiveRecord> records);
  [[nodiscard]] std::uint32_t holder_of(std::int64_t id, std::int8_t first_type);
  [[nodiscard]] std::uint32_t intern(const Holder& holder);
  [[nodiscard]] std::uint32_t set_of(const std::vector<std::uint32_t>& files);
  FileShare& share(std::uint32_t file, std::uint32_t holder);

  const HolderFinder* finder_;
  std::vector<Holder> holders_;
  std::map<Holder, std::uint32_t> holder_numbers_;
  IdMap<std::uint32_t> by_queue_;  // holders of messages on one queue
  std::vector<std::vector<std::uint32_t>> sets_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> set_numbers_;
  std::vector<std::uint32_t> single_sets_;  // by file
  std::vector<Cohort> cohorts_;
  IdMap<std::uint32_t, std::uint64_t> cohort_numbers_;
  std::vector<std::vector<std::uint32_t>> by_file_;
  std::vector<std::vector<FileShare>> shares_;
  IdMap<std::uint32_t, std::uint64_t> share_numbers_;
  std::vector<std::optional<std::int64_t>> oldest_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace saranga::store
