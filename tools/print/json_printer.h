// JSON Lines of `saranga data print`: schema saranga.print/1 (docs/json.md).
#pragma once

#include <map>

#include "tools/cli/json_writer.h"
#include "tools/print/body_detail.h"
#include "tools/print/store_printer.h"

namespace saranga::print {

struct JsonOptions {
  BodyDetail body = BodyDetail::kNone;
  bool safe = false;    ///< --safe: nothing of messages and bindings but their size
  std::string store{};  ///< as it was named
  std::optional<std::string> server_id{};
};

class JsonPrinter final : public StorePrinter {
 public:
  explicit JsonPrinter(JsonOptions options) : options_(std::move(options)) {}

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
  void write_body(cli::JsonWriter& json, RecordNotes& notes, const FileInfo& file,
                  const journal::Record& record) const;
  void write_message_record(cli::JsonWriter& json, RecordNotes& notes, const FileInfo& file,
                            const journal::Record& record) const;

  JsonOptions options_;
  journal::JournalKind kind_ = journal::JournalKind::kMessages;
  std::string page_store_;                         // folder of the page store being printed
  std::map<std::int64_t, std::int64_t> counters_;  // page counters by queue
  std::uint64_t records_ = 0;
  std::uint64_t files_ = 0;
  std::uint64_t pages_ = 0;
  std::uint64_t page_messages_ = 0;
  std::uint64_t page_entry_bytes_ = 0;
  std::uint64_t page_unreadable_bytes_ = 0;
  journal::ByteAccount account_;
  std::uint64_t findings_[3] = {};
};

}  // namespace saranga::print
