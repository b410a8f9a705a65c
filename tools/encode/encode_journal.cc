#include "tools/encode/encode_journal.h"

#include <memory>
#include <utility>
#include <vector>

#include "saranga/journal/gap_findings.h"
#include "saranga/journal/journal_text.h"
#include "saranga/journal/scanner.h"

namespace saranga::encode {
namespace {

using journal::Batch;
using journal::JournalFile;

// Windows and texts that jobs hand back, so that a steady run allocates nothing.
struct Spare {
  std::vector<Batch> batches;
  std::vector<TextBuffer> texts;
};

template <class Thing>
Thing take(std::vector<Thing>& spare) {
  if (spare.empty()) return {};
  Thing thing = std::move(spare.back());
  spare.pop_back();
  return thing;
}

/// Makes the lines of one window's records.
class LinesJob final : public Job {
 public:
  LinesJob(cli::Output& output, Spare& spare, Batch batch, TextBuffer text)
      : output_(output), spare_(spare), batch_(std::move(batch)), text_(std::move(text)) {}
  void run() override {
    for (const journal::Record& record : batch_.records) {
      journal::append_text_record(text_, record);
    }
  }
  void deliver() override {
    output_.put(text_.view());
    text_.clear();
    spare_.texts.push_back(std::move(text_));
    spare_.batches.push_back(std::move(batch_));
  }

 private:
  cli::Output& output_;
  Spare& spare_;
  Batch batch_;
  TextBuffer text_;
};

/// A file and its scanner, which tells at the end what it did not understand.
class GapsJob final : public Job {
 public:
  GapsJob(FindingSink& sink, std::string label, const JournalFile& file,
          std::unique_ptr<ReadableFile> opened)
      : sink_(sink),
        label_(std::move(label)),
        file_(file),
        opened_(std::move(opened)),
        scanner_(*opened_, file.header) {}

  [[nodiscard]] journal::FileScanner& scanner() { return scanner_; }
  void run() override {}
  void deliver() override { journal::report_gaps(scanner_, label_, file_.missing_bytes, sink_); }

 private:
  FindingSink& sink_;
  std::string label_;
  const JournalFile& file_;
  std::unique_ptr<ReadableFile> opened_;
  journal::FileScanner scanner_;
};

class Encoder {
 public:
  Encoder(cli::VerbRun& run, const EncodeRequest& request) : run_(run), request_(request) {
    for (const JournalFile& file : request.folder.files) total_bytes_ += file.size_bytes;
  }

  void encode() {
    for (const JournalFile& file : request_.folder.files) {
      if (run_.must_stop()) break;
      if (const auto encoded = encode_file(file); !encoded) {
        run_.jobs().drain();
        run_.findings().finding({.code = "file-unreadable",
                                 .severity = Severity::kDamage,
                                 .file = label_of(file),
                                 .text = encoded.error().text});
      }
    }
    run_.jobs().drain();
  }

 private:
  [[nodiscard]] std::string label_of(const JournalFile& file) const {
    return request_.label.empty() ? file.name : request_.label + "/" + file.name;
  }

  [[nodiscard]] Result<void> encode_file(const JournalFile& file) {
    auto opened = request_.directory.open(file.name);
    if (!opened) return std::unexpected(opened.error());
    auto gaps =
        std::make_unique<GapsJob>(run_.findings(), label_of(file), file, std::move(*opened));
    TextBuffer text = take(spare_.texts);
    journal::append_text_file(text, file.name, file.header);
    while (!run_.must_stop()) {
      Batch batch = take(spare_.batches);
      const auto more = gaps->scanner().next(batch);
      if (!more) return std::unexpected(more.error());
      if (!*more) break;
      run_.progress().tell(read_bytes_ + gaps->scanner().position(), total_bytes_);
      run_.jobs().submit(
          std::make_unique<LinesJob>(run_.output(), spare_, std::move(batch), std::move(text)));
      text = take(spare_.texts);
    }
    // The line of a file without records is left over.
    run_.jobs().submit(std::make_unique<LinesJob>(run_.output(), spare_, Batch{}, std::move(text)));
    run_.jobs().submit(std::move(gaps));
    read_bytes_ += file.size_bytes;
    return {};
  }

  cli::VerbRun& run_;
  const EncodeRequest& request_;
  Spare spare_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;  // of whole files
};

}  // namespace

void encode_journal(cli::VerbRun& run, const EncodeRequest& request) {
  Encoder(run, request).encode();
}

}  // namespace saranga::encode
