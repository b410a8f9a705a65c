#include "tools/print/text_printer.h"

#include "saranga/bytes/base64.h"
#include "tools/print/core_text.h"
#include "tools/print/record_text.h"

namespace saranga::print {
namespace {

using journal::Record;
using journal::RecordKind;

// Our own banner stands where Artemis has its own: the same number of lines.
constexpr std::string_view kBanner =
    "  ___ __ _ _ __ __ _ _ _  __ _ __ _\n"
    " (_-</ _` | '__/ _` | ' \\/ _` / _` |\n"
    " /__/\\__,_|_|  \\__,_|_||_\\__, \\__,_|\n"
    "                          |___/\n"
    " The records of an Apache Artemis store\n"
    " Apache Artemis 2.56.0 is the release whose text this is\n"
    "\n"
    "\n"
    "\n";

constexpr std::string_view kStars = "********************************************\n";

std::string_view title_text(std::string_view part) {
  if (part == "bindings") return "B I N D I N G S  J O U R N A L";
  if (part == "journal") return "M E S S A G E S   J O U R N A L";
  if (part == "jms") return "J M S  J O U R N A L";
  return "P A G I N G";
}

void put_title(TextBuffer& out, std::string_view text) {
  out.put('\n');
  out.put(kStars);
  out.put(text);
  out.put('\n');
  out.put(kStars);
}

void put_tx(TextBuffer& out, std::string_view operation, std::int64_t tx_id) {
  out.put(operation);
  out.put_int(tx_id);
  out.put(',');
}

void put_prepare(TextBuffer& out, const Record& record) {
  put_tx(out, "operation@Prepare,txID=", record.tx_id);
  out.put("numberOfRecords=");
  out.put_int(record.number);
  out.put(",extraData=");
  append_base64(out, record.body, Base64Alphabet::kUrl);
  out.put(", xid=");
  Cursor cursor(record.body);
  const Xid xid = read_xid(cursor);
  if (!cursor.ok()) return out.put("null");
  append_xid_text(out, xid);
}

// The part of a record's line in front of its description; false when there is no description.
bool put_operation(TextBuffer& out, const Record& record) {
  switch (record.kind) {
    case RecordKind::kEvent: out.put("operation@Event;"); return true;
    case RecordKind::kAdd: out.put("operation@AddRecord;"); return true;
    case RecordKind::kUpdate: out.put("operation@Update;"); return true;
    case RecordKind::kAddTx: put_tx(out, "operation@AddRecordTX;txID=", record.tx_id); return true;
    case RecordKind::kUpdateTx: put_tx(out, "operation@UpdateTX;txID=", record.tx_id); return true;
    case RecordKind::kDeleteTx:
      put_tx(out, "operation@DeleteRecordTX;txID=", record.tx_id);
      return true;
    case RecordKind::kDelete:
      out.put("operation@DeleteRecord;recordID=");
      out.put_int(record.id);
      return false;
    case RecordKind::kPrepare: put_prepare(out, record); return false;
    case RecordKind::kCommit:
      put_tx(out, "operation@Commit;txID=", record.tx_id);
      out.put("numberOfRecords=");
      out.put_int(record.number);
      return false;
    case RecordKind::kRollback:
      out.put("operation@Rollback;txID=");
      out.put_int(record.tx_id);
      return false;
  }
  return false;
}

void put_queue_count(TextBuffer& out, std::int64_t queue, std::int64_t count) {
  out.put("queue id ");
  out.put_int(queue);
  out.put(",count=");
  out.put_int(count);
  out.put('\n');
}

void put_counts(TextBuffer& out, std::string_view prefix, const store::SurvivorFacts& facts) {
  out.put(prefix);
  out.put("message count=");
  out.put_int(facts.messages());
  out.put('\n');
  out.put(prefix);
  out.put("large message count=");
  out.put_int(facts.large_messages());
  out.put('\n');
  out.put(prefix);
  out.put("message reference count\n");
}

// The queues of a paged message, each with what its cursor says; returns how many have consumed it.
std::size_t put_queues(TextBuffer& out, const PagedEntry& paged, const paging::QueueIds& queues) {
  std::size_t acknowledged = 0;
  out.put(",Queues = ");
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const std::int64_t queue = queues[i];
    const bool ack = paged.cursors->acknowledged(queue, paged.page, paged.entry.number);
    const bool complete = paged.cursors->completed(queue, paged.page);
    const bool bound = paged.queues->contains(queue);
    if (i != 0) out.put(',');
    out.put_int(queue);
    if (ack) out.put(" (ACK)");
    if (complete) out.put(" (PG-COMPLETE)");
    if (!bound) out.put(" (N/A) ");
    if (bound && !ack && !complete) out.put(" (OK) ");
    if (ack || complete) ++acknowledged;
  }
  return acknowledged;
}

}  // namespace

