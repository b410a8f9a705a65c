#include "tools/cli/json_report.h"
#include "tools/list/queue_json.h"
#include "tools/print/core_json.h"
#include "tools/print/json_printer.h"
#include "tools/show/message_content.h"
#include "tools/show/page_answer.h"
#include "tools/show/story_printer.h"

namespace saranga::show {
namespace {

using cli::JsonWriter;
using store::Fate;
using store::MessageStory;
using store::StoryRecord;

std::optional<std::int64_t> unless_negative(std::int64_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

std::optional<Text> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(Text(text));
}

std::optional<std::string_view> outcome_of(store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::kOutside: return std::nullopt;
    case store::Outcome::kOpen: return "open";
    case store::Outcome::kPrepared: return "prepared";
    case store::Outcome::kCommitted: return "committed";
    case store::Outcome::kRolledBack: return "rolled_back";
  }
  return std::nullopt;
}

void write_queue_name(JsonWriter& json, const bindings::Queue* queue) {
  json.field("queue", queue == nullptr ? std::nullopt : std::optional(Text(queue->name)));
}

void write_queue_ids(JsonWriter& json, const bindings::Catalog& catalog, std::int64_t id) {
  json.field("queue_id", id);
  write_queue_name(json, catalog.queue(id));
}

bool is_live(const store::QueueFate& fate) {
  return fate.fate == Fate::kPending || fate.fate == Fate::kScheduled ||
         fate.fate == Fate::kInDoubtAck || fate.fate == Fate::kInDoubtSend;
}

/// JSON Lines.
class JsonStory final : public StoryPrinter {
 public:
  JsonStory(cli::Output& output, const StoryPrinterOptions& options)
      : out_(output.buffer()),
        options_(options),
        report_(output, cli::JsonReport::Form::kLines,
                {.schema = "saranga.show/1", .store = options_.store}) {}

  void begin() override {}  // the report has begun
  Result<bool> show(Answers& answers, const Subject& subject, const Meaning& meaning) override;
  void finding(const Finding& finding) override { report_.finding(finding); }
  void end(cli::ExitCode code) override {
    (void)report_.begin_summary();
    report_.end_summary(code);
  }

 private:
  Result<bool> id(Answers& answers, std::int64_t id);
  Result<bool> place(const Answers& answers, const Subject& subject);
  bool queue(Answers& answers, std::int64_t id);
  bool address(Answers& answers, const std::string& name);
  bool transactions(Answers& answers, std::int64_t id);
  bool message(Answers& answers, std::int64_t id);
  void places(const MessageStory& story, const MessageContent& content);
  Result<bool> records(Answers& answers, std::int64_t id);
  void page(const Answers& answers, const Meaning& meaning);

