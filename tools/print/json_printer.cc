#include "tools/print/json_printer.h"

#include "saranga/bindings/record_ids.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/record_ids.h"
#include "saranga/message/record_types.h"
#include "saranga/store/finding_codes.h"
#include "tools/cli/context.h"
#include "tools/cli/json_report.h"
#include "tools/print/core_json.h"
#include "tools/print/record_json.h"

namespace saranga::print {
namespace {

using cli::JsonWriter;
using journal::JournalFile;
using journal::JournalKind;
using journal::OddFile;
using journal::Record;

/// One line: an object with its type, closed when it goes out of scope.
class Line {
 public:
  Line(TextBuffer& out, std::string_view type) : json_(out) {
    json_.begin_object();
    json_.field("type", type);
  }
  ~Line() {
    json_.end_object();
    json_.end_line();
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  JsonWriter* operator->() { return &json_; }
  JsonWriter& operator*() { return json_; }

 private:
  JsonWriter json_;
};

std::string_view journal_name(JournalKind kind) {
  switch (kind) {
    case JournalKind::kMessages: return "journal";
    case JournalKind::kBindings: return "bindings";
    case JournalKind::kJms: return "jms";
  }
  return "journal";
}

std::string_view role_name(JournalFile::Role role) {
  switch (role) {
    case JournalFile::Role::kData: return "data";
    case JournalFile::Role::kRetention: return "retention_pending";
    case JournalFile::Role::kCompacted: return "compacted";
  }
  return "data";
}

std::string_view odd_name(OddFile::Why why) {
  switch (why) {
    case OddFile::Why::kShort: return "short";
    case OddFile::Why::kCreating: return "being_created";
    case OddFile::Why::kLeftover: return "compaction_leftover";
    case OddFile::Why::kConsumed: return "compaction_input";
    case OddFile::Why::kControl: return "compaction_control";
    case OddFile::Why::kDuplicate: return "duplicate";
    case OddFile::Why::kUnreadable: return "unreadable";
  }
  return "unreadable";
}

void write_names(JsonWriter& json, std::string_view key, const std::vector<std::string>& names) {
  json.key(key);
  json.begin_array();
  for (const std::string& name : names) json.value(Text(name));
  json.end_array();
}

void write_account(JsonWriter& json, const journal::ByteAccount& account) {
  json.key("account");
  json.begin_object();
  json.field("header_bytes", account.header_bytes);
  json.field("record_bytes", account.record_bytes);
  json.field("stale_bytes", account.stale_bytes);
  json.field("padding_bytes", account.padding_bytes);
  json.field("unreadable_bytes", account.unreadable_bytes);
  json.field("total_bytes", account.total_bytes());
  json.field("stale_record_count", account.stale_records);
  json.end_object();
}

// "count" is what the text shows: acknowledgements in prepared transactions do not count there.
void write_counts(JsonWriter& json, const store::SurvivorFacts& facts, bool prepared) {
  json.begin_object();
  json.field("message_count", facts.messages());
  json.field("large_message_count", facts.large_messages());
  json.key("references");
  json.begin_array();
  for (const auto& [queue, count] : facts.references()) {
    json.begin_object();
    json.field("queue_id", queue);
    json.field("count", prepared ? count.references : count.count());
    json.field("reference_count", count.references);
    json.field("acknowledge_count", count.references - count.delta);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

bool is_message(std::int8_t type) {
  return type == message::kAddMessageProtocol || type == message::kAddLargeMessage ||
         type == message::kAddMessage;
}

// --safe hides what Artemis hides in this mode, and bytes of which it prints nothing at all.
bool is_hidden(JournalKind kind, std::int8_t type) {
  if (kind == JournalKind::kMessages) {
    return is_message(type) || type == message::kAddMessageBody ||
           message::find_record_type(type) == nullptr;
  }
  return kind == JournalKind::kBindings &&
         (type == bindings::kQueueBinding || type == bindings::kAddressBinding);
}

void write_record_name(JsonWriter& json, JournalKind kind, std::int8_t number) {
  const RecordType* type = kind == JournalKind::kMessages ? message::find_record_type(number)
                           : kind == JournalKind::kBindings
                               ? bindings::find_record_type(number)
                               : bindings::find_jms_record_type(number);
  json.key("record_name");
  if (type == nullptr) return json.null();
  json.value(type->name);
}

void write_queue(JsonWriter& json, const PagedEntry& paged, std::int64_t queue) {
  json.begin_object();
  json.field("queue_id", queue);
  json.field("acknowledged", paged.cursors->acknowledged(queue, paged.page, paged.entry.number));
  json.field("page_complete", paged.cursors->completed(queue, paged.page));
  json.field("bound", paged.queues->contains(queue));
  json.end_object();
}

}  // namespace

void JsonPrinter::begin(TextBuffer& out) {
  Line line(out, "header");
  line->field("schema", "saranga.print/1");
  line->field("program", cli::program_version());
  line->field("store", Text(options_.store));
  line->key("server_id");
  if (options_.server_id) {
    line->value(std::string_view(*options_.server_id));
  } else {
    line->null();
  }
}

void JsonPrinter::begin_part(TextBuffer& out, std::string_view title, bool skipped) {
  Line line(out, "part");
  line->field("name", title);
  line->field("skipped", skipped);
}

void JsonPrinter::begin_journal(TextBuffer& out, std::string_view path,
                                const journal::JournalFolder& folder, std::string_view label) {
  kind_ = folder.kind;
  counters_.clear();
  {
    Line line(out, "journal");
    line->field("journal", journal_name(kind_));
    line->field("path", Text(path));
    line->field("file_count", static_cast<std::uint64_t>(folder.files.size()));
    if (folder.plan) {
      line->key("interrupted_compaction");
      line->begin_object();
      write_names(*line, "consumed", folder.plan->consumed);
      write_names(*line, "produced", folder.plan->produced);
      line->end_object();
    }
  }
  for (const OddFile& odd : folder.odd) {
    Line line(out, "odd_file");
    line->field("file", Text(label.empty() ? odd.name : std::string(label) + "/" + odd.name));
    line->field("why", odd_name(odd.why));
    line->field("size_bytes", odd.size_bytes);
  }
}

void JsonPrinter::begin_file(TextBuffer& out, const FileInfo& file) {
  Line line(out, "file");
  line->field("file", Text(file.label));
  line->field("file_id", file.file->header.id);
  line->field("tag", static_cast<std::int64_t>(file.file->header.tag()));
  line->field("size_bytes", file.file->size_bytes);
  line->field("format_version", static_cast<std::int64_t>(file.file->header.format_version));
  line->field("role", role_name(file.file->role));
  line->field("header_guessed", file.file->header_guessed);
}

void JsonPrinter::record(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                         const Record& record) const {
  const journal::KindTraits& kind = journal::traits(record.kind);
  Line line(out, "record");
  JsonWriter& json = *line;
  json.field("file", Text(file.label));
  json.field("file_id", file.file->header.id);
  json.field("offset", record.offset);
  json.field("length", static_cast<std::uint64_t>(record.length_bytes));
  json.field("kind", kind.name);
  if (record.tag != file.file->header.tag()) {
    json.field("stale", true);
    json.field("tag", static_cast<std::int64_t>(record.tag));
  }
  json.key("tx");
  if (kind.has_tx) {
    json.value(record.tx_id);
  } else {
    json.null();
  }
  if (kind.has_id) json.field("id", record.id);
  json.field("compact_count", static_cast<std::int64_t>(record.compact_count));
  if (kind.has_number) json.field("record_count", static_cast<std::int64_t>(record.number));
  if (record.kind == journal::RecordKind::kPrepare) {
    json.base64_field("extra_data_b64", record.body);
    json.key("xid");
    write_xid_json(json, record.body);
  }
  if (record.kind == journal::RecordKind::kDeleteTx && !record.body.empty()) {
    json.base64_field("data_b64", record.body);
  }
  if (kind.has_user_type) {
    json.field("record_type", static_cast<std::int64_t>(record.user_type));
    write_body(json, notes, file, record);
  }
}

void JsonPrinter::write_body(JsonWriter& json, RecordNotes& notes, const FileInfo& file,
                             const Record& record) const {
  if (kind_ == JournalKind::kMessages && is_message(record.user_type)) {
    return write_message_record(json, notes, file, record);
  }
  if (options_.safe && is_hidden(kind_, record.user_type)) {
    write_record_name(json, kind_, record.user_type);
    return json.field("hidden_bytes", static_cast<std::uint64_t>(record.body.size()));
  }
  if (kind_ == JournalKind::kMessages && record.user_type == message::kAddMessageBody) {
    write_record_name(json, kind_, record.user_type);
    return write_body_piece_json(json, record.body, options_.body);
  }
  const RecordBody body{.id = record.id,
                        .user_type = record.user_type,
                        .is_update = record.is_update(),
                        .body = record.body};
  const bool decoded = kind_ == JournalKind::kMessages   ? write_message_record_json(json, body)
                       : kind_ == JournalKind::kBindings ? write_bindings_record_json(json, body)
                                                         : write_jms_record_json(json, body);
  if (!decoded) {
    notes.findings.push_back(undecodable(file.label, record.offset, record.length_bytes, record.id,
                                         "see \"problem\" of the record"));
  }
}

void JsonPrinter::write_message_record(JsonWriter& json, RecordNotes& notes, const FileInfo& file,
                                       const Record& record) const {
  write_record_name(json, kind_, record.user_type);
  const bool core_large = record.user_type == message::kAddLargeMessage;
  Cursor cursor(record.body);
  message::StoredMessage stored;
  if (record.user_type == message::kAddMessageProtocol) {
    stored = message::read_stored_message(cursor);
  } else if (core_large) {
    stored.core = message::read_large_message(cursor);
  } else {
    stored.core = message::read_old_message(cursor);
  }
  if (!cursor.ok()) {
    json.field("problem", cursor.problem());
    notes.findings.push_back(
        undecodable(file.label, record.offset, record.length_bytes, record.id, cursor.problem()));
  }
  if (options_.safe) {
    return json.field("hidden_bytes", static_cast<std::uint64_t>(record.body.size()));
  }
  if (!cursor.ok()) return json.base64_field("data_b64", record.body);
  write_message_json(json, stored, core_large, options_.body);
  if (!cursor.at_end()) {
    json.base64_field("trailing_b64", record.body.subspan(cursor.position()));
  }
}

void JsonPrinter::record_counter(TextBuffer& /*out*/, const CounterNote& /*note*/) {}

void JsonPrinter::end_file(TextBuffer& out, const FileInfo& file,
                           const journal::FileScanner& scanner) {
  ++files_;
  records_ += scanner.record_count();
  account_.add(scanner.account());
  Line line(out, "file_end");
  line->field("file", Text(file.label));
  line->field("record_count", scanner.record_count());
  line->field("end_of_records", scanner.end_of_records());
  write_account(*line, scanner.account());
}

void JsonPrinter::begin_survivors(TextBuffer& /*out*/) {}

void JsonPrinter::survivor(TextBuffer& out, RecordNotes& notes, const FileInfo& file,
                           const Record& record) const {
  {
    Line line(out, "survivor");
    line->field("journal", journal_name(kind_));
    line->field("file", Text(file.label));
    line->field("offset", record.offset);
    line->field("id", record.id);
    line->field("record_type", static_cast<std::int64_t>(record.user_type));
  }
  if (kind_ == JournalKind::kMessages) note_counter(notes, record, out.size());
}

void JsonPrinter::survivor_counter(TextBuffer& /*out*/, const CounterNote& note) {
  std::int64_t& value = counters_[note.queue];
  value = note.increment ? value + note.value : note.value;
}

void JsonPrinter::begin_prepared(TextBuffer& out) {
  for (const auto& [queue, value] : counters_) {
    Line line(out, "page_counter");
    line->field("journal", journal_name(kind_));
    line->field("queue_id", queue);
    line->field("value", value);
  }
}

void JsonPrinter::begin_failed(TextBuffer& /*out*/, bool /*any*/) {}

void JsonPrinter::begin_transaction(TextBuffer& out, const journal::OpenTransaction& transaction) {
  Line line(out, "transaction");
  line->field("journal", journal_name(kind_));
  line->field("tx", transaction.tx_id);
  line->field("state", transaction.prepared ? "prepared" : "incomplete");
  if (transaction.prepare_mismatch) line->field("prepare_mismatch", true);
  line->field("record_count", static_cast<std::uint64_t>(transaction.records.size()));
  line->field("delete_count", static_cast<std::uint64_t>(transaction.deletes.size()));
}

void JsonPrinter::transaction_record(TextBuffer& out, const journal::OpenTransaction& transaction,
                                     const OpenRecord& record) {
  Line line(out, "transaction_record");
  line->field("journal", journal_name(kind_));
  line->field("tx", transaction.tx_id);
  line->field("file", Text(record.file->label));
  line->field("offset", record.record.offset);
  line->field("id", record.record.id);
  if (!record.is_delete) {
    line->field("record_type", static_cast<std::int64_t>(record.record.user_type));
  }
  line->field("delete", record.is_delete);
}

void JsonPrinter::end_transaction(TextBuffer& /*out*/, const journal::OpenTransaction& /*tx*/) {}

void JsonPrinter::end_journal(TextBuffer& out, const store::SurvivorFacts& facts,
                              const store::SurvivorFacts& prepared) {
  Line line(out, "counts");
  line->field("journal", journal_name(kind_));
  line->key("surviving");
  write_counts(*line, facts, false);
  line->key("prepared");
  write_counts(*line, prepared, true);
}

void JsonPrinter::begin_page_store(TextBuffer& out, const paging::PageStore& store,
                                   std::string_view path) {
  page_store_ = store.folder;
  Line line(out, "page_store");
  line->field("address", Text(store.address));
  if (!Text(store.address).well_formed()) {
    line->base64_field("address_b64", as_bytes(store.address));
  }
  line->field("folder", Text(store.folder));
  line->field("path", Text(path));
  line->field("page_count", static_cast<std::uint64_t>(store.pages.size()));
  line->field("current_page_number", store.pages.empty() ? 0 : store.pages.back().number);
}

void JsonPrinter::begin_page(TextBuffer& out, const paging::Page& page, std::string_view label) {
  Line line(out, "page");
  line->field("file", Text(label));
  line->field("page_number", page.number);
  line->field("size_bytes", page.size_bytes);
}

void JsonPrinter::paged_message(TextBuffer& out, RecordNotes& notes,
                                const PagedEntry& paged) const {
  Cursor cursor(paged.entry.payload);
  const paging::PagedMessage message = paging::read_paged_message(cursor);
  const std::uint64_t length = paged.entry.payload.size() + paging::kFrameBytes;
  Line line(out, "paged_message");
  JsonWriter& json = *line;
  json.field("file", Text(paged.label));
  json.field("offset", paged.entry.offset);
  json.field("length", length);
  json.field("page_number", paged.page);
  json.field("message_number", static_cast<std::int64_t>(paged.entry.number));
  if (paged.entry.number_estimated) json.field("message_number_estimated", true);
  json.key("tx");
  if (message.tx_id >= 0) {
    json.value(message.tx_id);
    json.field("tx_found", paged.cursors->committed(message.tx_id));
  } else {
    json.null();
  }
  if (!cursor.ok()) {
    json.field("problem", cursor.problem());
    notes.findings.push_back(
        undecodable(paged.label, paged.entry.offset, length, std::nullopt, cursor.problem()));
    if (!options_.safe) return json.base64_field("data_b64", paged.entry.payload);
    return json.field("hidden_bytes", static_cast<std::uint64_t>(paged.entry.payload.size()));
  }
  json.key("queues");
  json.begin_array();
  for (std::size_t i = 0; i < message.queues.size(); ++i)
    write_queue(json, paged, message.queues[i]);
  json.end_array();
  if (options_.safe) {
    return json.field("hidden_bytes", static_cast<std::uint64_t>(paged.entry.payload.size()));
  }
  write_message_json(json, message.message, message.large == paging::LargeKind::kCore,
                     options_.body);
  if (!cursor.at_end()) {
    json.base64_field("trailing_b64", paged.entry.payload.subspan(cursor.position()));
  }
}

void JsonPrinter::end_page(TextBuffer& out, std::string_view label,
                           const paging::PageScanner& scanner) {
  ++pages_;
  page_messages_ += scanner.entry_count();
  page_entry_bytes_ += scanner.entry_bytes();
  page_unreadable_bytes_ += scanner.unreadable_bytes();
  Line line(out, "page_end");
  line->field("file", Text(label));
  line->field("message_count", scanner.entry_count());
  line->field("entry_bytes", scanner.entry_bytes());
  line->field("unreadable_bytes", scanner.unreadable_bytes());
}

void JsonPrinter::give_up(TextBuffer& out, std::int64_t page, std::size_t pages) {
  Line line(out, "pages_left_out");
  line->field("folder", Text(page_store_));
  line->field("from_page_number", page);
  line->field("page_count", static_cast<std::uint64_t>(pages));
}

void JsonPrinter::large_file(TextBuffer& out, std::string_view label,
                             const message::LargeFile& file, std::optional<bool> referenced) {
  using Kind = message::LargeFile::Kind;
  Line line(out, "large_file");
  line->field("file", Text(label));
  line->field("id", file.id);
  line->field("size_bytes", file.size_bytes);
  line->field("kind", file.kind == Kind::kDurable      ? "durable"
                      : file.kind == Kind::kNonDurable ? "non_durable"
                                                       : "sync");
  line->field("referenced", referenced);
}

void JsonPrinter::finding(TextBuffer& out, const Finding& finding) {
  ++findings_[static_cast<std::size_t>(finding.severity)];
  Line line(out, "finding");
  if (!finding.next.empty() || options_.store.empty()) {
    return cli::write_finding_members(*line, finding);
  }
  Finding advised = finding;
  advised.next = store::suggest_next(finding, store::shell_quoted(options_.store));
  cli::write_finding_members(*line, advised);
}

void JsonPrinter::end(TextBuffer& out, int exit_code) {
  Line line(out, "summary");
  line->field("record_count", records_);
  line->field("file_count", files_);
  line->field("page_count", pages_);
  line->field("page_message_count", page_messages_);
  line->field("page_entry_bytes", page_entry_bytes_);
  line->field("page_unreadable_bytes", page_unreadable_bytes_);
  write_account(*line, account_);
  line->key("findings");
  line->begin_object();
  line->field("info", findings_[0]);
  line->field("warning", findings_[1]);
  line->field("damage", findings_[2]);
  line->end_object();
  line->field("exit_code", exit_code);
}

}  // namespace saranga::print
