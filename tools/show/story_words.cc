#include "tools/show/story_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/bindings/record_types.h"
#include "saranga/message/record_ids.h"
#include "saranga/message/record_types.h"
#include "saranga/store/times.h"
#include "tools/cli/humanise.h"
#include "tools/cli/text_width.h"

namespace saranga::show {
namespace {

using journal::JournalKind;
using journal::RecordKind;
using store::Fate;
using store::MessageStory;
using store::Outcome;
using store::QueueFate;

// "transaction 110 (committed)"
std::string transaction_words(std::int64_t tx_id, Outcome outcome) {
  return fmt::format("transaction {} ({})", tx_id,
                     outcome == Outcome::kPrepared ? "prepared" : outcome_words(outcome));
}

std::string delivered_words(std::int32_t count) {
  return count == 1 ? "delivered once" : fmt::format("delivered {} times", count);
}

std::uint64_t count(const MessageStory& story, std::initializer_list<Fate> fates) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      story.queues,
      [&](const QueueFate& queue) { return std::ranges::find(fates, queue.fate) != fates.end(); }));
}

std::string not_sent_words(std::int64_t tx_id, Outcome outcome) {
  if (outcome == Outcome::kRolledBack) {
    return fmt::format("sent in transaction {}, which was rolled back", tx_id);
  }
  return fmt::format("sent in transaction {}, which is unfinished: the next start rolls it back",
                     tx_id);
}

std::string acknowledged_words(const QueueFate& fate, const MessageStory& story) {
  std::string text;
  if (fate.delivery_count != 0) text = delivered_words(fate.delivery_count) + ", ";
  text += "acknowledged";
  if (fate.tx_id >= 0) text += fmt::format(" in {}", transaction_words(fate.tx_id, fate.outcome));
  if (story.deleted) text += " and deleted";
  return text;
}

// What the type has besides its name.
std::string detail_words(Answers& answers, const store::StoryRecord& story,
                         const journal::Record& record) {
  const auto queue = [&](const store::Fact& fact) {
    return "queue " + queue_words(answers, fact.queue);
  };
  if (story.journal != JournalKind::kMessages) return {};
  const store::Fact fact = store::read_fact(record, story.place.file(), answers.store().now_ms());
  if (fact.damaged) return "does not decode";
  if (store::holds_message(record.user_type)) {
    return fact.message.damaged ? "does not decode"
                                : cli::human_bytes(std::uint64_t{record.body.size()});
  }
  switch (record.user_type) {
    case message::kAddReference:
    case message::kAcknowledgeReference: return queue(fact);
    case message::kDeliveryCount: return fmt::format("{}, count {}", queue(fact), fact.count);
    case message::kScheduledDelivery:
      return fmt::format("{}, until {}", queue(fact), store::format_time(fact.value));
    case message::kAcknowledgeCursor:
      return fmt::format("{}, page {} position {}", queue(fact), fact.value, fact.count);
    case message::kPageComplete: return fmt::format("{}, page {}", queue(fact), fact.value);
    case message::kPageTransaction:
      return fmt::format("page transaction {}, {} left", fact.queue, fact.count);
    default: return {};
  }
}

}  // namespace

std::string queue_words(Answers& answers, std::int64_t id) {
  const bindings::Queue* queue = answers.catalog().queue(id);
  if (queue == nullptr) {
    const std::string name = answers.former_queue(id);
    if (name.empty()) return fmt::format("id {}, which has no binding", id);
    return fmt::format("{} (id {}, deleted)", cli::printable(name), id);
  }
  return fmt::format("{} (id {})", cli::printable(queue->name), id);
}

std::string_view outcome_words(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOutside: return "";
    case Outcome::kOpen: return "unfinished";
    case Outcome::kPrepared: return "prepared, in doubt";
    case Outcome::kCommitted: return "committed";
    case Outcome::kRolledBack: return "rolled back";
  }
  return "";
}

