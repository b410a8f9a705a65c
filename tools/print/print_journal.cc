#include "tools/print/print_journal.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/journal/gap_findings.h"
#include "saranga/journal/record_fetcher.h"
#include "saranga/journal/survivors.h"
#include "saranga/store/cross_findings.h"

namespace saranga::print {
namespace {

using journal::Batch;
using journal::FileScanner;
using journal::Record;

constexpr std::size_t kSurvivorsPerJob = 1024;

// Windows and texts that jobs hand back, so that a steady run allocates nothing.
struct Spare {
  std::vector<Batch> batches;
  std::vector<TextBuffer> texts;

  Batch take_batch() {
    if (batches.empty()) return {};
    Batch batch = std::move(batches.back());
    batches.pop_back();
    return batch;
  }
  TextBuffer take_text() {
    if (texts.empty()) return {};
    TextBuffer text = std::move(texts.back());
    texts.pop_back();
    text.clear();
    return text;
  }
};

/// Formats the records of one window.
class RecordsJob final : public Job {
 public:
  RecordsJob(PrintSession& session, Spare& spare, const FileInfo& file, Batch batch)
      : session_(session),
        spare_(spare),
        file_(file),
        batch_(std::move(batch)),
        text_(spare.take_text()) {}
  void run() override {
    const StorePrinter& printer = session_.printer();
    for (const Record& record : batch_.records) printer.record(text_, notes_, file_, record);
  }
  void deliver() override {
    session_.deliver(text_, notes_, false);
    spare_.batches.push_back(std::move(batch_));
    spare_.texts.push_back(std::move(text_));
  }

 private:
  PrintSession& session_;
  Spare& spare_;
  const FileInfo& file_;
  Batch batch_;
  TextBuffer text_;
  RecordNotes notes_;
};

/// Reads the surviving records of one slice again and formats them.
class SurvivorsJob final : public Job {
 public:
  SurvivorsJob(PrintSession& session, Spare& spare, const ReadableDirectory& directory,
               const journal::JournalFolder& folder, const std::vector<FileInfo>& files,
               std::vector<journal::PlacedRecord> slice, store::SurvivorFacts& facts,
               std::vector<bool> shown)
      : session_(session),
        spare_(spare),
        folder_(folder),
        files_(files),
        slice_(std::move(slice)),
        total_(facts),
        shown_(std::move(shown)),
        fetcher_(directory, folder.files),
        text_(spare.take_text()) {}

  void run() override {
    const StorePrinter& printer = session_.printer();
    for (std::size_t i = 0; i < slice_.size(); ++i) {
      const journal::PlacedRecord& placed = slice_[i];
      auto record = fetcher_.fetch(placed.place);
      const FileInfo& file = files_[placed.place.file()];
      if (!record || record->id != placed.id) {
        report_gone(file, placed);
        continue;
      }
      facts_.add(folder_.kind, *record);
      if (shown_[i]) printer.survivor(text_, notes_, file, *record);
    }
  }
  void deliver() override {
    session_.deliver(text_, notes_, true);
    total_.merge(facts_);
    spare_.texts.push_back(std::move(text_));
  }

 private:
  void report_gone(const FileInfo& file, const journal::PlacedRecord& placed) {
    notes_.findings.push_back({.code = "record-changed-while-reading",
                               .severity = Severity::kWarning,
                               .file = file.label,
                               .offset = placed.place.offset(),
                               .id = placed.id,
                               .text =
                                   "the record is no longer where it was a moment ago; a broker "
                                   "seems to write to the store"});
  }

  PrintSession& session_;
  Spare& spare_;
  const journal::JournalFolder& folder_;
  const std::vector<FileInfo>& files_;
  std::vector<journal::PlacedRecord> slice_;
  store::SurvivorFacts& total_;
  std::vector<bool> shown_;  // by place in the slice
  journal::RecordFetcher fetcher_;
  TextBuffer text_;
  RecordNotes notes_;
  store::SurvivorFacts facts_;
};

/// A file and its scanner, kept until the end of the file has been printed.
struct FileScan {
  FileScan(std::unique_ptr<ReadableFile> opened, journal::FileHeader header, bool reclaimed)
      : file(std::move(opened)), scanner(*file, header, {.reclaimed = reclaimed}) {}
  std::unique_ptr<ReadableFile> file;
  FileScanner scanner;
};

/// One journal being printed.
class JournalPrint {
 public:
  JournalPrint(PrintSession& session, const ReadableDirectory& directory,
               const JournalRequest& request, const journal::JournalFolder& folder);

