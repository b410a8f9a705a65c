#include "libstore/small_journal.h"

#include <fmt/format.h>

#include "saranga/journal/gap_findings.h"
#include "saranga/journal/survivors.h"

namespace saranga::store {
namespace {

/// One journal being read.
class SmallJournalLoad {
 public:
  SmallJournalLoad(const ReadableDirectory& directory, const SmallJournalReaders& readers,
                   FindingSink& sink)
      : directory_(directory), readers_(readers), sink_(sink), survivors_(sink, loaded_.labels) {}

  Result<LoadedJournal> load(journal::JournalKind kind, std::string_view label);

 private:
  void read_file(std::size_t index);
  void read_survivors();
  [[nodiscard]] std::uint64_t bytes_in_doubt();

  const ReadableDirectory& directory_;
  const SmallJournalReaders& readers_;
  FindingSink& sink_;
  LoadedJournal loaded_;
  journal::Survivors survivors_;
  journal::Batch batch_;
};

Result<LoadedJournal> SmallJournalLoad::load(journal::JournalKind kind, std::string_view label) {
  auto folder = journal::read_folder(directory_, kind, label, sink_);
  if (!folder) return std::unexpected(folder.error());
  loaded_.folder = std::move(*folder);
  loaded_.labels = label_files(loaded_.folder, label);
  for (std::size_t i = 0; i < loaded_.folder.files.size(); ++i) read_file(i);
  survivors_.finish();
  read_survivors();
  loaded_.open = survivors_.open();
  loaded_.deleted = survivors_.deleted();
  loaded_.live_bytes += bytes_in_doubt();
  return std::move(loaded_);
}

void SmallJournalLoad::read_file(std::size_t index) {
  const journal::JournalFile& named = loaded_.folder.files[index];
  const std::string& label = loaded_.labels[index];
  auto file = directory_.open(named.name);
  if (!file) {
    report_unreadable(label, file.error(), sink_);
    loaded_.scanned.push_back({.label = label, .account = {}});
    return;
  }
  journal::FileScanner scanner(**file, named.header);
  auto more = scanner.next(batch_);
  for (; more && *more; more = scanner.next(batch_)) {
    std::unique_ptr<WindowCheck> check;
    if (readers_.check != nullptr) check = readers_.check->begin_window(loaded_.folder.kind, label);
    for (const journal::Record& record : batch_.records) {
      survivors_.apply(record, index);
      if (check != nullptr) check->record(record, {});
      if (readers_.observer == nullptr) continue;
      readers_.observer->record(loaded_.folder.kind, record, index);
    }
    if (check != nullptr) check->deliver();
  }
  if (!more) report_unreadable(label, more.error(), sink_);
  journal::report_gaps(scanner, label, named.missing_bytes, sink_);
  loaded_.scanned.push_back(summary_of(scanner, label));
}

void SmallJournalLoad::read_survivors() {
  journal::RecordFetcher fetcher(directory_, loaded_.folder.files);
  for (const auto& placed : survivors_.records()) {
    const auto record = fetcher.fetch(placed.place);
    if (!record) continue;
    loaded_.live_bytes += record->length_bytes;
    if (readers_.survivor) readers_.survivor(*record);
  }
}

std::uint64_t SmallJournalLoad::bytes_in_doubt() {
  std::uint64_t sum = 0;
  journal::RecordFetcher fetcher(directory_, loaded_.folder.files);
  const auto add = [&](const journal::PlacedRecord& placed) {
    if (const auto record = fetcher.fetch(placed.place)) sum += record->length_bytes;
  };
  for (const journal::OpenTransaction& open : loaded_.open) {
    if (!open.prepared) continue;
    for (const auto& placed : open.records) add(placed);
    for (const auto& placed : open.deletes) add(placed);
    if (open.prepare) add(*open.prepare);
  }
  return sum;
}

}  // namespace

Result<LoadedJournal> load_small_journal(const ReadableDirectory& directory,
                                         journal::JournalKind kind, std::string_view label,
                                         const SmallJournalReaders& readers, FindingSink& sink) {
  return SmallJournalLoad(directory, readers, sink).load(kind, label);
}

std::vector<std::string> label_files(const journal::JournalFolder& folder, std::string_view label) {
  std::vector<std::string> labels;
  for (const auto& file : folder.files) labels.push_back(fmt::format("{}/{}", label, file.name));
  return labels;
}

ScannedFile summary_of(const journal::FileScanner& scanner, const std::string& label) {
  return {.label = label,
          .account = scanner.account(),
          .records = scanner.record_count(),
          .end_of_records = scanner.end_of_records(),
          .marked = scanner.marked()};
}

void report_unreadable(const std::string& label, const Error& error, FindingSink& sink) {
  sink.finding({.code = "file-unreadable",
                .severity = Severity::kDamage,
                .file = label,
                .text = error.text});
}

}  // namespace saranga::store
