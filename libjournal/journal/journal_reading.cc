#include "libjournal/journal/journal_reading.h"

#include <utility>

namespace saranga::journal {
namespace {

// Handing work to another thread costs as much as scanning some kilobytes.
constexpr std::size_t kWindowsAhead = 4;

}  // namespace

class JournalReading::FillJob final : public Job {
 public:
  FillJob(JournalReading& reading, Portion& portion) : reading_(reading), portion_(portion) {}
  void run() override { reading_.fill(portion_); }
  void deliver() override {}
  [[nodiscard]] bool is_long() const override { return true; }

 private:
  JournalReading& reading_;
  Portion& portion_;
};

JournalReading::~JournalReading() {
  if (filling_) jobs_->drain();
}

// What was read last decides: the same file goes on, or the next one begins.
bool JournalReading::prepare(Portion& portion) {
  const bool goes_on = present_.scan != nullptr && !present_.ended && !present_.error;
  if (!goes_on && next_ == wanted_.size()) return false;
  portion.file = goes_on ? present_.file : wanted_[next_++];
  portion.scan = goes_on ? present_.scan : nullptr;
  portion.positions.clear();
  portion.taken = 0;
  portion.ended = false;
  portion.error.reset();
  return true;
}

// Runs on any thread, one at a time.
void JournalReading::fill(Portion& portion) {
  if (!portion.scan) {
    auto opened = directory_.open(files_[portion.file].name);
    if (!opened) {
      portion.error = opened.error();
      return;
    }
    const ReadableFile& file = **opened;
    portion.scan = std::make_shared<Scan>(
        Scan{std::move(*opened), FileScanner(file, files_[portion.file].header, options_)});
  }
  const std::size_t windows = jobs_ == nullptr ? 1 : kWindowsAhead;
  portion.batches.resize(windows);
  while (portion.positions.size() < windows && !portion.ended) {
    const auto more = portion.scan->scanner.next(portion.batches[portion.positions.size()]);
    if (!more) {
      portion.error = more.error();
      return;
    }
    portion.ended = !*more;
    if (*more) portion.positions.push_back(portion.scan->scanner.position());
  }
}

// False when there is none any more.
Result<bool> JournalReading::next_portion() {
  if (jobs_ == nullptr) {
    if (!prepare(ahead_)) return false;
    fill(ahead_);
  } else {
    if (!filling_) {
      if (!prepare(ahead_)) return false;
      jobs_->submit(std::make_unique<FillJob>(*this, ahead_));
    }
    jobs_->drain();
    filling_ = false;
  }
  std::swap(present_, ahead_);
  if (jobs_ != nullptr && prepare(ahead_)) {
    filling_ = true;
    jobs_->submit(std::make_unique<FillJob>(*this, ahead_));
  }
  return true;
}

Result<JournalReading::What> JournalReading::next() {
  if (std::exchange(at_end_, false)) {
    finished_bytes_ += std::exchange(position_, 0);
    present_.scan.reset();
  }
  while (true) {
    if (present_.taken < present_.positions.size()) {
      position_ = present_.positions[present_.taken++];
      return What::kRecords;
    }
    if (present_.error) return std::unexpected(*present_.error);
    if (present_.scan && present_.ended) {
      position_ = present_.scan->scanner.position();
      at_end_ = true;
      return What::kFileEnd;
    }
    const auto more = next_portion();
    if (!more) return std::unexpected(more.error());
    if (!*more) return What::kFinished;
  }
}

}  // namespace saranga::journal
