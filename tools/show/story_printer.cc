#include "tools/show/story_printer.h"

#include <fmt/format.h>

#include "saranga/bytes/base64.h"
#include "saranga/bytes/fields.h"
#include "saranga/store/live_messages.h"
#include "tools/cli/context.h"
#include "tools/cli/json_writer.h"
#include "tools/print/core_json.h"
#include "tools/print/describe.h"
#include "tools/print/json_printer.h"

namespace saranga::show {
namespace {

using journal::JournalKind;
using store::LiveMessage;
using store::StoryRecord;

/// What both forms need: the store, and the records of a story read again.
class StoryReader {
 public:
  StoryReader(const store::LoadedStore& store, const store::StoryCollector& stories)
      : store_(store),
        stories_(stories),
        messages_(store.fetcher()),
        bindings_(store.bindings_fetcher()) {}

  [[nodiscard]] const store::LoadedStore& store() const { return store_; }
  [[nodiscard]] const store::StoryCollector& stories() const { return stories_; }
  [[nodiscard]] Result<journal::Record> fetch(const StoryRecord& record) {
    return record.journal == JournalKind::kMessages ? messages_.fetch(record.place)
                                                    : bindings_.fetch(record.place);
  }
  [[nodiscard]] const store::LoadedJournal& journal_of(const StoryRecord& record) const {
    return record.journal == JournalKind::kMessages ? store_.journal() : store_.bindings();
  }
  [[nodiscard]] const std::string& label(const StoryRecord& record) const {
    return journal_of(record).labels[record.place.file()];
  }
  /// The queue that a subject names, by id or by name.
  [[nodiscard]] const bindings::Queue* queue(const Subject& subject) const {
    return subject.id ? store_.catalog().queue(*subject.id)
                      : store_.catalog().queue_by_name(subject.text);
  }
  [[nodiscard]] const store::PreparedTransaction* prepared(std::int64_t tx_id) const {
    for (const auto& transaction : store_.model().prepared()) {
      if (transaction.tx_id == tx_id) return &transaction;
    }
    return nullptr;
  }

 private:
  const store::LoadedStore& store_;
  const store::StoryCollector& stories_;
  journal::RecordFetcher messages_;
  journal::RecordFetcher bindings_;
};

bool about(const StoryRecord& record, std::int64_t id) {
  return record.id == id || (record.in_transaction && record.tx_id == id);
}

/// Calls back for every place where a message lives.
template <class Callback>
class MessageFinder final : public store::MessageVisitor {
 public:
  MessageFinder(std::int64_t id, Callback callback) : id_(id), callback_(std::move(callback)) {}
  bool message(const LiveMessage& message) override {
    if (message.id == id_) callback_(message);
    return true;
  }

 private:
  std::int64_t id_;
  Callback callback_;
};

class NoFindings final : public FindingSink {
 public:
  void finding(Finding /*finding*/) override {}
};

// Walks only where the message can be: the queues of its references, or all of them when it is
// paged.
template <class Callback>
void for_each_place(const store::LoadedStore& store, std::int64_t id, Callback callback) {
  if (store.model().find(id) == nullptr && store.page_stores().empty()) return;
  MessageFinder<Callback> finder(id, std::move(callback));
  NoFindings ignored;
  store::visit_messages(store, finder, ignored);
}

std::string printable(Bytes bytes) {
  std::string text;
  for (const std::byte b : bytes) {
    const auto c = static_cast<unsigned char>(b);
    text +=
        c >= 0x20 && c < 0x7F ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
  }
  return text;
}

std::string base64_text(Bytes bytes) {
  TextBuffer out;
  append_base64(out, bytes, Base64Alphabet::kStandard);
  return out.str();
}

/// Text for people.
class TextStory final : public StoryPrinter {
 public:
  TextStory(TextBuffer& out, StoryReader reader, print::BodyDetail body)
      : out_(out), reader_(std::move(reader)), body_(body) {}

  void begin(const std::string& /*store*/) override {}
  Result<bool> subject(const Subject& subject) override;
  Result<bool> place(const Subject& subject) override {
    if (auto shown = show_place(reader_.store(), subject, out_); !shown) {
      return std::unexpected(shown.error());
    }
    return true;
  }
  void end(cli::ExitCode /*code*/) override {}

 private:
  bool queue(const Subject& subject);
  bool message(std::int64_t id);
  bool transaction(std::int64_t tx_id);
  Result<bool> records(std::int64_t id);
  void content(const LiveMessage& message);

