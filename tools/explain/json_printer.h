// `data explain` as JSON: schema saranga.explain/1 (docs/json.md#sarangaexplain1).
#pragma once

#include <string>

#include "tools/cli/json_report.h"
#include "tools/explain/explain_printer.h"

namespace saranga::explain {

class JsonPrinter final : public ExplainPrinter {
 public:
  JsonPrinter(cli::Output& output, const ExplainPrinterOptions& options, bool document)
      : report_(output, document ? cli::JsonReport::Form::kDocument : cli::JsonReport::Form::kLines,
                {.schema = "saranga.explain/1", .store = options.store}),
        options_(options) {}

  void begin(const bindings::Catalog& catalog, const journal::CompactionRules& rules) override {
    catalog_ = &catalog;
    rules_ = &rules;
  }
  void overview(const store::Explanation& explanation) override;
  void begin_target(const store::Explanation& explanation, const Target& target,
                    const IdFacts* facts) override;
  void pin(const Target& target, const store::Pin& pin) override;
  void end_target(const Target& target, std::uint64_t pins, std::uint64_t left_out) override;
  void finding(const Finding& finding) override { report_.finding(finding); }
  void end(cli::ExitCode code) override;

 private:
  using Json = cli::JsonWriter;

  void begin_list(const char* name);
  void journal_file(std::string_view journal, const store::JournalFileReport& file,
                    const std::vector<store::JournalFileReport>& all);
  void file_sums(Json& json, const store::JournalFileReport& file);
  void needs(Json& json, const store::Needs& needs);
  void compaction(const journal::CompactionOutlook& outlook);
  void page(const store::PageReport& page);
  void large_file(const store::LargeFileReport& file);
  void leftover(const store::Leftover& leftover);
  void queue_usage(const store::QueueUsage& usage);
  void advice(const store::Advice& advice);
  void queue_id(Json& json, std::int64_t id);
  void queue_shares(Json& json, const char* key, const std::vector<store::QueueShare>& shares,
                    bool bytes);
  void records(Json& json, const char* key, const std::vector<store::RecordShare>& shares,
               bool bytes);
  void transactions(Json& json, const char* key,
                    const std::vector<store::TransactionShare>& shares);
  void ids(Json& json, const char* key, const std::vector<std::int64_t>& ids);
  void freed(Json& json, const char* key, const store::Freed& freed);

  cli::JsonReport report_;
  ExplainPrinterOptions options_;
  const bindings::Catalog* catalog_ = nullptr;
  const journal::CompactionRules* rules_ = nullptr;
  std::string list_;  // that is open
  std::uint64_t pins_ = 0;
  store::PartTotal sum_{};
};

}  // namespace saranga::explain
