#include "saranga/message/core_conversion.h"

#include <algorithm>
#include <utility>

#include "libmessage/amqp/core_body.h"
#include "libmessage/amqp/core_value.h"
#include "saranga/bytes/base64.h"

namespace saranga::message {

using Field = amqp::Property;
using amqp::SectionKind;
using amqp::Type;
using amqp::Value;

namespace {

constexpr std::string_view kScheduled = "_AMQ_SCHED_DELIVERY";
constexpr std::string_view kIngress = "_AMQ_INGRESS_TIMESTAMP";
constexpr std::string_view kRoutingType = "_AMQ_ROUTING_TYPE";
constexpr std::string_view kIdPrefix = "ID:";
// Destination types of annotations, as JMS clients set them.
constexpr std::int64_t kTopic = 1;
constexpr std::int64_t kTemporaryTopic = 3;

// Properties that JMS and Core name differently.
std::string_view core_name(std::string_view key) {
  if (key == "JMSXGroupID") return "_AMQ_GROUP_ID";
  if (key == "JMSXGroupSeq") return "_AMQ_GROUP_SEQUENCE";
  if (key == "JMSXUserID") return "_AMQ_VALIDATED_USER";
  return key;
}

std::string upper_hex(Bytes bytes) {
  TextBuffer out;
  append_hex(out, bytes);
  std::string text = out.str();
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

// Whether a text could be taken for an id of another type in its textual form.
bool looks_typed(std::string_view id) {
  constexpr std::string_view kPrefixes[] = {
      "AMQP_UUID:", "AMQP_ULONG:", "AMQP_STRING:", "AMQP_BINARY:", "AMQP_NO_PREFIX:"};
  id.remove_prefix(kIdPrefix.size());
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return id.starts_with(prefix); });
}

// A message-id or correlation-id that is no string; empty when AMQP does not allow its type there.
std::string typed_id(const Value& id) {
  switch (id.type()) {
    case Type::kUuid:
      return id.bytes().size() == 16 ? "ID:AMQP_UUID:" + amqp::uuid_text(id.bytes())
                                     : std::string();
    case Type::kUlong: return "ID:AMQP_ULONG:" + std::to_string(id.unsigned_number());
    case Type::kBinary: return "ID:AMQP_BINARY:" + upper_hex(id.bytes());
    default: return {};
  }
}

bool is_string(const Value& value) {
  return value.type() == Type::kString || value.type() == Type::kSymbol;
}

// Artemis makes a random one; this one is the same for the same text.
std::array<std::byte, 16> derived_uuid(std::string_view text) {
  std::uint64_t halves[2] = {0xcbf29ce484222325, 0x84222325cbf29ce4};  // FNV-1a, two of them
  for (const char c : text) {
    for (std::uint64_t& half : halves) {
      half = (half ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    halves[1] = halves[1] << 1 | halves[1] >> 63;
  }
  std::array<std::byte, 16> uuid{};
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    uuid[i] = static_cast<std::byte>(halves[i / 8] >> (i % 8 * 8));
  }
  uuid[6] = (uuid[6] & std::byte{0x0F}) | std::byte{0x80};  // version 8: made as one likes
  uuid[8] = (uuid[8] & std::byte{0x3F}) | std::byte{0x80};
  return uuid;
}

}  // namespace

/// One conversion. Later properties of the same name replace earlier ones, as in a Java map.
class CoreConversion {
 public:
  CoreConversion(const ConversionInput& input, ConvertedMessage& result)
      : input_(input),
        result_(result),
        record_(amqp::Message::of(*input.stored)),
        whole_(input.stored->is_large() ? amqp::Message::scan(input.large_body) : record_) {}

  void run();

 private:
  void take_header();
  void take_annotations();
  void take_application_properties();
  void take_properties(const amqp::Properties& properties);
  void take_message_id(const Value& id);
  void take_correlation_id(const Value& id);
  void take_reply_to(const Value& address);
  void take_footer();
  void take_extra_properties();
  void take_routing_type();

  /// Annotations and footers that Core cannot hold stay as encoded AMQP, under the second name.
  void set_or_keep(std::string key, std::string encoded_key, const Value& value);
  void set(std::string_view key, PropertyValue value);
  void set_text(std::string_view key, const Value& value) {
    if (is_string(value)) set(key, string_value(value.text()));
  }
  [[nodiscard]] std::string_view keep(std::string text) {
    return result_.texts_.emplace_back(std::move(text));
  }
  void lose(std::string_view what) {
    if (std::ranges::find(result_.losses_, what) == result_.losses_.end()) {
      result_.losses_.push_back(what);
    }
  }
  [[nodiscard]] std::optional<std::int64_t> annotation_number(std::string_view key) const {
    const auto value = record_.annotation(key);
    if (!value) return std::nullopt;
    return value->type() == Type::kTimestamp ? value->signed_number() : value->integer();
  }

