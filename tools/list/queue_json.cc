#include "tools/list/queue_json.h"

#include <optional>
#include <string>
#include <string_view>

namespace saranga::list {
namespace {

using store::AddressSummary;
using store::MessageTotals;
using store::QueueSummary;

// A time that no message gives is null.
void write_time(cli::JsonWriter& json, std::string_view name, std::int64_t time_ms) {
  json.field(name, time_ms == 0 ? std::nullopt : std::optional(time_ms));
}

void write_text(cli::JsonWriter& json, std::string_view name,
                const std::optional<std::string>& text) {
  json.field(name, text ? std::optional(Text(*text)) : std::nullopt);
}

}  // namespace

std::uint64_t prepared_count(const MessageTotals& totals) {
  return totals.prepared_acks + totals.prepared_sends;
}

void write_totals(cli::JsonWriter& json, const MessageTotals& totals) {
  json.field("message_count", totals.messages);
  json.field("scheduled_count", totals.scheduled);
  json.field("prepared_count", prepared_count(totals));
  json.field("paged_count", totals.paged);
  json.field("body_bytes", totals.body_bytes);
  json.field("prepared_ack_count", totals.prepared_acks);
  json.field("prepared_send_count", totals.prepared_sends);
  json.field("delivered_count", totals.delivered);
  json.field("expired_count", totals.expired);
  json.field("large_count", totals.large);
}

void write_queue(cli::JsonWriter& json, const QueueSummary& summary, bool paging) {
  const bindings::Queue* queue = summary.queue;
  json.field("id", summary.id);
  if (queue == nullptr) {
    json.null_field("name");
    write_text(json, "address",
               summary.address.empty() ? std::nullopt : std::optional(summary.address));
    for (const char* name : {"routing_type", "filter", "durable", "paused"}) json.null_field(name);
  } else {
    json.field("name", Text(queue->name));
    json.field("address", Text(queue->address));
    json.field("routing_type", Text(queue->routing_type));
    write_text(json, "filter", queue->filter);
    json.field("durable", true);  // others have no binding record
    json.field("paused", summary.paused);
  }
  write_totals(json, summary.totals);
  write_time(json, "oldest_ms", summary.totals.oldest_ms);
  write_time(json, "newest_ms", summary.totals.newest_ms);
  json.field("orphan", queue == nullptr);
  json.field("paging", paging);
  if (queue == nullptr) return;
  json.field("internal", queue->internal);
  json.field("auto_created", queue->auto_created);
  json.field("exclusive", queue->exclusive);
  json.field("last_value", queue->last_value);
  json.field("non_destructive", queue->non_destructive);
  json.field("ring_size", queue->ring_size);
  write_text(json, "user", queue->user);
}

void write_address(cli::JsonWriter& json, const AddressSummary& summary) {
  const bindings::Address* address = summary.address;
  json.field("id", address == nullptr ? std::nullopt : std::optional(address->id));
  json.field("name", Text(summary.name));
  json.key("routing_types");
  json.begin_array();
  if (address != nullptr) {
    for (const std::string& type : address->routing_types) json.value(type);
  }
  json.end_array();
  json.field("recorded", address != nullptr);
  json.field("paused", address != nullptr && address->paused);
  json.field("internal", address != nullptr && address->internal);
  json.field("auto_created", address != nullptr && address->auto_created);
  json.field("queue_count", summary.queues);
  write_totals(json, summary.totals);
  json.field("paging", summary.pages != 0);
  json.field("page_count", summary.pages);
  json.field("page_bytes", summary.page_bytes);
}

}  // namespace saranga::list
