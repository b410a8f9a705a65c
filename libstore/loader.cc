#include "saranga/store/loader.h"

#include <fmt/format.h>

#include <algorithm>

#include "libstore/small_journal.h"
#include "saranga/journal/gap_findings.h"
#include "saranga/store/cross_findings.h"
#include "saranga/store/fact.h"

namespace saranga::store {
namespace {

// What the records of a message take, as a guess.
constexpr std::uint64_t kBytesOfMessage = 1024;
// How far ahead of its turn the model hears of an id: long enough for memory to answer.
constexpr std::size_t kFactsAhead = 8;

/// Reads the facts of one window on any thread and applies them in order.
class FactsJob final : public Job {
 public:
  FactsJob(Model& model, journal::Batch batch, std::size_t file, const std::string& label,
           const LoadOptions& options, std::vector<journal::Batch>& spare)
      : model_(model), batch_(std::move(batch)), file_(file), options_(options), spare_(spare) {
    if (options.check == nullptr) return;
    check_ = options.check->begin_window(journal::JournalKind::kMessages, label);
  }
  void run() override {
    facts_.reserve(batch_.records.size());
    for (const journal::Record& record : batch_.records) {
      if (check_ == nullptr) {
        facts_.push_back(read_fact(record, file_, options_.now_ms));
        continue;
      }
      DecodedMessage decoded;
      facts_.push_back(read_fact(record, file_, options_.now_ms, &decoded));
      check_->record(record, decoded);
    }
  }
  void deliver() override {
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      if (i + kFactsAhead < facts_.size()) model_.prefetch(facts_[i + kFactsAhead].id);
      model_.apply(facts_[i]);
    }
    if (check_ != nullptr) check_->deliver();
    if (options_.observer != nullptr) {
      for (const journal::Record& record : batch_.records) {
        options_.observer->record(journal::JournalKind::kMessages, record, file_);
      }
    }
    spare_.push_back(std::move(batch_));
  }

 private:
  Model& model_;
  journal::Batch batch_;
  std::size_t file_;
  const LoadOptions& options_;
  std::vector<journal::Batch>& spare_;
  std::vector<Fact> facts_;
  std::unique_ptr<WindowCheck> check_;
};

}  // namespace

/// One file of the message journal being scanned.
struct Loader::Scan {
  Scan(std::unique_ptr<ReadableFile> opened, journal::FileHeader header, std::size_t window_bytes)
      : file(std::move(opened)), scanner(*file, header, {.window_bytes = window_bytes}) {}
  std::unique_ptr<ReadableFile> file;
  journal::FileScanner scanner;
};

/// What is said of a file that has been read, behind what is said of its records.
class Loader::FileEndJob final : public Job {
 public:
  FileEndJob(LoadedJournal& journal, std::unique_ptr<Scan> scan, std::size_t file,
             std::optional<Error> error, FindingSink& sink)
      : journal_(journal),
        scan_(std::move(scan)),
        file_(file),
        error_(std::move(error)),
        sink_(sink) {}
  void run() override {}
  void deliver() override {
    const std::string& label = journal_.labels[file_];
    if (error_) report_unreadable(label, *error_, sink_);
    journal::report_gaps(scan_->scanner, label, journal_.folder.files[file_].missing_bytes, sink_);
    journal_.scanned.push_back(summary_of(scan_->scanner, label));
  }

 private:
  LoadedJournal& journal_;
  std::unique_ptr<Scan> scan_;
  std::size_t file_;
  std::optional<Error> error_;
  FindingSink& sink_;
};

bool LoadedJournal::is_known() const {
  return !folder.odd.empty() || std::ranges::any_of(scanned, [](const ScannedFile& file) {
    return file.account.total_bytes() != 0;
  });
}

const message::LargeFile* LoadedStore::large_file(std::int64_t message_id) const {
  // Durable files sort in front of the others of the same id.
  const auto found =
      std::ranges::lower_bound(large_files_, message_id, {}, &message::LargeFile::id);
  return found != large_files_.end() && found->id == message_id ? &*found : nullptr;
}

Loader::Loader(StoreParts parts, LoadOptions options, FindingSink& sink, JobRunner& jobs)
    : options_(options),
      sink_(sink),
      jobs_(jobs),
      store_(std::make_unique<LoadedStore>(std::move(parts), sink)) {
  store_->now_ms_ = options.now_ms;
}

Loader::~Loader() { jobs_.drain(); }