  const ConversionInput& input_;
  ConvertedMessage& result_;
  amqp::Message record_;  // of the record: its sections win over those of a file
  amqp::Message whole_;   // with the body
};

void CoreConversion::set(std::string_view key, PropertyValue value) {
  auto& properties = result_.message_.properties;
  const auto present = std::ranges::find_if(
      properties, [&](const NewProperty& property) { return as_text(property.key.raw()) == key; });
  if (present != properties.end()) {
    present->value = value;
  } else {
    properties.push_back({.key = Text(key), .value = value});
  }
}

void CoreConversion::set_or_keep(std::string key, std::string encoded_key, const Value& value) {
  if (auto known = amqp::core_value(value, result_.texts_)) {
    // Only these two have no place among the types of properties that Artemis takes here.
    if (value.type() != Type::kTimestamp && value.type() != Type::kUuid) {
      return set(keep(std::move(key)), known->value);
    }
  }
  set(keep(std::move(encoded_key)), bytes_value(as_bytes(keep(value.encoded()))));
}

void CoreConversion::take_header() {
  // The record of a large message repeats less of it than the file has.
  const amqp::Message& from = whole_.section(SectionKind::kHeader).present ? whole_ : record_;
  if (!from.section(SectionKind::kHeader).present) return;
  const amqp::Header header = from.header();
  set("JMS_AMQP_HEADER", boolean_value(true));
  if (header.durable) set("JMS_AMQP_HEADERDURABLE", boolean_value(true));
  if (header.priority) set("JMS_AMQP_HEADERPRIORITY", boolean_value(true));
  if (header.first_acquirer) set("JMS_AMQP_FirstAcquirer", boolean_value(*header.first_acquirer));
  // AMQP counts failed deliveries, JMS all of them.
  if (header.delivery_count) {
    set("JMSXDeliveryCount", long_value(std::int64_t{*header.delivery_count} + 1));
  }
}

void CoreConversion::take_annotations() {
  const amqp::Section& section = record_.section(SectionKind::kMessageAnnotations);
  if (!section.present) return;
  amqp::Elements elements = section.value.elements();
  while (const auto entry = elements.next_entry()) {
    const std::string key = is_string(entry->key) ? entry->key.text().str() : entry->key.encoded();
    const auto number = entry->value.type() == Type::kTimestamp
                            ? std::optional(entry->value.signed_number())
                            : entry->value.integer();
    if (number && key == "x-opt-delivery-time") set(kScheduled, long_value(*number));
    if (number && key == "x-opt-delivery-delay" && *number > 0) {
      set(kScheduled, long_value(input_.now_ms + *number));
    }
    if (number && key == "x-opt-ingress-time") set(kIngress, long_value(*number));
    set_or_keep("JMS_AMQP_MA_" + key, "JMS_AMQP_ENCODED_MA_" + key, entry->value);
  }
}

void CoreConversion::take_application_properties() {
  const amqp::Section& section = record_.section(SectionKind::kApplicationProperties);
  if (!section.present) return;
  amqp::Elements elements = section.value.elements();
  while (const auto entry = elements.next_entry()) {
    if (!is_string(entry->key)) {
      lose("application properties whose name is no text");
      continue;
    }
    const std::string_view key = core_name(keep(entry->key.text().str()));
    if (auto known = amqp::core_value(entry->value, result_.texts_)) {
      if (known->inexact) lose("types of application properties");
      set(key, known->value);
    } else {
      lose("application properties of types that Core has not: their AMQP encoding is kept");
      set(key, bytes_value(as_bytes(keep(entry->value.encoded()))));
    }
  }
}

void CoreConversion::take_message_id(const Value& id) {
  std::string text = typed_id(id);
  if (is_string(id)) {
    text = id.text().str();
    if (!text.starts_with(kIdPrefix)) {
      text = "ID:AMQP_NO_PREFIX:" + text;
    } else if (looks_typed(text)) {
      text = "ID:AMQP_STRING:" + text;
    }
  }
  if (text.empty()) return;
  if (id.type() == Type::kUuid) {
    std::array<std::byte, 16> uuid{};
    std::ranges::copy(id.bytes(), uuid.begin());
    result_.message_.user_id = uuid;
  } else {
    result_.message_.user_id = derived_uuid(text);
  }
  set("NATIVE_MESSAGE_ID", string_value(Text(keep(std::move(text)))));
}

void CoreConversion::take_correlation_id(const Value& id) {
  constexpr std::string_view kKey = "JMSCorrelationID";
  if (id.type() == Type::kBinary) return set(kKey, bytes_value(id.bytes()));
  std::string text = typed_id(id);
  if (is_string(id)) {
    text = id.text().str();
    if (text.starts_with(kIdPrefix) && looks_typed(text)) text = "ID:AMQP_STRING:" + text;
  }
  if (is_string(id) || !text.empty()) set(kKey, string_value(Text(keep(std::move(text)))));
}

void CoreConversion::take_reply_to(const Value& address) {
  if (!is_string(address)) return;
  constexpr std::string_view kPrefixes[] = {"queue://", "topic://", "temp-queue://",
                                            "temp-topic://"};
  const std::int64_t type = annotation_number("x-opt-jms-reply-to").value_or(0);
  const std::size_t index = type >= 0 && type < 4 ? static_cast<std::size_t>(type) : 0;
  set("JMSReplyTo", string_value(Text(keep(std::string(kPrefixes[index]) + address.text().str()))));
}

void CoreConversion::take_properties(const amqp::Properties& properties) {
  take_message_id(properties[Field::kMessageId]);
  if (const Value& user = properties[Field::kUserId]; user.type() == Type::kBinary) {
    set("_AMQ_VALIDATED_USER", string_value(Text(as_text(user.bytes()))));
  }
  set_text("JMSType", properties[Field::kSubject]);
  take_reply_to(properties[Field::kReplyTo]);
  take_correlation_id(properties[Field::kCorrelationId]);
  set_text("JMS_AMQP_ContentType", properties[Field::kContentType]);
  set_text("JMS_AMQP_ContentEncoding", properties[Field::kContentEncoding]);
  if (const Value& created = properties[Field::kCreationTime];
      created.type() == Type::kTimestamp) {
    result_.message_.timestamp_ms = created.signed_number();
  }
  set_text("_AMQ_GROUP_ID", properties[Field::kGroupId]);
  if (const auto sequence = properties[Field::kGroupSequence].integer()) {
    set("_AMQ_GROUP_SEQUENCE", int_value(static_cast<std::int32_t>(*sequence)));
  }
  set_text("JMS_AMQP_ReplyToGroupID", properties[Field::kReplyToGroupId]);
  if (const Value& expiry = properties[Field::kAbsoluteExpiryTime];
      expiry.type() == Type::kTimestamp) {
    result_.message_.expiration_ms = expiry.signed_number();
  }
}

void CoreConversion::take_footer() {
  const amqp::Section& section = whole_.section(SectionKind::kFooter);
  if (!section.present) return;
  amqp::Elements elements = section.value.elements();
  while (const auto entry = elements.next_entry()) {
    const std::string key = is_string(entry->key) ? entry->key.text().str() : entry->key.encoded();
    set_or_keep("JMS_AMQP_FT_" + key, "JMS_AMQP_ENCODED_FT_" + key, entry->value);
  }
}

// What the broker itself has noted, e.g. where an expired message came from.
void CoreConversion::take_extra_properties() {
  if (!input_.stored->has_extra_properties) return;
  Cursor cursor(input_.stored->extra_properties);
  TypedProperties::Iterator each(TypedProperties::read(cursor));
  while (const auto property = each.next()) {
    if (property->key.equals(amqp::kAddressProperty)) continue;
    set(keep(property->key.str()), property->value);
  }
}

void CoreConversion::take_routing_type() {
  std::optional<std::int64_t> type = annotation_number("x-opt-routing-type");
  if (!type) {
    const auto destination = annotation_number("x-opt-jms-dest");
    if (!destination) return;
    type = *destination == kTopic || *destination == kTemporaryTopic ? 0 : 1;
  }
  set(kRoutingType, byte_value(static_cast<std::int8_t>(*type)));
}

void CoreConversion::run() {
  NewCoreMessage& message = result_.message_;
  message.id = input_.stored->message_id;
  message.address = amqp::effective_address(*input_.stored, record_);
  message.durable = input_.durable;
  message.priority = input_.priority;
  message.expiration_ms = input_.expiration_ms;
  const amqp::Properties properties = record_.properties();
  const Value& content_type = properties[Field::kContentType];
  amqp::CoreBody body =
      amqp::core_body(whole_, is_string(content_type) ? content_type.text().str() : std::string());
  message.type = body.type;
  if (body.encoding) {
    set("JMS_AMQP_ORIGINAL_ENCODING", short_value(static_cast<std::int16_t>(*body.encoding)));
  }
  if (body.inexact) lose("types of values in bodies");
  if (body.kept_as_amqp) lose("kinds of bodies that Core has not: their AMQP encoding is kept");
  if (record_.section(SectionKind::kDeliveryAnnotations).present) lose("delivery annotations");
  result_.body_ = std::move(body.bytes);
  message.body = result_.body_;
  take_header();
  take_annotations();
  take_application_properties();
  take_properties(properties);
  take_footer();
  take_extra_properties();
  take_routing_type();
}

ConvertedMessage::ConvertedMessage(const ConversionInput& input) {
  CoreConversion(input, *this).run();
}

}  // namespace saranga::message