  Result<JournalFacts> run();

 private:
  Result<void> print_file(std::size_t index);
  void print_survivors();
  [[nodiscard]] std::vector<bool> select(const std::vector<journal::PlacedRecord>& slice,
                                         journal::RecordFetcher& fetcher);
  void print_open();
  void print_transaction(const journal::OpenTransaction& transaction);
  void print_open_record(const journal::OpenTransaction& transaction,
                         const journal::PlacedRecord& placed, bool is_delete,
                         journal::RecordFetcher& fetcher);
  void report_open(const journal::OpenTransaction& transaction);

  PrintSession& session_;
  const ReadableDirectory& directory_;
  const JournalRequest& request_;
  const journal::JournalFolder& folder_;
  std::vector<FileInfo> files_;
  std::vector<std::string> labels_;
  Spare spare_;
  journal::Survivors survivors_;
  JournalFacts facts_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;  // of whole files
};

JournalPrint::JournalPrint(PrintSession& session, const ReadableDirectory& directory,
                           const JournalRequest& request, const journal::JournalFolder& folder)
    : session_(session),
      directory_(directory),
      request_(request),
      folder_(folder),
      survivors_(session.ordered_findings(), labels_) {
  for (const journal::JournalFile& file : folder.files) {
    const std::string& label = request.label;
    labels_.push_back(label.empty() ? file.name : fmt::format("{}/{}", label, file.name));
    files_.push_back({.file = &file, .label = labels_.back()});
    total_bytes_ += file.size_bytes;
  }
}

Result<JournalFacts> JournalPrint::run() {
  if (!request_.silent) {
    session_.printer().begin_journal(session_.out(), directory_.path(), folder_, request_.label);
  }
  for (std::size_t i = 0; i < files_.size() && !session_.must_stop(); ++i) {
    if (auto printed = print_file(i); !printed) {
      session_.ordered_findings().finding({.code = "file-unreadable",
                                           .severity = Severity::kDamage,
                                           .file = files_[i].label,
                                           .text = printed.error().text});
    }
  }
  session_.jobs().drain();
  survivors_.finish();
  print_survivors();
  print_open();
  if (!request_.silent) {
    session_.printer().end_journal(session_.out(), facts_.surviving, facts_.prepared);
  }
  facts_.files = files_.size();
  return std::move(facts_);
}

// Printing begins and ends of files take their turn among the jobs, so that the next file is
// scanned while the records of this one are still being formatted.
Result<void> JournalPrint::print_file(std::size_t index) {
  const FileInfo& info = files_[index];
  auto opened = directory_.open(info.file->name);
  if (!opened) return std::unexpected(opened.error());
  auto scan = std::make_shared<FileScan>(std::move(*opened), info.file->header, request_.reclaimed);
  FileScanner& scanner = scan->scanner;
  Selection& selection = session_.selection();
  const bool shown = !request_.silent && (selection.all() || selection.takes_file(info.label));
  if (shown) {
    session_.later([this, &info] { session_.printer().begin_file(session_.out(), info); });
  }
  while (!session_.must_stop()) {
    Batch batch = spare_.take_batch();
    auto more = scanner.next(batch);
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    session_.progress().tell(read_bytes_ + scanner.position(), total_bytes_);
    for (const Record& record : batch.records) {
      // Records of a previous life are shown with --reclaimed, but they never survive.
      if (record.tag == info.file->header.tag()) survivors_.apply(record, index);
    }
    if (shown && !selection.all()) {
      std::erase_if(batch.records, [&](const Record& record) {
        return !selection.takes(folder_.kind, info.label, record);
      });
    }
    if (!shown || batch.records.empty()) {
      spare_.batches.push_back(std::move(batch));
    } else {
      session_.jobs().submit(
          std::make_unique<RecordsJob>(session_, spare_, info, std::move(batch)));
    }
  }
  read_bytes_ += info.file->size_bytes;
  facts_.records += scanner.record_count();
  facts_.account.add(scanner.account());
  session_.later([this, &info, scan, shown] {
    journal::report_gaps(scan->scanner, info.label, info.file->missing_bytes, session_.findings());
    if (shown) session_.printer().end_file(session_.out(), info, scan->scanner);
  });
  return {};
}

void JournalPrint::print_survivors() {
  if (!request_.silent) session_.printer().begin_survivors(session_.out());
  const auto& records = survivors_.records();
  journal::RecordFetcher fetcher(directory_, folder_.files);
  for (std::size_t from = 0; from < records.size() && !session_.must_stop();) {
    const std::size_t end = std::min(from + kSurvivorsPerJob, records.size());
    const auto at = [&](std::size_t i) { return records.begin() + static_cast<std::ptrdiff_t>(i); };
    std::vector<journal::PlacedRecord> slice(at(from), at(end));
    std::vector<bool> shown = select(slice, fetcher);
    session_.jobs().submit(std::make_unique<SurvivorsJob>(session_, spare_, directory_, folder_,
                                                          files_, std::move(slice),
                                                          facts_.surviving, std::move(shown)));
    from = end;
  }
  session_.jobs().drain();
}

// Which records of a slice are printed. A filter has to see the record, so it is read for that.
std::vector<bool> JournalPrint::select(const std::vector<journal::PlacedRecord>& slice,
                                       journal::RecordFetcher& fetcher) {
  Selection& selection = session_.selection();
  std::vector<bool> shown(slice.size(), !request_.silent);
  if (request_.silent || selection.all()) return shown;
  for (std::size_t i = 0; i < slice.size(); ++i) {
    shown[i] = false;
    if (selection.full()) continue;
    const auto record = fetcher.fetch(slice[i].place);
    shown[i] = record && selection.takes(folder_.kind, labels_[slice[i].place.file()], *record);
  }
  return shown;
}

void JournalPrint::print_open() {
  const auto& open = survivors_.open();
  StorePrinter& printer = session_.printer();
  const bool any_failed = std::ranges::any_of(open, [](const auto& tx) { return !tx.prepared; });
  if (!request_.silent) printer.begin_prepared(session_.out());
  for (const auto& transaction : open) {
    if (transaction.prepared) print_transaction(transaction);
  }
  if (!request_.silent) printer.begin_failed(session_.out(), any_failed);
  for (const auto& transaction : open) {
    if (!transaction.prepared) print_transaction(transaction);
  }
}

void JournalPrint::print_transaction(const journal::OpenTransaction& transaction) {
  if (!transaction.prepared) report_open(transaction);
  if (!request_.silent) session_.printer().begin_transaction(session_.out(), transaction);
  journal::RecordFetcher fetcher(directory_, folder_.files);
  for (const auto& placed : transaction.records) {
    print_open_record(transaction, placed, false, fetcher);
  }
  for (const auto& placed : transaction.deletes) {
    print_open_record(transaction, placed, true, fetcher);
  }
  if (!request_.silent) session_.printer().end_transaction(session_.out(), transaction);
}

void JournalPrint::print_open_record(const journal::OpenTransaction& transaction,
                                     const journal::PlacedRecord& placed, bool is_delete,
                                     journal::RecordFetcher& fetcher) {
  auto record = fetcher.fetch(placed.place);
  if (!record) return;
  if (transaction.prepared && !is_delete) facts_.prepared.add(folder_.kind, *record);
  const FileInfo& file = files_[placed.place.file()];
  if (request_.silent || !session_.selection().takes(folder_.kind, file.label, *record)) return;
  session_.printer().transaction_record(session_.out(), transaction,
                                        {.file = &file, .record = *record, .is_delete = is_delete});
  session_.output().put("");
}

void JournalPrint::report_open(const journal::OpenTransaction& transaction) {
  store::OpenTransactionPlace place{
      .tx_id = transaction.tx_id,
      .record_count = transaction.records.size() + transaction.deletes.size()};
  const auto& placed = transaction.records.empty() ? transaction.deletes : transaction.records;
  if (!placed.empty()) {
    place.file = labels_[placed.front().place.file()];
    place.offset = placed.front().place.offset();
  }
  session_.findings().finding(store::transaction_open(std::move(place)));
}

}  // namespace

Result<JournalFacts> print_journal(PrintSession& session, const ReadableDirectory& directory,
                                   const JournalRequest& request) {
  auto folder = journal::read_folder(directory, request.kind, request.label, session.findings());
  if (!folder) return std::unexpected(folder.error());
  return print_journal(session, directory, request, *folder);
}

Result<JournalFacts> print_journal(PrintSession& session, const ReadableDirectory& directory,
                                   const JournalRequest& request,
                                   const journal::JournalFolder& folder) {
  return JournalPrint(session, directory, request, folder).run();
}

}  // namespace saranga::print
