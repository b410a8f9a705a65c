#include "saranga/store/message_story.h"

#include <algorithm>

#include "libstore/paged_messages.h"
#include "libstore/prepared_index.h"
#include "saranga/bytes/no_findings.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

using journal::JournalKind;
using journal::RecordKind;

bool applies(Outcome outcome) {
  return outcome == Outcome::kOutside || outcome == Outcome::kCommitted ||
         outcome == Outcome::kPrepared;
}

bool is_delete(RecordKind kind) {
  return kind == RecordKind::kDelete || kind == RecordKind::kDeleteTx;
}

/// Folds the records of one message, then looks at what is live.
class MessageTeller final : public PageVisitor {
 public:
  MessageTeller(const LoadedStore& store, const StoryCollector& stories, std::int64_t id)
      : store_(store),
        stories_(stories),
        fetcher_(store.fetcher()),
        prepared_(store.model()),
        story_(std::make_unique<MessageStory>()) {
    story_->id = id;
  }

  [[nodiscard]] std::unique_ptr<MessageStory> tell();

 private:
  void take_record(const StoryRecord& record);
  void take_message(const StoryRecord& record, const journal::Record& fetched);
  void take_reference(const StoryRecord& record, const Fact& fact);
  void take_acknowledgement(const StoryRecord& record, const Fact& fact);
  void take_live(const Message& message);
  void entry(const VisitedEntry& entry) override;
  bool done() override { return in_page_; }
  void hold(const VisitedEntry& entry);
  void settle();
  [[nodiscard]] QueueFate& on_queue(std::int64_t queue_id);

  const LoadedStore& store_;
  const StoryCollector& stories_;
  journal::RecordFetcher fetcher_;
  PreparedIndex prepared_;
  std::unique_ptr<MessageStory> story_;
  bool is_message_ = false;
  bool sent_ = false;  // a record or page that counts has it
  bool in_journal_ = false;
  bool in_page_ = false;
};

QueueFate& MessageTeller::on_queue(std::int64_t queue_id) {
  const auto found = std::ranges::find(story_->queues, queue_id, &QueueFate::queue_id);
  if (found != story_->queues.end()) return *found;
  story_->queues.push_back({.queue_id = queue_id, .queue = store_.catalog().queue(queue_id)});
  return story_->queues.back();
}

void MessageTeller::take_message(const StoryRecord& record, const journal::Record& fetched) {
  const Outcome outcome = stories_.outcome(record);
  if (applies(outcome)) {
    sent_ = true;
  } else if (!sent_) {
    story_->tx_id = record.tx_id;
    story_->outcome = outcome;
  }
  MessageStory& story = *story_;
  story.held.assign(fetched.body.begin(), fetched.body.end());
  story.label = store_.journal().labels[record.place.file()];
  LiveMessage live{.id = story.id};
  live.file = story.label;
  live.offset = fetched.offset;
  live.length_bytes = fetched.length_bytes;
  live.record_type = fetched.user_type;
  live.core_large = fetched.user_type == message::kAddLargeMessage;
  Cursor cursor(story.held);
  live.message = read_message_record(cursor, fetched.user_type);
  live.facts = message_facts(live.message, store_.now_ms());
  live.facts.large = live.facts.large || live.core_large;
  live.facts.damaged = !cursor.ok();
  story.content = live;
}

void MessageTeller::take_reference(const StoryRecord& record, const Fact& fact) {
  QueueFate& fate = on_queue(fact.queue);
  const Outcome outcome = stories_.outcome(record);
  fate.tx_id = record.in_transaction ? record.tx_id : -1;
  fate.outcome = outcome;
  fate.fate = !applies(outcome)               ? Fate::kNotSent
              : outcome == Outcome::kPrepared ? Fate::kInDoubtSend
                                              : Fate::kPending;
}

