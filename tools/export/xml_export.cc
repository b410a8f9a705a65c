#include "tools/export/xml_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/bytes/base64.h"
#include "saranga/message/stored_message.h"
#include "tools/export/scope_losses.h"
#include "tools/print/java_text.h"

namespace saranga::exporting {
namespace {

using message::CoreType;
using message::PropertyType;
using message::PropertyValue;
using store::MessageState;

constexpr std::string_view kNull = "_AMQ_NULL";
// As many body bytes as Artemis puts into one CDATA section.
constexpr std::size_t kPieceBytes = 1000;
constexpr std::size_t kPiecesAtOnce = 256;
// A body of an AMQP message in a file is converted as a whole.
constexpr std::uint64_t kLongestConverted = std::uint64_t{1} << 30;

std::string_view type_name(CoreType type) {
  switch (type) {
    case CoreType::kObject: return "object";
    case CoreType::kText: return "text";
    case CoreType::kBytes: return "bytes";
    case CoreType::kMap: return "map";
    case CoreType::kStream: return "stream";
    default: return "default";
  }
}

/// Null when Artemis writes no type, which makes its import drop the property.
const char* property_type(PropertyType type) {
  switch (type) {
    case PropertyType::kBoolean: return "boolean";
    case PropertyType::kByte: return "byte";
    case PropertyType::kNull:
    case PropertyType::kBytes: return "bytes";
    case PropertyType::kShort: return "short";
    case PropertyType::kInt: return "integer";
    case PropertyType::kLong: return "long";
    case PropertyType::kFloat: return "float";
    case PropertyType::kDouble: return "double";
    case PropertyType::kString: return "simple-string";
    case PropertyType::kChar: return nullptr;
  }
  return nullptr;
}

}  // namespace

void XmlExport::text_attribute(std::string_view name, std::string_view value) {
  if (!xml_.attribute(name, value)) {
    losses_.add("values with characters that XML has not: only saranga's import gives them back");
  }
}

Result<void> XmlExport::begin(const ExportScope& scope) {
  xml_.begin("activemq-journal");
  xml_.begin("bindings");
  for (const bindings::Address* known : scope.addresses) address(*known);
  for (const bindings::Queue* known : scope.queues) queue(*known);
  xml_.end();
  xml_.begin("messages");
  count_scope_losses(store_, scope, {.format = "XML", .queue_settings = {}}, losses_);
  return {};
}

void XmlExport::address(const bindings::Address& address) {
  std::string types;
  for (const std::string& type : address.routing_types) {
    if (!types.empty()) types += ',';
    types += type;
  }
  xml_.begin_empty("address-binding");
  text_attribute("routing-types", types);
  text_attribute("name", address.name);
  xml_.attribute("id", address.id);
  xml_.end_empty();
}

void XmlExport::queue(const bindings::Queue& queue) {
  xml_.begin_empty("queue-binding");
  text_attribute("address", queue.address);
  text_attribute("filter-string", queue.filter.value_or(""));
  text_attribute("name", queue.name);
  xml_.attribute("id", queue.id);
  text_attribute("routing-type", queue.routing_type);
  xml_.end_empty();
}

Result<void> XmlExport::end(const ExportCounts& /*counts*/) {
  xml_.end();
  xml_.end();
  return {};
}

void XmlExport::message(const store::LiveMessage& message,
                        std::span<const store::MessageOnQueue> queues, bool /*more*/) {
  count_losses(message, queues);
  if (message.message.core) {
    core(message, queues);
  } else if (message.message.amqp) {
    amqp(message, queues);
  } else {
    losses_.add("messages of a kind that is not known: left out");
  }
}

void XmlExport::count_losses(const store::LiveMessage& message,
                             std::span<const store::MessageOnQueue> queues) {
  for (const store::MessageOnQueue& on : queues) {
    if (on.state == MessageState::kInDoubtAck) {
      losses_.add("acknowledgements of prepared transactions: the messages come back");
    }
    if (on.delivery_count != 0) losses_.add("delivery counts");
    if (on.scheduled_ms != 0 && on.scheduled_ms != message.facts.scheduled_ms) {
      losses_.add("delivery times that the broker has set");
    }
  }
  const bindings::Queue* queue = queues.front().queue;
  const auto address = message.message.address();
  if (queue != nullptr && address && address->str() != queue->address) {
    losses_.add("addresses other than that of the queue, which an import takes");
  }
  if (!message.facts.durable) losses_.add("messages that are not durable: an import makes them so");
  if (message.facts.amqp) losses_.add("AMQP messages: they become Core messages");
}

// ---- Core ---------------------------------------------------------------------------------------

void XmlExport::core(const store::LiveMessage& message,
                     std::span<const store::MessageOnQueue> queues) {
  const message::CoreMessage& core = *message.message.core;
  const message::CoreHeaders& headers = core.headers;
  head(message.id, {.type = headers.type,
                    .expiration_ms = headers.expiration_ms,
                    .timestamp_ms = headers.timestamp_ms,
                    .priority = headers.priority,
                    .user_id = headers.user_id});
  if (headers.type == CoreType::kEmbedded || headers.type == CoreType::kLargeEmbedded) {
    losses_.add("AMQP messages inside of Core messages: their type becomes default");
  }
  xml_.begin("properties");
  message::TypedProperties::Iterator each(headers.properties);
  while (const auto entry = each.next()) property(entry->key, entry->value);
  xml_.end();
  queue_names(queues);
  xml_.begin("body");
  if (message.core_large) {
    large_body(message);
  } else {
    xml_.base64_cdata(core.body);
  }
  xml_.end();
  xml_.end();
}

void XmlExport::head(std::int64_t id, const Head& head) {
  xml_.begin("message");
  xml_.attribute("id", id);
  xml_.attribute("priority", std::int64_t{static_cast<std::int8_t>(head.priority)});
  xml_.attribute("expiration", head.expiration_ms);
  xml_.attribute("timestamp", head.timestamp_ms);
  (void)xml_.attribute("type", type_name(head.type));
  constexpr std::size_t kUuidBytes = 16;
  if (head.user_id.size() == kUuidBytes) {
    scratch_.clear();
    append_uuid(scratch_, head.user_id);
    (void)xml_.attribute("user-id", scratch_.view());
  }
}

void XmlExport::property(const Text& key, const PropertyValue& value) {
  xml_.begin_empty("property");
  scratch_.clear();
  key.append_to(scratch_);
  text_attribute("name", scratch_.view());
  property_value(value);
  if (const char* type = property_type(value.type); type != nullptr) {
    (void)xml_.attribute("type", std::string_view(type));
  } else {
    (void)xml_.attribute("x-type", std::string_view("char"));
    losses_.add("properties of type char: only saranga's import takes them");
  }
  xml_.end_empty();
}

void XmlExport::property_value(const PropertyValue& value) {
  scratch_.clear();
  switch (value.type) {
    case PropertyType::kNull: scratch_.put(kNull); break;
    case PropertyType::kBoolean: scratch_.put_boolean(value.number != 0); break;
    case PropertyType::kFloat: print::append_java_float(scratch_, value.as_float()); break;
    case PropertyType::kDouble: print::append_java_double(scratch_, value.as_double()); break;
    case PropertyType::kBytes: append_base64(scratch_, value.bytes, Base64Alphabet::kUrl); break;
    case PropertyType::kChar:
      append_code_point(scratch_, static_cast<std::uint32_t>(value.number) & 0xFFFF);
      break;
    case PropertyType::kString: value.text.append_to(scratch_); break;
    default: scratch_.put_int(value.number);
  }
  text_attribute("value", scratch_.view());
  // A text that an import takes for null.
  if (value.type == PropertyType::kString && scratch_.view() == kNull) {
    xml_.utf16_attribute("value", kNull);
    losses_.add("texts that are _AMQ_NULL: Artemis' import makes null of them");
  }
}

void XmlExport::queue_names(std::span<const store::MessageOnQueue> queues) {
  xml_.begin("queues");
  for (const store::MessageOnQueue& on : queues) {
    xml_.begin_empty("queue");
    text_attribute("name", on.queue != nullptr
                               ? on.queue->name
                               : fmt::format("{}{}", options_.undefined_prefix, on.queue_id));
    xml_.end_empty();
  }
  xml_.end();
}

void XmlExport::report_body(const store::LiveMessage& message, std::string_view code,
                            std::string text) {
  sink_.finding({.code = code,
                 .severity = Severity::kDamage,
                 .file = std::string(message.file),
                 .offset = message.offset,
                 .length_bytes = message.length_bytes,
                 .id = message.id,
                 .text = std::move(text)});
}

void XmlExport::large_body(const store::LiveMessage& message) {
  (void)xml_.attribute("isLarge", std::string_view("true"));
  const message::LargeFile* found = store_.large_file(message.id);
  if (found == nullptr) {
    return report_body(message, "large-body-missing",
                       fmt::format("the body of large message {} is not there; it is exported "
                                   "without one",
                                   message.id));
  }
  const auto file = store_.parts().large_messages->open(found->name);
  piece_.resize(kPieceBytes * kPiecesAtOnce);
  for (std::uint64_t at = 0; file && !output_.failed();) {
    const auto got = (*file)->read_at(at, piece_);
    if (!got) {
      return report_body(message, "file-unreadable", got.error().message());
    }
    for (std::size_t i = 0; i < *got; i += kPieceBytes) {
      xml_.base64_cdata(Bytes(piece_).subspan(i, std::min(kPieceBytes, *got - i)));
    }
    if (*got < piece_.size()) return;
    at += *got;
  }
  if (!file) report_body(message, "file-unreadable", file.error().message());
}

// ---- AMQP ---------------------------------------------------------------------------------------

void XmlExport::amqp(const store::LiveMessage& message,
                     std::span<const store::MessageOnQueue> queues) {
  message::ConversionInput input{.stored = &*message.message.amqp,
                                 .now_ms = store_.now_ms(),
                                 .expiration_ms = message.facts.expiration_ms,
                                 .priority = message.facts.priority,
                                 .durable = message.facts.durable};
  std::vector<std::byte> body;
  if (input.stored->is_large()) {
    const message::LargeFile* found = store_.large_file(message.id);
    auto content = found == nullptr
                       ? Result<std::vector<std::byte>>(std::unexpected(
                             Error{.text = "there is no such file; it is exported without body"}))
                       : read_whole(*store_.parts().large_messages, found->name, kLongestConverted);
    if (content) {
      body = std::move(*content);
      input.large_body = body;
      if (message::amqp::Message::scan(body).problem() != nullptr) {
        losses_.add("AMQP messages whose file is cut or damaged: without the section that ends it");
      }
    } else {
      report_body(
          message, found == nullptr ? "large-body-missing" : "file-unreadable",
          fmt::format("the body of large message {}: {}", message.id, content.error().message()));
    }
  }
  const message::ConvertedMessage converted(input);
  for (const std::string_view loss : converted.losses()) losses_.add(loss);
  const message::NewCoreMessage& core = converted.message();
  head(message.id, {.type = core.type,
                    .expiration_ms = core.expiration_ms,
                    .timestamp_ms = core.timestamp_ms,
                    .priority = core.priority,
                    .user_id = core.user_id ? Bytes(*core.user_id) : Bytes{}});
  xml_.begin("properties");
  for (const message::NewProperty& entry : core.properties) property(entry.key, entry.value);
  xml_.end();
  queue_names(queues);
  xml_.begin("body");
  xml_.base64_cdata(core.body);
  xml_.end();
  xml_.end();
}

}  // namespace saranga::exporting
