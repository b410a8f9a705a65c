#include "tools/list/message_json.h"

#include <fmt/format.h>

#include "tools/print/amqp_json.h"
#include "tools/print/core_json.h"

namespace saranga::list {
namespace {

namespace amqp = message::amqp;

void write_place(cli::JsonWriter& json, const store::LiveMessage& message) {
  json.field("file", Text(message.file));
  json.field("offset", message.offset);
  json.field("length", std::uint64_t{message.length_bytes});
  if (!message.paged) return json.field("record_type", int{message.record_type});
  json.field("page_number", message.page);
  json.field("message_number", std::int64_t{message.page_index});
  json.field("page_tx", message.page_tx_id < 0 ? std::nullopt : std::optional(message.page_tx_id));
}

// What a Core message has in its headers, an AMQP message has in several places.
void write_amqp_common(cli::JsonWriter& json, const store::LiveMessage& message) {
  json.field("message_type", body_kind(message));
  json.field("timestamp_ms", message.facts.timestamp_ms);
  if (!message.message.amqp->expiration_ms) {
    json.field("expiration_ms", message.facts.expiration_ms);
  }
  const auto id = store::user_id(message.message);
  json.field("user_id", id ? std::optional(Text(*id)) : std::nullopt);
}

}  // namespace

void write_live_message(cli::JsonWriter& json, const store::LiveMessage& message,
                        const MessageBody& body, std::int64_t now_ms) {
  const store::MessageFacts& facts = message.facts;
  json.field("id", message.id);
  json.field("queue",
             message.queue == nullptr ? std::nullopt : std::optional(Text(message.queue->name)));
  json.field("queue_id", message.queue_id);
  json.field("address", message.message.address());
  json.field("state", store::state_name(message.state));
  json.field("tx", message.tx_id < 0 ? std::nullopt : std::optional(message.tx_id));
  json.field("delivery_count", std::int64_t{message.delivery_count});
  json.field("scheduled_ms",
             message.scheduled_ms == 0 ? std::nullopt : std::optional(message.scheduled_ms));
  json.field("expired", facts.expiration_ms > 0 && facts.expiration_ms < now_ms);
  json.field("paged", message.paged);
  write_place(json, message);
  if (facts.large) {
    json.field("body_bytes", body_size(message, body));
    const bool there = body.file != nullptr;
    json.field("body_file", there ? std::optional(fmt::format("large-messages/{}", body.file->name))
                                  : std::nullopt);
  }
  if (facts.damaged) json.field("damaged", true);
  if (message.message.amqp) {
    write_amqp_common(json, message);
    print::write_amqp_json(json, *message.message.amqp, BodyDetail::kNone);
  } else if (message.message.core) {
    print::write_core_json(json, *message.message.core, message.core_large, BodyDetail::kNone);
  } else {
    json.null_field("protocol");
  }
}

std::optional<std::uint64_t> body_size(const store::LiveMessage& message, const MessageBody& body) {
  if (!message.facts.large) return message.facts.body_bytes;
  return body.file == nullptr ? std::nullopt : std::optional(body.file->size_bytes);
}

std::string properties_json(const message::StoredMessage& message) {
  TextBuffer out;
  cli::JsonWriter json(out);
  if (message.core) {
    (void)print::write_properties_json(json, message.core->headers.properties);
    return out.str();
  }
  json.begin_object();
  if (message.amqp) {
    const amqp::Message scanned = amqp::Message::of(*message.amqp);
    auto entries = scanned.section(amqp::SectionKind::kApplicationProperties).value.elements();
    while (const auto entry = entries.next_entry()) {
      if (entry->key.type() != amqp::Type::kString) continue;
      json.key(entry->key.text());
      print::write_amqp_value_json(json, entry->value);
    }
  }
  json.end_object();
  return out.str();
}

std::string body_json(const MessageBody& body, BodyDetail detail) {
  using Where = MessageBody::Where;
  if (body.where == Where::kLongFile || body.where == Where::kMissing) return {};
  TextBuffer out;
  cli::JsonWriter json(out);
  json.begin_object();
  if (body.core) print::write_core_body_json(json, *body.core, detail);
  if (body.amqp) print::write_amqp_body_json(json, *body.amqp, detail);
  json.end_object();
  // {"body":{…}}
  std::string_view object = out.view();
  const std::size_t colon = object.find(':');
  if (colon == std::string_view::npos) return {};
  object.remove_prefix(colon + 1);
  object.remove_suffix(1);
  return std::string(object);
}

}  // namespace saranga::list