void MessageTeller::take_acknowledgement(const StoryRecord& record, const Fact& fact) {
  const Outcome outcome = stories_.outcome(record);
  if (!applies(outcome)) return;
  QueueFate& fate = on_queue(fact.queue);
  fate.tx_id = record.in_transaction ? record.tx_id : -1;
  fate.outcome = outcome;
  fate.fate = outcome == Outcome::kPrepared ? Fate::kInDoubtAck : Fate::kAcknowledged;
}

void MessageTeller::take_record(const StoryRecord& record) {
  if (is_delete(record.kind)) {
    if (applies(stories_.outcome(record))) story_->deleted = true;
    return;
  }
  const auto fetched = fetcher_.fetch(record.place);
  if (!fetched || fetched->id != record.id) return;
  const bool is_update = fetched->is_update();
  if (!is_update && !holds_message(record.user_type)) return;
  is_message_ = true;
  if (!is_update) return take_message(record, *fetched);
  const Fact fact = read_fact(*fetched, record.place.file(), store_.now_ms());
  if (fact.damaged) return;
  switch (fact.user_type) {
    case message::kAddReference: return take_reference(record, fact);
    case message::kAcknowledgeReference: return take_acknowledgement(record, fact);
    case message::kDeliveryCount: on_queue(fact.queue).delivery_count = fact.count; return;
    case message::kScheduledDelivery: on_queue(fact.queue).scheduled_ms = fact.value; return;
    default: return;
  }
}

// What is live was folded by the same rules as a broker's; it has the last word.
void MessageTeller::take_live(const Message& message) {
  const Model& model = store_.model();
  in_journal_ = is_message_ = true;
  for (std::uint32_t at = message.first_reference; at != kNone; at = model.references()[at].next) {
    const Reference& reference = model.references()[at];
    if (reference.state == Reference::State::kDead) continue;
    QueueFate& fate = on_queue(model.queue_ids()[reference.queue]);
    const ReferenceExtra extra = model.extra(at);
    fate.delivery_count = extra.delivery_count;
    fate.scheduled_ms = extra.scheduled_ms;
    if (fate.scheduled_ms == 0 && story_->content) {
      fate.scheduled_ms = story_->content->facts.scheduled_ms;
    }
    switch (message_state(reference.state, fate.scheduled_ms, store_.now_ms())) {
      case MessageState::kPending: fate.fate = Fate::kPending; break;
      case MessageState::kScheduled: fate.fate = Fate::kScheduled; break;
      case MessageState::kInDoubtAck: fate.fate = Fate::kInDoubtAck; break;
      case MessageState::kInDoubtSend: fate.fate = Fate::kInDoubtSend; break;
    }
    if (reference.state != Reference::State::kPending) {
      fate.tx_id = prepared_.of_reference(message.id, fate.queue_id);
      fate.outcome = Outcome::kPrepared;
    } else if (fate.queue == nullptr) {
      fate.fate = Fate::kUnbound;
    }
  }
}

void MessageTeller::hold(const VisitedEntry& entry) {
  MessageStory& story = *story_;
  story.held.assign(entry.entry.payload.begin(), entry.entry.payload.end());
  story.label = entry.label;
  Cursor cursor(story.held);
  LiveMessage live = paged_message(entry);
  live.file = story.label;
  live.message = paging::read_paged_message(cursor).message;
  story.content = live;
}