  TextBuffer& out_;
  StoryReader reader_;
  print::BodyDetail body_;
};

Result<bool> TextStory::subject(const Subject& subject) {
  bool found = queue(subject);
  if (!subject.id) return found;
  found = transaction(*subject.id) || found;
  found = message(*subject.id) || found;
  const auto any_record = records(*subject.id);
  if (!any_record) return any_record;
  return found || *any_record;
}

bool TextStory::queue(const Subject& subject) {
  const bindings::Queue* queue = reader_.queue(subject);
  if (queue == nullptr) return false;
  out_.put(fmt::format("queue {} (id {}) of address {}, {}\n", queue->name, queue->id,
                       queue->address, queue->routing_type));
  if (queue->filter) out_.put(fmt::format("  filter: {}\n", *queue->filter));
  if (queue->user) out_.put(fmt::format("  made by user: {}\n", *queue->user));
  for (const auto& [set, name] :
       {std::pair(queue->paused, "paused"), std::pair(queue->exclusive, "exclusive"),
        std::pair(queue->last_value, "last value"),
        std::pair(queue->non_destructive, "non-destructive"),
        std::pair(queue->auto_created, "made automatically"),
        std::pair(queue->internal, "internal")}) {
    if (set) out_.put(fmt::format("  {}\n", name));
  }
  return true;
}

bool TextStory::transaction(std::int64_t tx_id) {
  const store::PreparedTransaction* transaction = reader_.prepared(tx_id);
  if (transaction == nullptr) return false;
  out_.put(fmt::format("transaction {}: prepared, in doubt; {} records, {} deletes\n", tx_id,
                       transaction->records.size(), transaction->deletes.size()));
  journal::RecordFetcher fetcher = reader_.store().fetcher();
  const auto prepare = fetcher.fetch(transaction->prepare);
  if (!prepare) return true;
  Cursor cursor(prepare->body);
  const Xid xid = read_xid(cursor);
  if (!cursor.ok()) return true;
  out_.put(fmt::format("  XID: format {}, global {}, branch {}\n", xid.format_id,
                       printable(xid.global_id), printable(xid.branch_qualifier)));
  out_.put(fmt::format("  base64: global {}, branch {}\n", base64_text(xid.global_id),
                       base64_text(xid.branch_qualifier)));
  return true;
}

void TextStory::content(const LiveMessage& message) {
  out_.put(fmt::format("message {}\n  ", message.id));
  print::append_message(out_, message.message, message.core_large, false);
  out_.put('\n');
  if (body_ == print::BodyDetail::kNone) return;
  cli::JsonWriter json(out_);
  out_.put("  ");
  json.begin_object();
  print::write_message_json(json, message.message, message.core_large, body_);
  json.end_object();
  out_.put('\n');
}

bool TextStory::message(std::int64_t id) {
  bool found = false;
  for_each_place(reader_.store(), id, [&](const LiveMessage& message) {
    if (!found) content(message);
    found = true;
    out_.put(fmt::format("  on queue {} (id {}): {}",
                         message.queue != nullptr ? message.queue->name : "without binding",
                         message.queue_id, store::state_name(message.state)));
    if (message.delivery_count != 0) {
      out_.put(fmt::format(", delivered {} times", message.delivery_count));
    }
    if (message.scheduled_ms != 0)
      out_.put(fmt::format(", scheduled for {} ms", message.scheduled_ms));
    if (message.paged) {
      out_.put(fmt::format(", page {} position {}", message.page, message.page_index));
    }
    out_.put(fmt::format(", at {}:{:#x}\n", message.file, message.offset));
  });
  return found;
}

Result<bool> TextStory::records(std::int64_t id) {
  bool any = false;
  for (const StoryRecord& story : reader_.stories().records()) {
    if (!about(story, id)) continue;
    const auto record = reader_.fetch(story);
    if (!record) return std::unexpected(record.error());
    if (!any) out_.put("  records, in order:\n");
    any = true;
    out_.put(fmt::format("    {}:{:#x} {}", reader_.label(story), record->offset,
                         journal::traits(record->kind).name));
    if (story.in_transaction) {
      out_.put(fmt::format(" in transaction {} ({})", story.tx_id,
                           store::outcome_name(reader_.stories().outcome(story))));
    }
    if (journal::traits(record->kind).has_user_type) {
      out_.put(": ");
      (void)print::Describer(story.journal, false).append(out_, *record);
    }
    out_.put('\n');
  }
  return any;
}

/// JSON Lines.
class JsonStory final : public StoryPrinter {
 public:
  JsonStory(TextBuffer& out, StoryReader reader, print::BodyDetail body)
      : out_(out), reader_(std::move(reader)), body_(body) {}

