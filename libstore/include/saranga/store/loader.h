// Loading a store: streams the journals, the pages' names and the body files, and folds the state
// that a starting broker would have. Nothing is changed and no body is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "saranga/bindings/catalog.h"
#include "saranga/bytes/finding.h"
#include "saranga/io/jobs.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/record_fetcher.h"
#include "saranga/journal/scanner.h"
#include "saranga/journal/survivors.h"
#include "saranga/message/large_files.h"
#include "saranga/paging/page_stores.h"
#include "saranga/store/model.h"
#include "saranga/store/parts.h"
#include "saranga/store/record_check.h"

namespace saranga::store {

/// What the scan of one journal file found.
struct ScannedFile {
  std::string label;  ///< "journal/activemq-data-1.amq"
  journal::ByteAccount account;
  std::uint64_t records = 0;
  std::uint64_t end_of_records = 0;
  bool marked = false;  ///< it looks damaged: a broker would not take it for a free file
};

/// A journal as it was read.
struct LoadedJournal {
  journal::JournalFolder folder;
  std::vector<std::string> labels;   ///< by place.file()
  std::vector<ScannedFile> scanned;  ///< by place.file()
  /// Bytes of records that a load keeps; see Model::live_bytes(). Of the message journal only when
  /// there is a RecordCheck.
  std::uint64_t live_bytes = 0;
  /// Transactions without outcome; those of the message journal are in the model instead.
  std::vector<journal::OpenTransaction> open{};
  /// Ids that deletes take away; likewise.
  journal::IdSet deleted{};

  /// Whether there is any file of it, and the system let it be read; not that it is sound.
  [[nodiscard]] SARANGA_API bool is_known() const;
};

/// A loaded store. It owns everything; its folders stay open for reading bodies and pages again.
class SARANGA_API LoadedStore {
 public:
  LoadedStore(StoreParts parts, FindingSink& sink)
      : parts_(std::move(parts)), model_(sink, journal_.labels) {}
  LoadedStore(const LoadedStore&) = delete;
  LoadedStore& operator=(const LoadedStore&) = delete;

  [[nodiscard]] const StoreParts& parts() const { return parts_; }
  [[nodiscard]] const bindings::Catalog& catalog() const { return catalog_; }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const LoadedJournal& bindings() const { return bindings_; }
  [[nodiscard]] const LoadedJournal& journal() const { return journal_; }
  [[nodiscard]] const std::vector<paging::PageStore>& page_stores() const { return page_stores_; }
  [[nodiscard]] const std::vector<message::LargeFile>& large_files() const { return large_files_; }
  /// The body file of a large message, null when there is none. Of several, the one that a start
  /// keeps.
  [[nodiscard]] const message::LargeFile* large_file(std::int64_t message_id) const;
  /// Which the loader took for the present, ms since 1970.
  [[nodiscard]] std::int64_t now_ms() const { return now_ms_; }
  /// A fetcher of message journal records; one a thread, within the lifetime of the store.
  [[nodiscard]] journal::RecordFetcher fetcher() const {
    return {*parts_.journal, journal_.folder.files};
  }
  /// The same for the bindings journal.
  [[nodiscard]] journal::RecordFetcher bindings_fetcher() const {
    return {*parts_.bindings, bindings_.folder.files};
  }

 private:
  friend class Loader;
  StoreParts parts_;
  LoadedJournal bindings_;
  LoadedJournal journal_;
  bindings::Catalog catalog_;
  Model model_;
  std::vector<paging::PageStore> page_stores_;
  std::vector<message::LargeFile> large_files_;
  std::int64_t now_ms_ = 0;
};

/// Sees every record of both journals while they are loaded, each once and in load order: those of
/// the bindings first. Views hold until it returns.
class SARANGA_API RecordObserver {
 public:
  virtual ~RecordObserver() = default;
  /// Called before the first record of the message journal, when the bindings are known; `labels`
  /// are those of its files, by place.file(). Both live as long as the loading.
  virtual void begin_journal(const bindings::Catalog& catalog,
                             const std::vector<std::string>& labels) {
    (void)catalog;
    (void)labels;
  }
  /// `file` counts the files of that journal in the order of reading.
  virtual void record(journal::JournalKind journal, const journal::Record& record,
                      std::size_t file) = 0;
};

struct LoadOptions {
  std::int64_t now_ms =
      0;  ///< the caller's clock, ms since 1970: schedules and expiry count from it
  std::size_t window_bytes = std::size_t{256} << 10;
  RecordObserver* observer = nullptr;  ///< must outlive the loader; called on the loading thread
  RecordCheck* check = nullptr;        ///< must outlive the loader
};

/// Loads in steps, so that a broker can do other things in between. `sink` and `jobs` must outlive
/// both the loader and the loaded store.
class SARANGA_API Loader {
 public:
  Loader(StoreParts parts, LoadOptions options, FindingSink& sink, JobRunner& jobs);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Does a piece of the work, about one window of a file; false when everything is loaded. Errors
  /// are those that keep a folder from being read at all; damage goes to the sink.
  [[nodiscard]] Result<bool> step();
  /// The loaded store, once step() has returned false.
  [[nodiscard]] std::unique_ptr<LoadedStore> take();

  /// How much of the message journal has been read, and how much there is; 0 of 0 before its folder
  /// has been listed.
  [[nodiscard]] std::uint64_t read_bytes() const;
  [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  enum class Stage : std::uint8_t { kBindings, kJournal, kRest, kDone };
  struct Scan;
  class FileEndJob;

  [[nodiscard]] Result<void> load_bindings();
  [[nodiscard]] Result<void> begin_journal();
  [[nodiscard]] Result<bool> step_journal();
  [[nodiscard]] Result<void> load_rest();

  LoadOptions options_;
  FindingSink& sink_;
  JobRunner& jobs_;
  std::unique_ptr<LoadedStore> store_;
  Stage stage_ = Stage::kBindings;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t finished_bytes_ = 0;  // of files that were read to their end
  std::size_t next_file_ = 0;
  std::unique_ptr<Scan> scan_;
  std::vector<journal::Batch> spare_;
};

/// Runs a loader to its end.
[[nodiscard]] SARANGA_API Result<std::unique_ptr<LoadedStore>> load_store(StoreParts parts,
                                                                          LoadOptions options,
                                                                          FindingSink& sink,
                                                                          JobRunner& jobs);

}  // namespace saranga::store
