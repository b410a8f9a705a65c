#include "libjournal/journal/journal_reading.h"

namespace saranga::journal {

Result<JournalReading::What> JournalReading::next() {
  if (ended_) {
    finished_bytes_ += scanner_->position();
    scanner_.reset();
    opened_.reset();
    ended_ = false;
  }
  if (!scanner_) {
    if (next_ == wanted_.size()) return What::kFinished;
    file_ = wanted_[next_++];
    auto opened = directory_.open(files_[file_].name);
    if (!opened) return std::unexpected(opened.error());
    opened_ = std::move(*opened);
    scanner_ = std::make_unique<FileScanner>(*opened_, files_[file_].header, options_);
  }
  const auto more = scanner_->next(batch_);
  if (!more) return std::unexpected(more.error());
  if (*more) return What::kRecords;
  ended_ = true;
  return What::kFileEnd;
}

}  // namespace saranga::journal
