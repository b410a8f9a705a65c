// `data explain` as text for people.
#pragma once

#include "tools/cli/table.h"
#include "tools/explain/explain_printer.h"
#include "tools/explain/words.h"

namespace saranga::explain {

class TextPrinter final : public ExplainPrinter {
 public:
  TextPrinter(cli::Output& output, const ExplainPrinterOptions& options)
      : output_(output), options_(options) {}

  void begin(const bindings::Catalog& catalog, const journal::CompactionRules& rules) override {
    words_.emplace(catalog);
    rules_ = &rules;
  }
  void overview(const store::Explanation& explanation) override;
  void begin_target(const store::Explanation& explanation, const Target& target,
                    const IdFacts* facts) override;
  void pin(const Target& target, const store::Pin& pin) override;
  void end_target(const Target& target, std::uint64_t pins, std::uint64_t left_out) override;

 private:
  [[nodiscard]] TextBuffer& out() { return output_.buffer(); }
  void title(std::string_view text);
  void parts(const store::Explanation& explanation);
  void journal(const store::Explanation& explanation);
  void bindings(const store::Explanation& explanation);
  void files(const std::vector<store::JournalFileReport>& files);
  void compaction(const journal::CompactionOutlook& outlook);
  void queues(const store::Explanation& explanation);
  void pages(const store::Explanation& explanation);
  void large_files(const store::Explanation& explanation);
  void leftovers(const store::Explanation& explanation);
  void advice(const store::Explanation& explanation);
  void journal_target(const store::JournalFileReport& file,
                      const std::vector<store::JournalFileReport>& all);
  void page_target(const store::PageReport& page);
  void large_target(const store::LargeFileReport& file);
  void id_target(const Target& target, const IdFacts& facts);
  [[nodiscard]] std::string age(std::int64_t time_ms) const;
  /// Tells how many rows are not shown.
  void more(std::size_t rows);
  [[nodiscard]] std::size_t shown(std::size_t rows) const;

  cli::Output& output_;
  ExplainPrinterOptions options_;
  std::optional<Words> words_;
  const journal::CompactionRules* rules_ = nullptr;
  std::optional<cli::Table> pins_;
  std::string pinned_file_;  // the file of the pin before
  bool started_ = false;
};

}  // namespace saranga::explain