TextPrinter::TextPrinter(TextOptions options)
    : options_(std::move(options)), describer_(journal::JournalKind::kMessages, options_.safe) {}

void TextPrinter::begin(TextBuffer& out) {
  out.put(kBanner);
  if (options_.server_id) put_title(out, "Server's ID=" + *options_.server_id);
}

void TextPrinter::begin_part(TextBuffer& out, std::string_view title, bool skipped) {
  put_title(out, title_text(title));
  if (skipped) out.put(".... skipping \n\n");
}

void TextPrinter::begin_journal(TextBuffer& out, std::string_view path,
                                const journal::JournalFolder& folder, std::string_view /*label*/) {
  describer_ = Describer(folder.kind, options_.safe);
  counters_.clear();
  out.put("Journal path: ");
  out.put(path);
  out.put('\n');
}

void TextPrinter::begin_file(TextBuffer& out, const FileInfo& file) {
  out.put("#JournalFileImpl: (");
  out.put(file.file->name);
  out.put(" id = ");
  out.put_int(file.file->header.id);
  out.put(", recordID = ");
  out.put_int(file.file->header.tag());
  out.put(") (size=");
  out.put_unsigned(file.file->size_bytes);
  out.put(")\n");
}

Problem TextPrinter::describe(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                              const Record& record) const {
  Problem problem = describer_.append(out, record);
  if (problem) {
    notes.findings.push_back(
        undecodable(file.label, record.offset, record.length_bytes, record.id, *problem));
  }
  return problem;
}

void TextPrinter::record(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                         const Record& record) const {
  if (put_operation(out, record)) (void)describe(out, notes, file, record);
  out.put('\n');
  if (record.kind == RecordKind::kUpdate || record.kind == RecordKind::kUpdateTx) {
    note_counter(notes, record, out.size());
  }
}

void TextPrinter::record_counter(TextBuffer& out, const CounterNote& note) {
  std::int64_t& value = counters_[note.queue];
  if (!note.increment) {
    if (value != 0 && value != note.value) {
      out.put("####### Counter replace wrongly on queue ");
      out.put_int(note.queue);
      out.put(" oldValue=");
      out.put_int(value);
      out.put(" newValue=");
      out.put_int(note.value);
      out.put('\n');
    }
    value = note.value;
  }
  out.put("#Counter queue ");
  out.put_int(note.queue);
  out.put(" value=");
  out.put_int(value);
  out.put(" persistentSize=");
  out.put_int(note.size_bytes);
  if (note.increment) {
    out.put(" increased by ");
    out.put_int(note.value);
  } else {
    out.put(", result=");
    out.put_int(value);
  }
  if (value < 0) out.put(" #NegativeCounter!!!!");
  out.put("\n\n");
}

void TextPrinter::end_file(TextBuffer& /*out*/, const FileInfo& /*file*/,
                           const journal::FileScanner& /*scanner*/) {}

void TextPrinter::begin_survivors(TextBuffer& out) {
  out.put('\n');
  if (!counters_.empty()) {
    out.put("#Counters during initial load:\n");
    put_page_counters(out);
  }
  counters_.clear();
  out.put("### Surviving Records Summary ###\n");
}

void TextPrinter::put_page_counters(TextBuffer& out) {
  for (const auto& [queue, value] : counters_) {
    out.put("Queue ");
    out.put_int(queue);
    out.put(" value=");
    out.put_int(value);
    out.put('\n');
  }
}

void TextPrinter::survivor(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                           const Record& record) const {
  // What does not decode was reported when the record itself was printed.
  RecordNotes ignored;
  (void)describe(out, ignored, file, record);
  out.put('\n');
  note_counter(notes, record, out.size());
}

void TextPrinter::survivor_counter(TextBuffer& out, const CounterNote& note) {
  // Increments print the value that the queue's last counter record gave, and do not add to it.
  std::int64_t& value = counters_[note.queue];
  if (!note.increment) value = note.value;
  out.put("##SubsCounter for queue=");
  out.put_int(note.queue);
  out.put(", value=");
  out.put_int(value);
  out.put("\n\n");
}

void TextPrinter::begin_prepared(TextBuffer& out) {
  if (!counters_.empty()) {
    out.put("### Page Counters\n");
    put_page_counters(out);
  }
  out.put("\n### Prepared TX ###\n");
}

void TextPrinter::begin_failed(TextBuffer& out, bool any) {
  if (any) {
    out.put("\n### Failed Transactions (Missing commit/prepare/rollback record) ###\n");
  }
}