void MessageTeller::entry(const VisitedEntry& entry) {
  if (entry.paged.message.id() != story_->id) return;
  in_page_ = is_message_ = sent_ = true;
  hold(entry);
  for (const PagedReference& reference : entry.references) {
    QueueFate& fate = on_queue(reference.queue);
    fate.paged = true;
    fate.scheduled_ms = entry.facts.scheduled_ms;
    // As in the journal, what is in doubt is told in front of what is without a binding.
    const bool pending = reference.if_bound == PagedState::kPending;
    switch (pending ? reference.state : reference.if_bound) {
      case PagedState::kPending:
        fate.fate = fate.scheduled_ms > store_.now_ms() ? Fate::kScheduled : Fate::kPending;
        break;
      case PagedState::kConsumed: fate.fate = Fate::kAcknowledged; break;
      case PagedState::kInDoubtAck:
        fate.fate = Fate::kInDoubtAck;
        fate.tx_id = prepared_.of_paged(fate.queue_id, entry.page->number, entry.entry.number);
        fate.outcome = Outcome::kPrepared;
        break;
      case PagedState::kInDoubtSend:
        fate.fate = Fate::kInDoubtSend;
        fate.tx_id = prepared_.of_page_transaction(entry.paged.tx_id);
        fate.outcome = Outcome::kPrepared;
        break;
      case PagedState::kUncommitted:
        fate.fate = Fate::kNotSent;
        fate.tx_id = entry.paged.tx_id;
        fate.outcome = Outcome::kOpen;
        break;
      case PagedState::kUnbound: fate.fate = Fate::kUnbound; break;
    }
  }
}

// Puts what was found into one word.
void MessageTeller::settle() {
  MessageStory& story = *story_;
  const auto any = [&](auto... fates) {
    return std::ranges::any_of(
        story.queues, [&](const QueueFate& queue) { return ((queue.fate == fates) || ...); });
  };
  using State = MessageStory::State;
  if (in_journal_ || in_page_) {
    if (any(Fate::kPending, Fate::kScheduled)) {
      story.state = State::kLive;
    } else if (any(Fate::kInDoubtAck, Fate::kInDoubtSend)) {
      story.state = State::kInDoubt;
    } else if (in_page_ && any(Fate::kNotSent)) {
      story.state = State::kNotSent;
      story.tx_id = story.content->page_tx_id;
      story.outcome = Outcome::kOpen;
    } else {
      story.state = in_page_ ? State::kConsumed : State::kNoQueue;
    }
    return;
  }
  if (!sent_ && story.tx_id >= 0) story.state = State::kNotSent;
  for (QueueFate& queue : story.queues) {
    if (queue.fate == Fate::kPending || queue.fate == Fate::kScheduled) {
      queue.fate = Fate::kDeleted;
    }
  }
}

std::unique_ptr<MessageStory> MessageTeller::tell() {
  for (const StoryRecord& record : stories_.records()) {
    const bool is_own = journal::traits(record.kind).has_id && record.id == story_->id;
    if (record.journal == JournalKind::kMessages && is_own) take_record(record);
  }
  const Message* message = store_.model().find(story_->id);
  if (message != nullptr) {
    take_live(*message);
  } else if (!store_.page_stores().empty()) {
    NoFindings ignored;  // the message is asked about, not the pages
    visit_pages(store_, {}, *this, ignored);
  }
  if (!is_message_) return nullptr;
  settle();
  return std::move(story_);
}

// ---- copies
// ---------------------------------------------------------------------------------------

constexpr std::string_view kOrigMessageId = "_AMQ_ORIG_MESSAGE_ID";
constexpr std::string_view kOldOrigMessageId = "_HQ_ORIG_MESSAGE_ID";

std::string text_of(const message::TypedProperties& properties,
                    std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const auto value = properties.find(key);
    if (value && value->type == message::PropertyType::kString) return value->text.str();
  }
  return {};
}

class CopyFinder final : public MessageVisitor {
 public:
  explicit CopyFinder(const std::set<std::int64_t>& ids) : ids_(ids) {}

  bool message(const LiveMessage& message) override {
    const auto origin = origin_of(message.message);
    if (origin && ids_.contains(origin->message_id)) {
      found_.push_back({.original_id = origin->message_id,
                        .id = message.id,
                        .queue_id = message.queue_id,
                        .queue = message.queue});
    }
    return true;
  }
  // A copy has a higher id than what it was made from.
  bool wants_message(const Message& message) override { return message.id > *ids_.begin(); }
  [[nodiscard]] std::vector<LiveCopy> take() { return std::move(found_); }

 private:
  const std::set<std::int64_t>& ids_;
  std::vector<LiveCopy> found_;
};

// ---- user ids
// -------------------------------------------------------------------------------------

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos;
}

