// The text of `artemis data print`, release 2.56, line for line (docs/compatibility.md).
#pragma once

#include <map>

#include "tools/print/describe.h"
#include "tools/print/store_printer.h"

namespace saranga::print {

struct TextOptions {
  bool safe = false;
  std::optional<std::string> server_id{};  ///< from server.lock
};

class TextPrinter final : public StorePrinter {
 public:
  explicit TextPrinter(TextOptions options);

  void begin(TextBuffer& out) override;
  void begin_part(TextBuffer& out, std::string_view title, bool skipped) override;
  void begin_journal(TextBuffer& out, std::string_view path, const journal::JournalFolder& folder,
                     std::string_view label) override;
  void begin_file(TextBuffer& out, const FileInfo& file) override;
  void record(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
              const journal::Record& record) const override;
  void record_counter(TextBuffer& out, const CounterNote& note) override;
  void end_file(TextBuffer& out, const FileInfo& file,
                const journal::FileScanner& scanner) override;
  void begin_survivors(TextBuffer& out) override;
  void survivor(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                const journal::Record& record) const override;
  void survivor_counter(TextBuffer& out, const CounterNote& note) override;
  void begin_prepared(TextBuffer& out) override;
  void begin_failed(TextBuffer& out, bool any) override;
  void begin_transaction(TextBuffer& out, const journal::OpenTransaction& transaction) override;
  void transaction_record(TextBuffer& out, const journal::OpenTransaction& transaction,
                          const OpenRecord& record) override;
  void end_transaction(TextBuffer& out, const journal::OpenTransaction& transaction) override;
  void end_journal(TextBuffer& out, const store::SurvivorFacts& facts,
                   const store::SurvivorFacts& prepared) override;
  void begin_page_store(TextBuffer& out, const paging::PageStore& store,
                        std::string_view path) override;
  void begin_page(TextBuffer& out, const paging::Page& page, std::string_view label) override;
  void paged_message(TextBuffer& out, RecordNotes& notes, const PagedEntry& entry) const override;
  void end_page(TextBuffer& out, std::string_view label,
                const paging::PageScanner& scanner) override;
  void give_up(TextBuffer& out, std::int64_t page, std::size_t pages) override;
  void large_file(TextBuffer& out, std::string_view label, const message::LargeFile& file,
                  std::optional<bool> referenced) override;
  void finding(TextBuffer& out, const Finding& finding) override;
  void end(TextBuffer& out, int exit_code) override;

 private:
  [[nodiscard]] Problem describe(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                                 const journal::Record& record) const;
  void put_page_counters(TextBuffer& out);

  TextOptions options_;
  Describer describer_;
  std::map<std::int64_t, std::int64_t> counters_;  // by queue, of the part being printed
};

}  // namespace saranga::print