void TextPrinter::begin_transaction(TextBuffer& out, const journal::OpenTransaction& transaction) {
  if (transaction.prepared) {
    out.put_int(transaction.tx_id);
    return out.put('\n');
  }
  out.put("Transaction ");
  out.put_int(transaction.tx_id);
  out.put(" failed with these records:\n");
}

void TextPrinter::transaction_record(TextBuffer& out, const journal::OpenTransaction& /*tx*/,
                                     const OpenRecord& record) {
  RecordNotes ignored;
  out.put("- ");
  (void)describe(out, ignored, *record.file, record.record);
  out.put(record.is_delete ? " <marked to delete>\n" : "\n");
}

void TextPrinter::end_transaction(TextBuffer& /*out*/, const journal::OpenTransaction& /*tx*/) {}

void TextPrinter::end_journal(TextBuffer& out, const store::SurvivorFacts& facts,
                              const store::SurvivorFacts& prepared) {
  out.put('\n');
  out.put("### Message Counts ###\n");
  put_counts(out, "", facts);
  for (const auto& [queue, count] : facts.references()) put_queue_count(out, queue, count.count());
  put_counts(out, "prepared ", prepared);
  // Acknowledgements of prepared transactions are not counted.
  for (const auto& [queue, count] : prepared.references()) {
    if (count.references != 0) put_queue_count(out, queue, count.references);
  }
}

void TextPrinter::begin_page_store(TextBuffer& out, const paging::PageStore& store,
                                   std::string_view path) {
  for (int i = 0; i < 100; ++i) out.put('#');
  out.put("\nExploring store ");
  out.put(store.address);
  out.put(" folder = ");
  out.put(path);
  out.put("\nNumber of pages ::");
  out.put_unsigned(store.pages.size());
  out.put(", Current writing page ::");
  out.put_int(store.pages.empty() ? 0 : store.pages.back().number);
  out.put('\n');
}

void TextPrinter::begin_page(TextBuffer& out, const paging::Page& page,
                             std::string_view /*label*/) {
  out.put("*******   Page ");
  out.put_int(page.number);
  out.put('\n');
}

void TextPrinter::paged_message(TextBuffer& out, RecordNotes& notes,
                                const PagedEntry& paged) const {
  Cursor cursor(paged.entry.payload);
  const paging::PagedMessage message = paging::read_paged_message(cursor);
  out.put("pg=");
  out.put_int(paged.page);
  out.put(", msg=");
  out.put_int(paged.entry.number);
  out.put(",pgTX=");
  out.put_int(message.tx_id);
  if (!cursor.ok()) {
    out.put(", msg=** undecodable: ");
    out.put(cursor.problem());
    out.put(" **\n");
    notes.findings.push_back(undecodable(paged.label, paged.entry.offset,
                                         paged.entry.payload.size() + paging::kFrameBytes,
                                         std::nullopt, cursor.problem()));
    return;
  }
  if (!options_.safe) {
    out.put(",userMessageID=");
    (void)append_message_user_id(out, message.message);
  }
  out.put(", msg=");
  if (message.large == paging::LargeKind::kCore) {
    append_paged_large_message(out, *message.message.core, options_.safe);
  } else {
    append_message(out, message.message, false, options_.safe);
  }
  const std::size_t acknowledged = put_queues(out, paged, message.queues);
  if (message.tx_id >= 0 && !paged.cursors->committed(message.tx_id)) {
    out.put(", **PG_TX_NOT_FOUND**");
  }
  out.put('\n');
  if (acknowledged != message.queues.size()) {
    out.put("^^^ Previous record has ");
    out.put_unsigned(acknowledged);
    out.put(" acked queues and ");
    out.put_unsigned(message.queues.size());
    out.put(" queues routed\n\n");
  }
}

void TextPrinter::end_page(TextBuffer& /*out*/, std::string_view /*label*/,
                           const paging::PageScanner& /*scanner*/) {}

void TextPrinter::give_up(TextBuffer& out, std::int64_t page, std::size_t pages) {
  out.put("******* Giving up at Page ");
  out.put_int(page);
  out.put(", System has a total of ");
  out.put_unsigned(pages);
  out.put(" pages\n");
}

// Artemis does not list the bodies; neither does the text that is like its own.
void TextPrinter::large_file(TextBuffer& /*out*/, std::string_view /*label*/,
                             const message::LargeFile& /*file*/,
                             std::optional<bool> /*referenced*/) {}

// In text, findings are narration and go to standard error.
void TextPrinter::finding(TextBuffer& /*out*/, const Finding& /*finding*/) {}

void TextPrinter::end(TextBuffer& /*out*/, int /*exit_code*/) {}

}  // namespace saranga::print