  TextBuffer& out_;
  StoryPrinterOptions options_;
  cli::JsonReport report_;
};

Result<bool> JsonStory::show(Answers& answers, const Subject& subject, const Meaning& meaning) {
  bool found = false;
  switch (meaning.kind) {
    case Meaning::Kind::kNothing: return false;
    case Meaning::Kind::kPlace: return place(answers, subject);
    case Meaning::Kind::kPage: page(answers, meaning); return true;
    case Meaning::Kind::kAddress:
      found = address(answers, meaning.address);
      for (const std::int64_t id : meaning.ids) {
        if (auto shown = records(answers, id); !shown) return shown;
      }
      return found;
    case Meaning::Kind::kIds: break;
  }
  for (const std::int64_t one : meaning.ids) {
    const auto shown = id(answers, one);
    if (!shown) return shown;
    found = found || *shown;
  }
  return found;
}

Result<bool> JsonStory::id(Answers& answers, std::int64_t id) {
  bool found = queue(answers, id);
  const auto& addresses = answers.catalog().addresses();
  if (const auto at = addresses.find(id); at != addresses.end()) {
    found = address(answers, at->second.name) || found;
  }
  found = transactions(answers, id) || found;
  found = message(answers, id) || found;
  const auto any = records(answers, id);
  return any ? Result<bool>(found || *any) : any;
}

Result<bool> JsonStory::place(const Answers& answers, const Subject& subject) {
  TextBuffer text;
  if (auto shown = show_place(answers.store(), subject, text); !shown) {
    return std::unexpected(shown.error());
  }
  JsonWriter& json = report_.begin_object("dump");
  json.field("file", Text(subject.file));
  json.field("offset", *subject.offset);
  json.field("text", text.view());
  report_.end_object();
  return true;
}

bool JsonStory::queue(Answers& answers, std::int64_t id) {
  const store::QueueSummary* summary = answers.queue(id);
  if (summary == nullptr) return false;
  const bool paging = summary->queue != nullptr &&
                      !answers.page_stores(summary->queue->address).empty() &&
                      answers.address(summary->queue->address)->pages != 0;
  list::write_queue(report_.begin_object("queue"), *summary, paging);
  report_.end_object();
  return true;
}

bool JsonStory::address(Answers& answers, const std::string& name) {
  const store::AddressSummary* summary = answers.address(name);
  if (summary == nullptr) return false;
  JsonWriter& json = report_.begin_object("address");
  list::write_address(json, *summary);
  json.key("page_folders");
  json.begin_array();
  for (const paging::PageStore* page_store : answers.page_stores(name)) {
    json.value(Text(page_store->folder));
  }
  json.end_array();
  report_.end_object();
  return true;
}

bool JsonStory::transactions(Answers& answers, std::int64_t id) {
  const auto found = answers.transactions_of(id);
  for (const TransactionAnswer& transaction : found) {
    JsonWriter& json = report_.begin_object("transaction");
    json.field("tx", transaction.tx_id);
    json.field("journal",
               transaction.journal == journal::JournalKind::kMessages ? "journal" : "bindings");
    json.field("outcome", outcome_of(transaction.outcome));
    json.field("incomplete", transaction.incomplete);
    json.field("record_count", transaction.records);
    json.field("delete_count", transaction.deletes);
    const auto xid = transaction.xid();
    json.key("xid");
    if (xid && !transaction.name.empty()) {
      json.begin_object();
      json.field("format_id", std::int64_t{xid->format_id});
      json.base64_field("branch_qualifier_b64", xid->branch_qualifier);
      json.base64_field("global_id_b64", xid->global_id);
      json.end_object();
      json.field("xid_base64", xid_base64(*xid));
    } else {
      json.null();
      json.null_field("xid_base64");
    }
    report_.end_object();
  }
  return !found.empty();
}

// ---- messages
// -------------------------------------------------------------------------------------

void write_fate(JsonWriter& json, const store::QueueFate& fate) {
  json.begin_object();
  json.field("queue_id", fate.queue_id);
  write_queue_name(json, fate.queue);
  json.field("state", store::fate_name(fate.fate));
  json.field("tx", unless_negative(fate.tx_id));
  json.field("outcome", outcome_of(fate.outcome));
  json.field("delivery_count", std::int64_t{fate.delivery_count});
  json.field("scheduled_ms", fate.scheduled_ms);
  json.field("paged", fate.paged);
  json.end_object();
}

void write_origin(JsonWriter& json, const MessageStory& story) {
  const auto origin = story.content && !story.content->facts.damaged
                          ? store::origin_of(story.content->message)
                          : std::nullopt;
  json.key("copy_of");
  if (!origin) return json.null();
  json.begin_object();
  json.field("id", origin->message_id);
  json.field("queue", unless_empty(origin->queue));
  json.field("address", unless_empty(origin->address));
  json.end_object();
}

bool JsonStory::message(Answers& answers, std::int64_t id) {
  const auto story = answers.message(id);
  if (story == nullptr) return false;
  ContentReader reader(answers.store(), options_.body, answers.sink());
  const MessageContent content = reader.read(*story);
  JsonWriter& json = report_.begin_object("message");
  json.field("id", id);
  json.field("state", store::state_name(story->state));
  json.field("deleted", story->deleted);
  json.field("tx", unless_negative(story->tx_id));
  json.field("undecodable", content.undecodable);
  json.field("body_missing", content.body_missing);
  json.key("queues");
  json.begin_array();
  for (const store::QueueFate& fate : story->queues) write_fate(json, fate);
  json.end_array();
  write_origin(json, *story);
  json.key("copies");
  json.begin_array();
  for (const store::LiveCopy& copy : answers.copies_of(id)) {
    json.begin_object();
    json.field("id", copy.id);
    json.field("queue_id", copy.queue_id);
    write_queue_name(json, copy.queue);
    json.end_object();
  }
  json.end_array();
  report_.end_object();
  places(*story, content);
  return true;
}

void JsonStory::places(const MessageStory& story, const MessageContent& content) {
  if (!content.there) return;
  const store::LiveMessage& message = *story.content;
  for (const store::QueueFate& fate : story.queues) {
    const bool unbound = fate.fate == Fate::kUnbound;
    if (!is_live(fate) && !unbound) continue;
    JsonWriter& json = report_.begin_object("place");
    json.field("id", story.id);
    json.field("queue_id", fate.queue_id);
    if (fate.queue != nullptr) json.field("queue", Text(fate.queue->name));
    json.field("state", unbound ? "pending" : store::fate_name(fate.fate));
    json.field("delivery_count", std::int64_t{fate.delivery_count});
    json.field("scheduled_ms", fate.scheduled_ms);
    json.field("paged", fate.paged);
    json.field("file", Text(message.file));
    json.field("offset", message.offset);
    if (!content.undecodable) {
      print::write_message_json(json, message.message, message.core_large, options_.body);
    }
    report_.end_object();
  }
}

Result<bool> JsonStory::records(Answers& answers, std::int64_t id) {
  const auto stories = answers.records_of(id);
  for (const StoryRecord& story : stories) {
    const auto record = answers.fetch(story);
    if (!record) return std::unexpected(record.error());
    const store::LoadedJournal& journal = answers.journal_of(story);
    print::JsonPrinter printer({.body = options_.body});
    TextBuffer ignored;
    journal::JournalFolder folder;
    folder.kind = story.journal;
    printer.begin_journal(ignored, "", folder, "");
    print::RecordNotes notes;
    printer.record(out_, notes,
                   {.file = &journal.folder.files[story.place.file()],
                    .label = journal.labels[story.place.file()]},
                   *record);
  }
  return !stories.empty();
}

void JsonStory::page(const Answers& answers, const Meaning& meaning) {
  const PageAnswer page =
      read_page(answers.store(), *meaning.page_store, *meaning.page, answers.sink());
  JsonWriter& json = report_.begin_object("page");
  json.field("address", Text(page.address));
  json.field("page_number", page.number);
  json.field("file", Text(page.label));
  json.field("size_bytes", page.size_bytes);
  json.field("entry_count", std::uint64_t{page.lines.size()});
  json.key("cursors");
  json.begin_array();
  for (const auto& [id, cursor] : page.cursors) {
    json.begin_object();
    write_queue_ids(json, answers.catalog(), id);
    json.field("message_count", cursor.routed);
    json.field("acknowledged_count", cursor.consumed);
    json.field("prepared_count", cursor.in_doubt);
    json.field("page_complete", cursor.complete);
    json.end_object();
  }
  json.end_array();
  report_.end_object();
  for (const PageLine& entry : page.lines) {
    JsonWriter& line = report_.begin_object("page_entry");
    line.field("message_number", std::int64_t{entry.number});
    line.field("offset", entry.offset);
    line.field("id", entry.message_id);
    line.field("page_tx", unless_negative(entry.tx_id));
    line.key("queues");
    line.begin_array();
    for (const store::PagedReference& reference : entry.references) {
      line.begin_object();
      write_queue_ids(line, answers.catalog(), reference.queue);
      line.field("state", paged_state_name(reference.state));
      line.end_object();
    }
    line.end_array();
    report_.end_object();
  }
}

}  // namespace

std::unique_ptr<StoryPrinter> make_json_story(cli::Output& output,
                                              const StoryPrinterOptions& options) {
  return std::make_unique<JsonStory>(output, options);
}

}  // namespace saranga::show
