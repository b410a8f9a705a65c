#include <fmt/format.h>

#include <algorithm>

#include "saranga/bytes/base64.h"
#include "saranga/store/finding_codes.h"
#include "saranga/store/times.h"
#include "tools/cli/humanise.h"
#include "tools/cli/text_width.h"
#include "tools/list/queue_json.h"
#include "tools/show/message_content.h"
#include "tools/show/message_lines.h"
#include "tools/show/page_answer.h"
#include "tools/show/story_printer.h"
#include "tools/show/story_words.h"

namespace saranga::show {
namespace {

using cli::human_bytes;
using cli::human_count;
using cli::human_plural;
using cli::printable;
using store::MessageStory;
using store::StoryRecord;

std::string bytes_words(Bytes bytes) {
  TextBuffer hex;
  append_hex(hex, bytes);
  TextBuffer base64;
  append_base64(base64, bytes, Base64Alphabet::kStandard);
  return fmt::format("{} (hex {}, base64 {})", printable(as_text(bytes)), hex.view(),
                     base64.view());
}

std::string name_or(const std::string& name, const char* otherwise) {
  return name.empty() ? otherwise : printable(name);
}

/// Text for people.
class TextStory final : public StoryPrinter {
 public:
  TextStory(cli::Output& output, const StoryPrinterOptions& options)
      : out_(output.buffer()), options_(options) {}

  void begin() override {}
  Result<bool> show(Answers& answers, const Subject& subject, const Meaning& meaning) override;

 private:
  Result<bool> meaning(Answers& answers, const Subject& subject, const Meaning& meaning);
  Result<bool> id(Answers& answers, std::int64_t id);
  bool queue(Answers& answers, std::int64_t id);
  void totals(const store::MessageTotals& totals);
  void page_folders(const Answers& answers, const std::string& address);
  bool address(Answers& answers, const std::string& name);
  bool transactions(Answers& answers, std::int64_t id);
  bool message(Answers& answers, std::int64_t id);
  void copies(Answers& answers, const MessageStory& story);
  void content(Answers& answers, const MessageStory& story);
  void record_heading(Answers& answers, std::int64_t id);
  Result<bool> records(Answers& answers, std::int64_t id);
  void page(Answers& answers, const Meaning& meaning);
  /// The command that shows more.
  void next(std::string_view arguments) {
    out_.put(fmt::format("next: saranga data {}\n", printable(arguments)));
  }
  [[nodiscard]] std::string store_name() const { return store::shell_quoted(options_.store); }
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    out_.put(fmt::format(format, std::forward<Values>(values)...));
    out_.put('\n');
  }

