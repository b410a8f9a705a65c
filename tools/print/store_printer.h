// What a form of output (text, JSON Lines) has to say at each step of printing a store. The driver
// in print_journal.cc and print_pages.cc calls it; calls marked const come from several threads at
// once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/bytes/text_buffer.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"
#include "saranga/journal/survivors.h"
#include "saranga/message/large_files.h"
#include "saranga/paging/cursors.h"
#include "saranga/paging/page_file.h"
#include "saranga/paging/page_stores.h"
#include "saranga/store/survivor_facts.h"

namespace saranga::print {

/// One file of a journal while it is printed.
struct FileInfo {
  const journal::JournalFile* file = nullptr;
  std::string label;  ///< "journal/activemq-data-1.amq"
};

/// A page counter that a record sets; the running sums are made in order, by the driver.
struct CounterNote {
  std::size_t text_position = 0;  ///< in the text of the batch, behind the record
  std::int64_t queue = 0;
  std::int64_t value = 0;
  std::int64_t size_bytes = 0;
  bool increment = false;  ///< PAGE_CURSOR_COUNTER_INC
};

/// What the printing of a record hands back to the driver besides its text.
struct RecordNotes {
  std::vector<CounterNote> counters;
  std::vector<Finding> findings;
};

/// A record of an open transaction, read again.
struct OpenRecord {
  const FileInfo* file = nullptr;
  journal::Record record;
  bool is_delete = false;
};

/// An entry of a page, with what the journals say of it.
struct PagedEntry {
  std::int64_t page = 0;
  std::string label;  ///< "paging/<folder>/000000001.page"
  paging::PageEntry entry;
  const paging::Cursors* cursors = nullptr;
  const std::set<std::int64_t>* queues = nullptr;  ///< that have a binding
};

class StorePrinter {
 public:
  virtual ~StorePrinter() = default;

  virtual void begin(TextBuffer& out) = 0;
  /// `title` is "bindings", "journal", "jms" or "paging"; a skipped part is only named.
  virtual void begin_part(TextBuffer& out, std::string_view title, bool skipped) = 0;

  virtual void begin_journal(TextBuffer& out, std::string_view path,
                             const journal::JournalFolder& folder, std::string_view label) = 0;
  virtual void begin_file(TextBuffer& out, const FileInfo& file) = 0;
  virtual void record(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                      const journal::Record& record) const = 0;
  /// A counter note of a record: called in order, text goes behind the record's.
  virtual void record_counter(TextBuffer& out, const CounterNote& note) = 0;
  virtual void end_file(TextBuffer& out, const FileInfo& file,
                        const journal::FileScanner& scanner) = 0;
  virtual void begin_survivors(TextBuffer& out) = 0;
  virtual void survivor(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                        const journal::Record& record) const = 0;
  virtual void survivor_counter(TextBuffer& out, const CounterNote& note) = 0;
  virtual void begin_prepared(TextBuffer& out) = 0;
  virtual void begin_failed(TextBuffer& out, bool any) = 0;
  virtual void begin_transaction(TextBuffer& out, const journal::OpenTransaction& transaction) = 0;
  virtual void transaction_record(TextBuffer& out, const journal::OpenTransaction& transaction,
                                  const OpenRecord& record) = 0;
  virtual void end_transaction(TextBuffer& out, const journal::OpenTransaction& transaction) = 0;
  virtual void end_journal(TextBuffer& out, const store::SurvivorFacts& facts,
                           const store::SurvivorFacts& prepared) = 0;

  virtual void begin_page_store(TextBuffer& out, const paging::PageStore& store,
                                std::string_view path) = 0;
  virtual void begin_page(TextBuffer& out, const paging::Page& page, std::string_view label) = 0;
  /// A problem of the entry's payload goes to `notes`.
  virtual void paged_message(TextBuffer& out, RecordNotes& notes,
                             const PagedEntry& entry) const = 0;
  virtual void end_page(TextBuffer& out, std::string_view label,
                        const paging::PageScanner& scanner) = 0;
  /// --max-pages: the pages that follow are not shown.
  virtual void give_up(TextBuffer& out, std::int64_t page, std::size_t pages) = 0;

  /// A body file of the large-messages folder; `referenced` by a record or a page, nothing when not
  /// all of them have been read.
  virtual void large_file(TextBuffer& out, std::string_view label, const message::LargeFile& file,
                          std::optional<bool> referenced) = 0;

  virtual void finding(TextBuffer& out, const Finding& finding) = 0;
  virtual void end(TextBuffer& out, int exit_code) = 0;
};

/// The notes of a counter record, if it is one.
void note_counter(RecordNotes& notes, const journal::Record& record, std::size_t text_position);

/// A finding that says that a record's or entry's body does not decode.
[[nodiscard]] Finding undecodable(std::string_view file, std::uint64_t offset, std::uint64_t length,
                                  std::optional<std::int64_t> id, std::string_view problem);

}  // namespace saranga::print