std::string normal_form(std::string_view user_id) {
  if (user_id.starts_with("ID:")) user_id.remove_prefix(3);
  std::string text(user_id);
  if (!is_hexadecimal(text)) return text;
  for (char& c : text) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Looks at every message that a journal or a page holds.
class UserIdFinder final : public RecordObserver, public PageVisitor {
 public:
  explicit UserIdFinder(std::string_view wanted) : wanted_(normal_form(wanted)) {}

  void record(JournalKind journal, const journal::Record& record, std::size_t /*file*/) override {
    if (journal != JournalKind::kMessages || record.is_update()) return;
    if (!journal::traits(record.kind).has_user_type || !holds_message(record.user_type)) return;
    Cursor cursor(record.body);
    const message::StoredMessage message = read_message_record(cursor, record.user_type);
    if (cursor.ok()) look(message, record.id);
  }
  void entry(const VisitedEntry& entry) override {
    look(entry.paged.message, entry.paged.message.id());
  }
  [[nodiscard]] std::set<std::int64_t> take() { return std::move(ids_); }

 private:
  void look(const message::StoredMessage& message, std::int64_t id) {
    const auto given = user_id(message);
    if (given && normal_form(*given) == wanted_) ids_.insert(id);
  }

  std::string wanted_;
  std::set<std::int64_t> ids_;
};

}  // namespace

std::string_view fate_name(Fate fate) {
  switch (fate) {
    case Fate::kPending: return "pending";
    case Fate::kScheduled: return "scheduled";
    case Fate::kInDoubtAck: return "prepared_ack";
    case Fate::kInDoubtSend: return "prepared_send";
    case Fate::kUnbound: return "unbound";
    case Fate::kAcknowledged: return "acknowledged";
    case Fate::kDeleted: return "deleted";
    case Fate::kNotSent: return "not_sent";
  }
  return "pending";
}

std::string_view state_name(MessageStory::State state) {
  switch (state) {
    case MessageStory::State::kLive: return "live";
    case MessageStory::State::kInDoubt: return "in_doubt";
    case MessageStory::State::kNoQueue: return "no_queue";
    case MessageStory::State::kConsumed: return "consumed";
    case MessageStory::State::kNotSent: return "not_sent";
    case MessageStory::State::kGone: return "gone";
  }
  return "gone";
}

std::unique_ptr<MessageStory> tell_message(const LoadedStore& store, const StoryCollector& stories,
                                           std::int64_t id) {
  return MessageTeller(store, stories, id).tell();
}

std::optional<Origin> origin_of(const message::StoredMessage& message) {
  message::TypedProperties properties;
  if (message.core) {
    properties = message.core->headers.properties;
  } else if (message.amqp && message.amqp->has_extra_properties) {
    Cursor cursor(message.amqp->extra_properties);
    properties = message::TypedProperties::read(cursor);
  }
  auto id = properties.find(kOrigMessageId);
  if (!id) id = properties.find(kOldOrigMessageId);
  if (!id || id->type != message::PropertyType::kLong) return std::nullopt;
  return Origin{.message_id = id->number,
                .queue = text_of(properties, {"_AMQ_ORIG_QUEUE", "_HQ_ORIG_QUEUE"}),
                .address = text_of(properties, {"_AMQ_ORIG_ADDRESS", "_HQ_ORIG_ADDRESS"})};
}

std::vector<LiveCopy> find_copies(const LoadedStore& store, const std::set<std::int64_t>& ids) {
  if (ids.empty()) return {};
  CopyFinder finder(ids);
  NoFindings ignored;  // other messages are not what was asked about
  visit_messages(store, finder, ignored);
  return finder.take();
}

std::set<std::int64_t> find_user_id(const LoadedStore& store, std::string_view user_id) {
  UserIdFinder finder(user_id);
  read_again(store, finder);
  NoFindings ignored;
  visit_pages(store, {}, finder, ignored);
  return finder.take();
}

}  // namespace saranga::store