  void begin(const std::string& store) override;
  Result<bool> subject(const Subject& subject) override;
  Result<bool> place(const Subject& subject) override;
  void end(cli::ExitCode code) override;

 private:
  Result<bool> records(std::int64_t id);
  bool messages(std::int64_t id);
  void end_line(cli::JsonWriter& json) {
    json.end_object();
    json.end_line();
  }

  TextBuffer& out_;
  StoryReader reader_;
  print::BodyDetail body_;
};

void JsonStory::begin(const std::string& store) {
  cli::JsonWriter json(out_);
  json.begin_object();
  json.field("type", "header");
  json.field("schema", "saranga.show/1");
  json.field("program", cli::program_version());
  json.field("store", Text(store));
  end_line(json);
}

Result<bool> JsonStory::subject(const Subject& subject) {
  bool found = false;
  if (const bindings::Queue* queue = reader_.queue(subject)) {
    found = true;
    cli::JsonWriter json(out_);
    json.begin_object();
    json.field("type", "queue");
    json.field("id", queue->id);
    json.field("name", Text(queue->name));
    json.field("address", Text(queue->address));
    json.field("routing_type", std::string_view(queue->routing_type));
    json.field("paused", queue->paused);
    end_line(json);
  }
  if (!subject.id) return found;
  found = messages(*subject.id) || found;
  const auto any_record = records(*subject.id);
  if (!any_record) return any_record;
  return found || *any_record;
}

bool JsonStory::messages(std::int64_t id) {
  bool found = false;
  for_each_place(reader_.store(), id, [&](const LiveMessage& message) {
    found = true;
    cli::JsonWriter json(out_);
    json.begin_object();
    json.field("type", "place");
    json.field("id", message.id);
    json.field("queue_id", message.queue_id);
    if (message.queue != nullptr) json.field("queue", Text(message.queue->name));
    json.field("state", store::state_name(message.state));
    json.field("delivery_count", static_cast<std::int64_t>(message.delivery_count));
    json.field("scheduled_ms", message.scheduled_ms);
    json.field("paged", message.paged);
    json.field("file", Text(message.file));
    json.field("offset", message.offset);
    print::write_message_json(json, message.message, message.core_large, body_);
    end_line(json);
  });
  return found;
}

Result<bool> JsonStory::records(std::int64_t id) {
  bool any = false;
  for (const StoryRecord& story : reader_.stories().records()) {
    if (!about(story, id)) continue;
    const auto record = reader_.fetch(story);
    if (!record) return std::unexpected(record.error());
    any = true;
    const store::LoadedJournal& journal = reader_.journal_of(story);
    print::JsonPrinter printer({.body = body_});
    TextBuffer ignored;
    journal::JournalFolder folder;
    folder.kind = story.journal;
    printer.begin_journal(ignored, "", folder, "");
    print::RecordNotes notes;
    printer.record(
        out_, notes,
        {.file = &journal.folder.files[story.place.file()], .label = reader_.label(story)},
        *record);
  }
  return any;
}

Result<bool> JsonStory::place(const Subject& subject) {
  TextBuffer text;
  if (auto shown = show_place(reader_.store(), subject, text); !shown) {
    return std::unexpected(shown.error());
  }
  cli::JsonWriter json(out_);
  json.begin_object();
  json.field("type", "dump");
  json.field("file", Text(subject.file));
  json.field("offset", *subject.offset);
  json.field("text", text.view());
  end_line(json);
  return true;
}

void JsonStory::end(cli::ExitCode code) {
  cli::JsonWriter json(out_);
  json.begin_object();
  json.field("type", "summary");
  json.field("exit_code", static_cast<int>(code));
  end_line(json);
}

}  // namespace

std::unique_ptr<StoryPrinter> make_story_printer(const std::string& format, TextBuffer& out,
                                                 const store::LoadedStore& store,
                                                 const store::StoryCollector& stories,
                                                 print::BodyDetail body) {
  StoryReader reader(store, stories);
  if (format == "text") return std::make_unique<TextStory>(out, std::move(reader), body);
  return std::make_unique<JsonStory>(out, std::move(reader), body);
}

}  // namespace saranga::show
