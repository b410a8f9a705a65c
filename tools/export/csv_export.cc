#include "tools/export/csv_export.h"

#include "tools/cli/json_writer.h"
#include "tools/export/scope_losses.h"
#include "tools/list/message_json.h"

namespace saranga::exporting {
namespace {

using store::LiveMessage;
using store::MessageOnQueue;

}  // namespace

Result<void> CsvExport::begin(const ExportScope& /*scope*/) {
  for (const char* name : {"id", "address", "queues", "protocol", "message_type", "durable",
                           "priority", "timestamp_ms", "expiration_ms", "user_id", "paged", "large",
                           "body_bytes", "properties", "body"}) {
    csv_.text(name);
  }
  csv_.end_row();
  return {};
}

void CsvExport::message(const LiveMessage& message, std::span<const MessageOnQueue> queues,
                        bool /*more*/) {
  const store::MessageFacts& facts = message.facts;
  const auto address = message.message.address();
  csv_.number(message.id);
  csv_.nullable(address ? std::optional(address->str()) : std::nullopt);
  queue_list(queues);
  csv_.text(message.message.amqp ? "amqp" : "core");
  csv_.text(list::body_kind(message));
  csv_.truth(facts.durable);
  csv_.number(std::int64_t{facts.priority});
  csv_.number(facts.timestamp_ms);
  csv_.number(facts.expiration_ms);
  csv_.nullable(store::user_id(message.message));
  csv_.truth(message.paged);
  csv_.truth(facts.large);
  body(message);
  csv_.end_row();
  if (message.message.amqp) {
    count_amqp_losses(message::amqp::Message::of(*message.message.amqp), losses_);
  }
  constexpr std::size_t kEnough = std::size_t{256} << 10;
  if (output_.buffer().size() >= kEnough) output_.flush();
}

void CsvExport::queue_list(std::span<const MessageOnQueue> queues) {
  scratch_.clear();
  cli::JsonWriter json(scratch_);
  json.begin_array();
  for (const MessageOnQueue& on : queues) {
    json.begin_object();
    json.field("queue", on.queue == nullptr ? std::nullopt : std::optional(Text(on.queue->name)));
    json.field("queue_id", on.queue_id);
    json.field("state", store::state_name(on.state));
    json.field("tx", on.tx_id < 0 ? std::nullopt : std::optional(on.tx_id));
    json.field("delivery_count", int{on.delivery_count});
    json.field("scheduled_ms",
               on.scheduled_ms == 0 ? std::nullopt : std::optional(on.scheduled_ms));
    json.end_object();
  }
  json.end_array();
  csv_.text(scratch_.view());
}

// A text as it is, every other body as JSON.
void CsvExport::body(const LiveMessage& message) {
  const list::MessageBody body = bodies_.read(message);
  if (const auto size = list::body_size(message, body)) {
    csv_.number(*size);
  } else {
    csv_.nothing();
  }
  csv_.text(list::properties_json(message.message));
  using Where = list::MessageBody::Where;
  if (body.where == Where::kLongFile) {
    losses_.add("bodies longer than 16 MiB: left out");
    return csv_.nothing();
  }
  if (body.where == Where::kMissing) return csv_.nothing();
  const auto text = list::plain_text(body);
  if (text) return csv_.text(*text);
  csv_.text(list::body_json(body, list::BodyDetail::kFull));
}

Result<void> CsvExport::end(const ExportCounts& /*counts*/) {
  if (csv_.replaced() != 0) {
    losses_.add("fields with characters that are no text, which become U+FFFD", csv_.replaced());
  }
  return {};
}

}  // namespace saranga::exporting