Result<bool> Loader::step() {
  Result<void> done;
  switch (stage_) {
    case Stage::kBindings:
      done = load_bindings();
      if (done) done = begin_journal();
      stage_ = Stage::kJournal;
      break;
    case Stage::kJournal: {
      auto more = step_journal();
      if (!more) return more;
      if (!*more) stage_ = Stage::kRest;
      break;
    }
    case Stage::kRest:
      done = load_rest();
      stage_ = Stage::kDone;
      break;
    case Stage::kDone: break;
  }
  if (!done) return std::unexpected(done.error());
  return stage_ != Stage::kDone;
}

std::uint64_t Loader::read_bytes() const {
  return finished_bytes_ + (scan_ ? scan_->scanner.position() : 0);
}

std::unique_ptr<LoadedStore> Loader::take() { return std::move(store_); }

// The bindings journal is small: it is read at once, and its survivors again.
Result<void> Loader::load_bindings() {
  const SmallJournalReaders readers{.observer = options_.observer,
                                    .check = options_.check,
                                    .survivor = [&](const journal::Record& record) {
                                      store_->catalog_.apply(record.user_type, record.id,
                                                             record.is_update(), record.body);
                                    }};
  auto loaded = load_small_journal(*store_->parts_.bindings, journal::JournalKind::kBindings,
                                   "bindings", readers, sink_);
  if (!loaded) return std::unexpected(loaded.error());
  store_->bindings_ = std::move(*loaded);
  if (options_.check != nullptr) store_->model_.count_bytes();
  return {};
}

Result<void> Loader::begin_journal() {
  LoadedJournal& loaded = store_->journal_;
  auto folder = journal::read_folder(*store_->parts_.journal, journal::JournalKind::kMessages,
                                     "journal", sink_);
  if (!folder) return std::unexpected(folder.error());
  loaded.folder = std::move(*folder);
  loaded.labels = label_files(loaded.folder, "journal");
  for (const journal::JournalFile& file : loaded.folder.files) total_bytes_ += file.size_bytes;
  store_->model_.expect(total_bytes_ / kBytesOfMessage);
  if (options_.observer != nullptr) {
    options_.observer->begin_journal(store_->catalog_, loaded.labels);
  }
  report_missing_journals(*store_->parts_.bindings, *store_->parts_.journal, sink_);
  return {};
}

Result<bool> Loader::step_journal() {
  LoadedJournal& loaded = store_->journal_;
  if (!scan_) {
    if (next_file_ == loaded.folder.files.size()) return false;
    const journal::JournalFile& file = loaded.folder.files[next_file_];
    auto opened = store_->parts_.journal->open(file.name);
    if (!opened) {
      jobs_.drain();
      report_unreadable(loaded.labels[next_file_], opened.error(), sink_);
      loaded.scanned.push_back({.label = loaded.labels[next_file_], .account = {}});
      ++next_file_;
      return true;
    }
    scan_ = std::make_unique<Scan>(std::move(*opened), file.header, options_.window_bytes);
  }
  journal::Batch batch;
  if (!spare_.empty()) {
    batch = std::move(spare_.back());
    spare_.pop_back();
  }
  auto more = scan_->scanner.next(batch);
  if (more && *more) {
    jobs_.submit(std::make_unique<FactsJob>(store_->model_, std::move(batch), next_file_,
                                            loaded.labels[next_file_], options_, spare_));
    return true;
  }
  spare_.push_back(std::move(batch));
  std::optional<Error> error;
  if (!more) error = more.error();
  jobs_.submit(
      std::make_unique<FileEndJob>(loaded, std::move(scan_), next_file_, std::move(error), sink_));
  finished_bytes_ += loaded.folder.files[next_file_].size_bytes;
  ++next_file_;
  return true;
}

Result<void> Loader::load_rest() {
  jobs_.drain();
  store_->model_.finish(store_->catalog_, store_->bindings_.is_known());
  store_->journal_.live_bytes = store_->model_.live_bytes();
  auto page_stores = paging::list_page_stores(*store_->parts_.paging, "paging", sink_);
  if (!page_stores) return std::unexpected(page_stores.error());
  store_->page_stores_ = std::move(*page_stores);
  auto large = message::list_large_files(*store_->parts_.large_messages, "large-messages", sink_);
  if (!large) return std::unexpected(large.error());
  store_->large_files_ = std::move(*large);
  return {};
}

Result<std::unique_ptr<LoadedStore>> load_store(StoreParts parts, LoadOptions options,
                                                FindingSink& sink, JobRunner& jobs) {
  Loader loader(std::move(parts), options, sink, jobs);
  while (true) {
    auto more = loader.step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return loader.take();
  }
}

}  // namespace saranga::store