std::string message_heading(const MessageStory& story) {
  const std::uint64_t live = count(story, {Fate::kPending, Fate::kScheduled});
  const std::uint64_t in_doubt = count(story, {Fate::kInDoubtAck, Fate::kInDoubtSend});
  std::string text = fmt::format("message {}: ", story.id);
  switch (story.state) {
    case MessageStory::State::kLive:
      text += fmt::format("live, on {}", cli::human_plural(live, "queue"));
      if (in_doubt != 0) text += fmt::format(", in doubt on {}", in_doubt);
      return text;
    case MessageStory::State::kInDoubt:
      return text + fmt::format("in doubt, on {}", cli::human_plural(in_doubt, "queue"));
    case MessageStory::State::kNoQueue:
      return text + "still in the store, but on no queue; the next start deletes it";
    case MessageStory::State::kConsumed:
      return text + fmt::format("consumed on every queue; page {} still holds it",
                                story.content ? story.content->page : 0);
    case MessageStory::State::kNotSent:
      return text + "not on any queue: " + not_sent_words(story.tx_id, story.outcome);
    case MessageStory::State::kGone: return text + "no longer in the store";
  }
  return text;
}

std::string fate_words(const QueueFate& fate, const MessageStory& story) {
  std::string text;
  switch (fate.fate) {
    case Fate::kPending: text = "pending"; break;
    case Fate::kScheduled: text = "scheduled until " + store::format_time(fate.scheduled_ms); break;
    case Fate::kInDoubtAck:
      text = "in doubt: acknowledged in " + transaction_words(fate.tx_id, Outcome::kPrepared);
      break;
    case Fate::kInDoubtSend:
      text = "in doubt: sent in " + transaction_words(fate.tx_id, Outcome::kPrepared);
      break;
    case Fate::kUnbound: text = "routed, but the queue is gone: a broker drops it"; break;
    case Fate::kAcknowledged: text = acknowledged_words(fate, story); break;
    case Fate::kDeleted:
      text = story.deleted ? "deleted without being acknowledged" : "gone with its message";
      break;
    case Fate::kNotSent: text = not_sent_words(fate.tx_id, fate.outcome); break;
  }
  if (fate.delivery_count != 0 && fate.fate != Fate::kAcknowledged) {
    text += ", " + delivered_words(fate.delivery_count);
  }
  if (fate.paged && story.content) {
    text += fmt::format(", page {} position {}", story.content->page, story.content->page_index);
  }
  return text;
}

std::string transaction_heading(const TransactionAnswer& transaction) {
  std::string text =
      fmt::format("transaction {}: {}, {}", transaction.tx_id, outcome_words(transaction.outcome),
                  cli::human_plural(transaction.records, "record"));
  if (transaction.deletes != 0) {
    text += ", " + cli::human_plural(transaction.deletes, "delete");
  }
  if (transaction.journal == JournalKind::kBindings) text += ", in the bindings journal";
  if (transaction.incomplete) {
    text += "; records of it were lost, and a broker drops it";
  } else if (transaction.outcome == Outcome::kOpen) {
    text += "; the next start rolls it back";
  }
  return text;
}

std::string type_words(const store::StoryRecord& story) {
  const RecordType* type = story.journal == JournalKind::kMessages
                               ? message::find_record_type(story.user_type)
                               : bindings::find_record_type(story.user_type);
  return type == nullptr ? fmt::format("type {}", story.user_type) : std::string(type->name);
}

std::string record_words(Answers& answers, const store::StoryRecord& story,
                         const journal::Record& record, std::int64_t id) {
  const journal::KindTraits& kind = journal::traits(record.kind);
  std::string text(kind.name);
  if (kind.has_user_type) {
    text.append(" ").append(type_words(story));
  }
  if (kind.has_id && story.id != id) text += fmt::format(", id {}", story.id);
  if (kind.has_user_type) {
    if (const std::string detail = detail_words(answers, story, record); !detail.empty()) {
      text += ", " + detail;
    }
  }
  if (kind.has_number)
    text += record.number == 1 ? ", 1 record" : fmt::format(", {} records", record.number);
  if (story.in_transaction) {
    text += ", " + transaction_words(story.tx_id, answers.outcome(story));
  }
  return text;
}

}  // namespace saranga::show
