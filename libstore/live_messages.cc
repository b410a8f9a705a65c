#include "saranga/store/live_messages.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "libstore/journal_message.h"
#include "libstore/paged_messages.h"
#include "libstore/prepared_index.h"
#include "saranga/bytes/base64.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

/// The pages of an address are read once a queue; what is wrong with a page is told the first time.
class PageFindings final : public FindingSink {
 public:
  explicit PageFindings(FindingSink& sink) : sink_(sink) {}

  void begin(std::int64_t queue) { queue_ = queue; }
  void finding(Finding finding) override {
    const auto [teller, fresh] = tellers_.try_emplace(finding.file, queue_);
    if (fresh || teller->second == queue_) sink_.finding(std::move(finding));
  }

 private:
  FindingSink& sink_;
  std::int64_t queue_ = 0;
  std::map<std::string, std::int64_t> tellers_;  // by file: the queue for which it was told
};

/// The walk over all queues.
class MessagesWalk {
 public:
  MessagesWalk(const LoadedStore& store, MessageVisitor& visitor, FindingSink& sink)
      : store_(store),
        visitor_(visitor),
        sink_(sink),
        reader_(store, sink),
        prepared_(store.model()) {}

  void walk();

 private:
  bool walk_references(std::int64_t queue_id, const bindings::Queue* queue,
                       std::span<const std::uint32_t> references);
  bool walk_pages(const bindings::Queue& queue);
  void walk_unbound_pages();
  bool visit_reference(std::uint32_t index, std::int64_t queue_id, const bindings::Queue* queue);

  const LoadedStore& store_;
  MessageVisitor& visitor_;
  FindingSink& sink_;
  JournalMessageReader reader_;
  PreparedIndex prepared_;
  PageFindings page_findings_{sink_};
  BoundPages bound_pages_;
};

void MessagesWalk::walk() {
  const Model& model = store_.model();
  const DeliveryOrder order(model);
  std::map<std::int64_t, std::size_t> queues;  // by id, value: index of references or none
  constexpr std::size_t kNoReferences = SIZE_MAX;
  for (const auto& [id, queue] : store_.catalog().queues()) queues.emplace(id, kNoReferences);
  for (std::size_t i = 0; i < model.queue_ids().size(); ++i) queues[model.queue_ids()[i]] = i;
  for (const auto& [id, index] : queues) {
    const bindings::Queue* queue = store_.catalog().queue(id);
    if (!visitor_.wants_queue(id, queue)) continue;
    if (index != kNoReferences && !walk_references(id, queue, order.of(index))) return;
    if (queue != nullptr && !walk_pages(*queue)) return;
  }
  if (visitor_.wants_unbound_pages()) walk_unbound_pages();
}

bool MessagesWalk::walk_references(std::int64_t queue_id, const bindings::Queue* queue,
                                   std::span<const std::uint32_t> references) {
  return std::ranges::all_of(
      references, [&](std::uint32_t index) { return visit_reference(index, queue_id, queue); });
}

bool MessagesWalk::visit_reference(std::uint32_t index, std::int64_t queue_id,
                                   const bindings::Queue* queue) {
  const Model& model = store_.model();
  const Reference& reference = model.references()[index];
  const Message& message = model.messages()[reference.message];
  if (!visitor_.wants_message(message)) return true;
  auto read = reader_.read(message);
  if (!read) return true;
  LiveMessage& live = *read;
  live.queue_id = queue_id;
  live.queue = queue;
  const ReferenceExtra extra = model.extra(index);
  live.delivery_count = extra.delivery_count;
  // A schedule that was recorded for this queue wins over the message's own.
  live.scheduled_ms = extra.scheduled_ms != 0 ? extra.scheduled_ms : live.facts.scheduled_ms;
  live.state = message_state(reference.state, live.scheduled_ms, store_.now_ms());
  if (reference.state != Reference::State::kPending) {
    live.tx_id = prepared_.of_reference(live.id, queue_id);
  }
  return visitor_.message(live);
}

constexpr std::size_t kUuidBytes = 16;

// AMQP has four types for it; bytes become hexadecimal digits. Nothing for other types.
void append_message_id(TextBuffer& out, const message::amqp::Value& id) {
  using message::amqp::Type;
  switch (id.type()) {
    case Type::kString:
    case Type::kSymbol: return id.text().append_to(out);
    case Type::kUlong: return out.put_unsigned(id.unsigned_number());
    case Type::kBinary: return append_hex(out, id.bytes());
    case Type::kUuid:
      if (id.bytes().size() == kUuidBytes) append_uuid(out, id.bytes());
      return;
    default: return;
  }
}

bool MessagesWalk::walk_pages(const bindings::Queue& queue) {
  PagedMessages paged(store_, queue, prepared_, visitor_, bound_pages_);
  page_findings_.begin(queue.id);
  visit_pages(store_, queue.address, paged, page_findings_);
  return !paged.done();
}

void MessagesWalk::walk_unbound_pages() {
  UnboundPagedMessages paged(store_, prepared_, visitor_, bound_pages_);
  page_findings_.begin(INT64_MIN);
  visit_pages(store_, {}, paged, page_findings_);
}

}  // namespace

std::string_view state_name(MessageState state) {
  switch (state) {
    case MessageState::kPending: return "pending";
    case MessageState::kScheduled: return "scheduled";
    case MessageState::kInDoubtAck: return "prepared_ack";
    case MessageState::kInDoubtSend: return "prepared_send";
  }
  return "pending";
}

std::int8_t encoded_type(const LiveMessage& message) {
  if (!message.paged) return message.record_type;
  if (message.core_large) return message::kAddLargeMessage;
  const auto& core = message.message.core;
  return core && core->old_layout ? message::kAddMessage : message::kAddMessageProtocol;
}

std::optional<std::string> user_id(const message::StoredMessage& message) {
  TextBuffer text;
  if (message.core) {
    if (message.core->headers.user_id.size() != kUuidBytes) return std::nullopt;
    append_uuid(text, message.core->headers.user_id);
  } else if (message.amqp) {
    using message::amqp::Property;
    const auto properties = message::amqp::Message::of(*message.amqp).properties();
    append_message_id(text, properties[Property::kMessageId]);
  }
  if (text.empty()) return std::nullopt;
  return text.str();
}

void visit_messages(const LoadedStore& store, MessageVisitor& visitor, FindingSink& sink) {
  MessagesWalk(store, visitor, sink).walk();
}

}  // namespace saranga::store