  TextBuffer& out_;
  StoryPrinterOptions options_;
  bool first_ = true;
};

Result<bool> TextStory::show(Answers& answers, const Subject& subject, const Meaning& meaning) {
  const std::size_t before = out_.size();
  if (!first_) out_.put('\n');
  const auto shown = this->meaning(answers, subject, meaning);
  if (shown && !*shown) {
    out_.truncate(before);  // no blank line for nothing
  } else {
    first_ = false;
  }
  return shown;
}

Result<bool> TextStory::meaning(Answers& answers, const Subject& subject, const Meaning& meaning) {
  switch (meaning.kind) {
    case Meaning::Kind::kNothing: return false;
    case Meaning::Kind::kPlace:
      if (auto shown = show_place(answers.store(), subject, out_); !shown) {
        return std::unexpected(shown.error());
      }
      return true;
    case Meaning::Kind::kPage: page(answers, meaning); return true;
    case Meaning::Kind::kAddress: {
      const bool found = address(answers, meaning.address);
      for (const std::int64_t id : meaning.ids) {
        if (auto shown = records(answers, id); !shown) return shown;
      }
      return found;
    }
    case Meaning::Kind::kIds: break;
  }
  if (meaning.by_user_id) {
    line("user id {}: {}", printable(subject.text), human_plural(meaning.ids.size(), "message"));
  }
  bool found = false;
  for (const std::int64_t one : meaning.ids) {
    const auto shown = id(answers, one);
    if (!shown) return shown;
    found = found || *shown;
  }
  return found;
}

Result<bool> TextStory::id(Answers& answers, std::int64_t id) {
  bool found = queue(answers, id);
  const auto& addresses = answers.catalog().addresses();
  if (const auto at = addresses.find(id); at != addresses.end()) {
    found = address(answers, at->second.name) || found;
  }
  found = transactions(answers, id) || found;
  found = message(answers, id) || found;
  if (!found) record_heading(answers, id);
  const auto any = records(answers, id);
  if (any && answers.catalog().queue(id) != nullptr) {
    next(fmt::format("messages {} --queue {}", store_name(),
                     store::shell_quoted(answers.catalog().queue(id)->name)));
  }
  return any ? Result<bool>(found || *any) : any;
}

// ---- queues and addresses
// -------------------------------------------------------------------------

void TextStory::totals(const store::MessageTotals& totals) {
  line("  messages: {} ({} scheduled, {} paged, {} expired), {} of bodies",
       human_count(totals.messages), human_count(totals.scheduled), human_count(totals.paged),
       human_count(totals.expired), human_bytes(totals.body_bytes));
  line("  in doubt: {} ({} acknowledged, {} sent by prepared transactions)",
       human_count(list::prepared_count(totals)), human_count(totals.prepared_acks),
       human_count(totals.prepared_sends));
  if (totals.oldest_ms != 0) {
    line("  oldest message: {} old, sent {}", cli::human_age(options_.now_ms - totals.oldest_ms),
         store::format_time(totals.oldest_ms));
  }
}

void TextStory::page_folders(const Answers& answers, const std::string& address) {
  for (const paging::PageStore* page_store : answers.page_stores(address)) {
    std::uint64_t bytes = 0;
    for (const paging::Page& page : page_store->pages) bytes += page.size_bytes;
    line("  page folder: paging/{}, {}, {}", printable(page_store->folder),
         human_plural(page_store->pages.size(), "page"), human_bytes(bytes));
  }
}

bool TextStory::queue(Answers& answers, std::int64_t id) {
  const store::QueueSummary* summary = answers.queue(id);
  if (summary == nullptr) return false;
  const bindings::Queue* queue = summary->queue;
  if (queue == nullptr) {
    line("queue id {}: has no binding, but messages were routed to it", id);
    totals(summary->totals);
    return true;
  }
  line("queue {} (id {}) of address {}, {}", printable(queue->name), id, printable(queue->address),
       queue->routing_type);
  totals(summary->totals);
  line("  paused: {}", !summary->paused ? "no" : queue->paused ? "yes" : "yes, with its address");
  if (queue->filter) line("  filter: {}", printable(*queue->filter));
  if (queue->user) line("  made by user: {}", printable(*queue->user));
  if (queue->ring_size >= 0) line("  ring of {}", queue->ring_size);
  for (const auto& [set, name] :
       {std::pair(queue->exclusive, "exclusive"), std::pair(queue->last_value, "last value"),
        std::pair(queue->non_destructive, "non-destructive"),
        std::pair(queue->auto_created, "made automatically"),
        std::pair(queue->internal, "internal")}) {
    if (set) line("  {}", name);
  }
  page_folders(answers, queue->address);
  return true;
}

bool TextStory::address(Answers& answers, const std::string& name) {
  const store::AddressSummary* summary = answers.address(name);
  if (summary == nullptr) return false;
  const bindings::Address* address = summary->address;
  if (address == nullptr) {
    line("address {}: no record says that it exists", printable(name));
  } else {
    line("address {} (id {}), {}", printable(name), address->id,
         address->routing_types.empty()
             ? "no routing type"
             : fmt::format("{}", fmt::join(address->routing_types, ",")));
  }
  totals(summary->totals);
  if (address != nullptr) line("  paused: {}", address->paused ? "yes" : "no");
  line("  {}", human_plural(summary->queues, "queue"));
  for (const auto& [id, queue] : answers.catalog().queues()) {
    if (queue.address != name) continue;
    line("    {}, {}", queue_words(answers, id), queue.routing_type);
  }
  page_folders(answers, name);
  return true;
}

// ---- transactions
// ---------------------------------------------------------------------------------

bool TextStory::transactions(Answers& answers, std::int64_t id) {
  const auto found = answers.transactions_of(id);
  for (const TransactionAnswer& transaction : found) {
    line("{}", transaction_heading(transaction));
    if (transaction.outcome != store::Outcome::kPrepared) continue;
    const auto xid = transaction.xid();
    if (!xid) {
      line("  its name does not decode");
      continue;
    }
    line("  for commitPreparedTransaction / rollbackPreparedTransaction: {}", xid_base64(*xid));
    line("  format id: {}", xid->format_id);
    line("  global id: {}", bytes_words(xid->global_id));
    line("  branch: {}", bytes_words(xid->branch_qualifier));
  }
  return !found.empty();
}

// ---- messages
// -------------------------------------------------------------------------------------

bool TextStory::message(Answers& answers, std::int64_t id) {
  const auto story = answers.message(id);
  if (story == nullptr) return false;
  line("{}", message_heading(*story));
  content(answers, *story);
  return true;
}

void TextStory::copies(Answers& answers, const MessageStory& story) {
  if (const auto origin = story.content ? store::origin_of(story.content->message) : std::nullopt) {
    line("  copy of message {} from queue {}", origin->message_id,
         name_or(origin->queue, "that is not told"));
  }
  for (const store::LiveCopy& copy : answers.copies_of(story.id)) {
    line("  a copy is message {} on {}", copy.id,
         copy.queue == nullptr ? fmt::format("queue id {}", copy.queue_id)
                               : printable(copy.queue->name));
  }
}

void TextStory::content(Answers& answers, const MessageStory& story) {
  ContentReader reader(answers.store(), options_.body, answers.sink());
  const MessageContent content = reader.read(story);
  if (content.undecodable) {
    line("  its {} does not decode: what is in it is not known",
         story.content->paged ? "page entry" : "record");
  } else if (content.body_missing) {
    line("  its body file large-messages/{}.msg is missing: a broker delivers it empty", story.id);
  }
  for (const store::QueueFate& fate : story.queues) {
    line("  on queue {}: {}", queue_words(answers, fate.queue_id), fate_words(fate, story));
  }
  if (!content.undecodable) copies(answers, story);
  if (!content.there) return;
  line("  stored at: {}:{:#x}", printable(story.content->file), story.content->offset);
  if (content.undecodable) {
    return next(
        fmt::format("show {} {}:{:#x}", store_name(), story.content->file, story.content->offset));
  }
  out_.put(message_lines(*story.content, content.body, options_.body, options_.now_ms));
}

// ---- records
// --------------------------------------------------------------------------------------

// Of an id that is nothing else.
void TextStory::record_heading(Answers& answers, std::int64_t id) {
  const auto records = answers.records_of(id);
  if (records.empty()) return;
  const auto added = std::ranges::find_if(records, [](const StoryRecord& record) {
    return journal::traits(record.kind).has_user_type;
  });
  if (added == records.end()) {
    return line("id {}: deleted; what it was is no longer in the journal", id);
  }
  if (const std::string queue = answers.former_queue(id); !queue.empty()) {
    return line("queue {} (id {}): deleted", printable(queue), id);
  }
  const bool deleted = std::ranges::any_of(records, [&](const StoryRecord& record) {
    return record.kind == journal::RecordKind::kDelete ||
           (record.kind == journal::RecordKind::kDeleteTx &&
            answers.outcome(record) == store::Outcome::kCommitted);
  });
  line("record {}: {}{}", id, type_words(*added), deleted ? ", deleted" : "");
}

Result<bool> TextStory::records(Answers& answers, std::int64_t id) {
  const auto records = answers.records_of(id);
  if (records.empty()) return false;
  std::size_t width = 0;
  for (const StoryRecord& story : records) {
    width = std::max(width, answers.place_of(story).size());
  }
  line("records, in order:");
  for (const StoryRecord& story : records) {
    const auto record = answers.fetch(story);
    if (!record) return std::unexpected(record.error());
    line("  {:<{}}  {}", answers.place_of(story), width, record_words(answers, story, *record, id));
  }
  return true;
}

// ---- pages
// ----------------------------------------------------------------------------------------

std::string_view paged_words(store::PagedState state) {
  switch (state) {
    case store::PagedState::kPending: return "pending";
    case store::PagedState::kConsumed: return "acknowledged";
    case store::PagedState::kInDoubtAck: return "in doubt: ack";
    case store::PagedState::kInDoubtSend: return "in doubt: send";
    case store::PagedState::kUncommitted: return "never committed";
    case store::PagedState::kUnbound: return "queue is gone";
  }
  return "pending";
}

void TextStory::page(Answers& answers, const Meaning& meaning) {
  const PageAnswer page =
      read_page(answers.store(), *meaning.page_store, *meaning.page, answers.sink());
  line("page {} of address {}: {}, {}", page.number, printable(page.address),
       page.lines.size() == 1 ? "1 entry" : human_count(page.lines.size()) + " entries",
       human_bytes(page.size_bytes));
  line("  file: {}", printable(page.label));
  for (const auto& [id, cursor] : page.cursors) {
    line("  queue {}: {} of {} acknowledged{}{}", queue_words(answers, id),
         human_count(cursor.consumed), human_plural(cursor.routed, "message"),
         cursor.in_doubt == 0 ? "" : fmt::format(", {} in doubt", cursor.in_doubt),
         cursor.complete ? ", the page is complete" : "");
  }
  if (page.lines.empty()) return;
  line("entries, in order:");
  for (const PageLine& entry : page.lines) {
    std::string states;
    for (const store::PagedReference& reference : entry.references) {
      const bindings::Queue* queue = answers.catalog().queue(reference.queue);
      states += fmt::format(
          "{}{} {}", states.empty() ? "" : ", ",
          queue == nullptr ? fmt::format("queue id {}", reference.queue) : printable(queue->name),
          paged_words(reference.state));
    }
    line("  {:>4} {:#010x}  message {}{}: {}", entry.number, entry.offset, entry.message_id,
         entry.tx_id < 0 ? "" : fmt::format(", page transaction {}", entry.tx_id), states);
  }
}

}  // namespace

std::unique_ptr<StoryPrinter> make_text_story(cli::Output& output,
                                              const StoryPrinterOptions& options) {
  return std::make_unique<TextStory>(output, options);
}

}  // namespace saranga::show
