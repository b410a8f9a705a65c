#include "tools/show/message_lines.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "saranga/store/times.h"
#include "tools/cli/humanise.h"
#include "tools/cli/text_width.h"
#include "tools/list/message_json.h"
#include "tools/list/message_text.h"
#include "tools/print/amqp_text.h"

namespace saranga::show {
namespace {

namespace amqp = message::amqp;
using store::LiveMessage;

void add_line(std::string& out, std::string_view key, std::string_view value) {
  out += fmt::format("  {}: {}\n", key, cli::printable(value));
}

// What AMQP messages have besides what every message has.
constexpr std::array<std::pair<amqp::Property, std::string_view>, 7> kAmqpProperties = {{
    {amqp::Property::kTo, "to"},
    {amqp::Property::kSubject, "subject"},
    {amqp::Property::kReplyTo, "reply to"},
    {amqp::Property::kCorrelationId, "correlation id"},
    {amqp::Property::kContentType, "content type"},
    {amqp::Property::kGroupId, "group id"},
    {amqp::Property::kUserId, "user"},
}};

void add_amqp_lines(std::string& out, const amqp::Stored& stored) {
  const amqp::Properties properties = amqp::Message::of(stored).properties();
  for (const auto& [property, key] : kAmqpProperties) {
    const amqp::Value& value = properties[property];
    if (value.type() == amqp::Type::kNull) continue;
    TextBuffer text;
    print::append_amqp_value(text, value);
    add_line(out, key, text.view());
  }
}

std::string size_text(const LiveMessage& message, const list::MessageBody& body) {
  const auto size = list::body_size(message, body);
  if (!message.facts.large) return cli::human_bytes(size.value_or(0));
  if (!size) return fmt::format("in large-messages/{}.msg, which is not there", message.id);
  return fmt::format("{} in large-messages/{}", cli::human_bytes(*size), body.file->name);
}

std::string expiry_text(std::int64_t expiration_ms, std::int64_t now_ms) {
  return store::format_time(expiration_ms) + (expiration_ms < now_ms ? ", expired" : "");
}

}  // namespace

std::string message_lines(const LiveMessage& message, const list::MessageBody& body,
                          list::BodyDetail detail, std::int64_t now_ms) {
  const store::MessageFacts& facts = message.facts;
  std::string out;
  if (const auto address = message.message.address()) add_line(out, "address", address->str());
  add_line(out, "type",
           fmt::format("{} {}", message.message.amqp ? "amqp" : "core", list::body_kind(message)));
  if (const auto id = store::user_id(message.message)) add_line(out, "user id", *id);
  if (facts.timestamp_ms != 0) add_line(out, "sent", store::format_time(facts.timestamp_ms));
  if (facts.expiration_ms > 0) {
    add_line(out, "expires", expiry_text(facts.expiration_ms, now_ms));
  }
  add_line(out, "durable", facts.durable ? "yes" : "no");
  add_line(out, "priority", fmt::format("{}", facts.priority));
  if (message.message.amqp) add_amqp_lines(out, *message.message.amqp);
  const auto properties = list::property_entries(message.message);
  if (!properties.empty()) out += "  properties:\n";
  for (const auto& [name, value] : properties) {
    out += fmt::format("    {}: {}\n", cli::printable(name), cli::printable(value));
  }
  add_line(out, "body", size_text(message, body));
  const bool missing = body.where == list::MessageBody::Where::kMissing;
  if (!missing && detail != list::BodyDetail::kSummary) {
    out += list::body_lines(message, body, detail, "    ");
  }
  return out;
}

}  // namespace saranga::show
