#include "libmessage/selector/lookup.h"

#include <algorithm>
#include <array>

#include "libmessage/selector/units.h"

namespace saranga::message::selector {
namespace {

using Header = Identifier::Header;
using AmqpField = Identifier::AmqpField;

constexpr std::int64_t kHighestPriority = 9;
constexpr std::uint8_t kUsualPriority = 4;
constexpr std::string_view kNativeMessageId = "NATIVE_MESSAGE_ID";
constexpr std::string_view kIdPrefix = "ID:";

Value value_of(const PropertyValue& property) {
  switch (property.type) {
    case PropertyType::kNull: return {};
    case PropertyType::kBoolean: return number_value(Kind::kBoolean, property.number);
    case PropertyType::kByte: return number_value(Kind::kByte, property.number);
    case PropertyType::kShort: return number_value(Kind::kShort, property.number);
    case PropertyType::kInt: return number_value(Kind::kInt, property.number);
    case PropertyType::kLong: return number_value(Kind::kLong, property.number);
    case PropertyType::kFloat:
      return real_value(Kind::kFloat, static_cast<double>(property.as_float()));
    case PropertyType::kDouble: return real_value(Kind::kDouble, property.as_double());
    case PropertyType::kChar: return number_value(Kind::kChar, property.number);
    case PropertyType::kString: return text_value(property.text);
    case PropertyType::kBytes:
      return {.kind = Kind::kBytes, .text = Text(property.bytes, TextEncoding::kUtf8)};
  }
  return {};
}

// Moves the cursor from the type byte of a property behind its value.
void skip_property_value(Cursor& cursor) {
  switch (static_cast<PropertyType>(cursor.u8())) {
    case PropertyType::kNull: break;
    case PropertyType::kBoolean:
    case PropertyType::kByte: (void)cursor.take(1); break;
    case PropertyType::kShort:
    case PropertyType::kChar: (void)cursor.take(2); break;
    case PropertyType::kInt:
    case PropertyType::kFloat: (void)cursor.take(4); break;
    case PropertyType::kLong:
    case PropertyType::kDouble: (void)cursor.take(8); break;
    case PropertyType::kString:
    case PropertyType::kBytes: (void)cursor.sized_bytes(); break;
  }
}

Value raw_value(Kind kind, amqp::Type type, Bytes bytes) {
  return {.kind = kind, .type = type, .text = Text(bytes, TextEncoding::kUtf8)};
}

// The classes of message annotations, which are taken as the decoder makes them.
Value value_of_annotation(const amqp::Value& value) {
  using amqp::Type;
  const Type type = value.type();
  switch (type) {
    case Type::kNull: return {};
    case Type::kBoolean: return boolean_value(value.boolean());
    case Type::kByte: return number_value(Kind::kByte, value.signed_number());
    case Type::kShort: return number_value(Kind::kShort, value.signed_number());
    case Type::kInt: return number_value(Kind::kInt, value.signed_number());
    case Type::kLong: return number_value(Kind::kLong, value.signed_number());
    case Type::kUbyte:
    case Type::kUshort:
    case Type::kUint:
    case Type::kUlong:
      return {.kind = Kind::kUnsigned,
              .type = type,
              .number = static_cast<std::int64_t>(value.unsigned_number())};
    case Type::kFloat: return real_value(Kind::kFloat, static_cast<double>(value.real32()));
    case Type::kDouble: return real_value(Kind::kDouble, value.real64());
    case Type::kChar:
      // Java has room for 16 bits of it.
      return number_value(Kind::kChar, static_cast<std::int64_t>(value.unsigned_number() & 0xFFFF));
    case Type::kTimestamp: return number_value(Kind::kTimestamp, value.signed_number());
    case Type::kString: return text_value(value.text());
    case Type::kSymbol: return {.kind = Kind::kSymbol, .text = value.text()};
    case Type::kUuid: return raw_value(Kind::kUuid, Type::kNull, value.bytes());
    case Type::kBinary: return raw_value(Kind::kObject, type, value.bytes());
    default: return raw_value(Kind::kObject, type, value.content());
  }
}

// Application properties differ in two types: unsigned numbers become longs, binaries arrays.
Value value_of_application_property(const amqp::Value& value) {
  Value result = value_of_annotation(value);
  if (result.kind == Kind::kUnsigned) return number_value(Kind::kLong, result.number);
  if (result.kind == Kind::kObject && result.type == amqp::Type::kBinary) {
    return raw_value(Kind::kBytes, amqp::Type::kNull, value.bytes());
  }
  return result;
}

bool starts_with(const Text& text, std::string_view ascii) {
  UnitReader units(text);
  return std::ranges::all_of(ascii, [&](char c) { return units.next_unit() == c; });
}

// A Core UUID as the broker reads it: whatever the bytes say, it is made one of version 1.
std::string spell_core_uuid(Bytes bytes) {
  std::array<std::byte, 16> id{};
  std::ranges::copy(bytes.first(std::min(bytes.size(), id.size())), id.begin());
  id[6] = (id[6] & std::byte{0x0F}) | std::byte{0x10};
  id[8] = (id[8] & std::byte{0x3F}) | std::byte{0x80};
  return spell_uuid(id);
}

}  // namespace

std::optional<Value> Lookup::find(const Identifier& identifier) {
  const StoredMessage& stored = message_.message;
  if (!stored.core && !stored.amqp) return Value{};
  if (identifier.header != Header::kNone) {
    auto value = stored.core ? core_header(identifier.header) : amqp_header(identifier.header);
    if (!value || !value->is_null()) return value;
  }
  if (identifier.is_hops) {
    auto value = hops();
    if (!value || !value->is_null()) return value;
  }
  if (stored.core) return property(stored.core->headers.properties, identifier);
  return amqp_value(identifier);
}

// The last one when the key is repeated, as in a Java map. Only its value is decoded.
Value Lookup::property(const TypedProperties& properties, const Identifier& identifier) {
  const std::string& wanted = identifier.utf16_name;
  std::optional<Cursor> found;  // at the type byte
  Cursor cursor(properties.entries());
  while (!cursor.at_end() && cursor.ok()) {
    const Bytes key = cursor.sized_bytes();
    if (key.size() == wanted.size() &&
        std::equal(key.begin(), key.end(), as_bytes(wanted).begin())) {
      found = cursor;
    }
    skip_property_value(cursor);
  }
  if (!found) return {};
  const auto type = static_cast<PropertyType>(found->u8());
  return value_of(read_property_value(*found, type));
}

// The number of times a federated message went from broker to broker: four bytes.
std::optional<Value> Lookup::hops() const {
  static constexpr std::string_view kHops = "_AMQ_Hops";
  const StoredMessage& stored = message_.message;
  const TypedProperties properties =
      stored.core ? stored.core->headers.properties : extra_properties();
  const auto found = properties.find(kHops);
  if (!found || found->type == PropertyType::kNull) return Value{};
  if (found->type != PropertyType::kBytes || found->bytes.size() < 4) return std::nullopt;
  return number_value(Kind::kInt, load_be<std::int32_t>(found->bytes.data()));
}

std::optional<Value> Lookup::prefixed(std::string_view prefix, const Text& text) {
  std::string& out = texts_.create();
  if (!texts_.append_ascii(out, prefix) || !texts_.append(out, text)) return std::nullopt;
  return texts_.value(out);
}

// ---- Core messages ------------------------------------------------------------------------------

std::optional<Value> Lookup::core_header(Header header) {
  const CoreMessage& core = *message_.message.core;
  const CoreHeaders& headers = core.headers;
  switch (header) {
    case Header::kUserId: return core_user_id();
    case Header::kPriority:
      return number_value(Kind::kInt, static_cast<std::int8_t>(headers.priority));
    case Header::kTimestamp: return number_value(Kind::kLong, headers.timestamp_ms);
    case Header::kDurable: {
      const bool durable = message_.durable.value_or(headers.durable);
      return text_value(Text(durable ? "DURABLE" : "NON_DURABLE"));
    }
    case Header::kExpiration:
      return number_value(Kind::kLong, message_.expiration_ms.value_or(headers.expiration_ms));
    case Header::kSize: {
      const auto size = static_cast<std::int64_t>(core.buffer.size());
      return number_value(Kind::kInt, message_.size_bytes.value_or(size));
    }
    case Header::kAddress: {
      const std::optional<Text>& address = message_.address ? message_.address : core.address;
      return address ? text_value(*address) : Value{};
    }
    case Header::kGroupId: return text_property("_AMQ_GROUP_ID");
    case Header::kNone: break;
  }
  return Value{};
}

std::optional<Value> Lookup::core_user_id() {
  const Bytes id = message_.message.core->headers.user_id;
  if (id.empty()) return text_property(kNativeMessageId);
  return prefixed(kIdPrefix, spell_core_uuid(id));
}

// A property that the broker asks for as a text: all but bytes can be read as one.
std::optional<Value> Lookup::text_property(std::string_view name) {
  const auto found = message_.message.core->headers.properties.find(name);
  if (!found) return Value{};
  const Value value = value_of(*found);
  if (value.is_null() || value.kind == Kind::kText) return value;
  if (value.kind == Kind::kBytes) return std::nullopt;
  std::string& out = texts_.create();
  if (!texts_.append_spelling(out, value)) return std::nullopt;
  return texts_.value(out);
}

// ---- AMQP messages ------------------------------------------------------------------------------

const amqp::Message& Lookup::amqp() {
  if (message_.scanned != nullptr) return *message_.scanned;
  if (!scanned_) scanned_ = amqp::Message::of(*message_.message.amqp);
  return *scanned_;
}

const amqp::Properties& Lookup::amqp_properties() {
  if (!properties_) properties_ = amqp().properties();
  return *properties_;
}

TypedProperties Lookup::extra_properties() const {
  Cursor cursor(message_.message.amqp->extra_properties);
  return TypedProperties::read(cursor);
}

std::optional<Value> Lookup::amqp_header(Header header) {
  const amqp::Stored& stored = *message_.message.amqp;
  switch (header) {
    case Header::kUserId: return amqp_user_id();
    case Header::kPriority: {
      const std::int64_t priority = amqp().header().priority.value_or(kUsualPriority);
      return number_value(Kind::kInt, std::min(priority, kHighestPriority));
    }
    case Header::kTimestamp: {
      const amqp::Value& time = amqp_properties()[amqp::Property::kCreationTime];
      return number_value(Kind::kLong, time.signed_number());
    }
    case Header::kDurable: {
      const bool durable = message_.durable ? *message_.durable : amqp::is_durable(stored, amqp());
      return text_value(Text(durable ? "DURABLE" : "NON_DURABLE"));
    }
    case Header::kExpiration: return number_value(Kind::kLong, amqp_expiration());
    case Header::kSize: {
      const auto size = static_cast<std::int64_t>(stored.encoded.size());
      return number_value(Kind::kInt, message_.size_bytes.value_or(size));
    }
    case Header::kAddress: {
      const auto address =
          message_.address ? message_.address : amqp::effective_address(stored, amqp());
      return address ? text_value(*address) : Value{};
    }
    case Header::kGroupId: return amqp_field(AmqpField::kGroupId);
    case Header::kNone: break;
  }
  return Value{};
}

// A time to live counts from an arrival that no record tells.
std::int64_t Lookup::amqp_expiration() {
  if (message_.expiration_ms) return *message_.expiration_ms;
  if (message_.message.amqp->expiration_ms) return *message_.message.amqp->expiration_ms;
  const amqp::Value& time = amqp_properties()[amqp::Property::kAbsoluteExpiryTime];
  return std::max(time.signed_number(), std::int64_t{0});
}

std::optional<Value> Lookup::amqp_user_id() {
  using amqp::Type;
  const amqp::Value& id = amqp_properties()[amqp::Property::kMessageId];
  switch (id.type()) {
    case Type::kNull: {
      const auto native = amqp().application_property(kNativeMessageId);
      if (!native || native->is_null()) return Value{};
      if (native->type() != Type::kString) return std::nullopt;
      return text_value(native->text());
    }
    case Type::kString:
    case Type::kSymbol:
      if (starts_with(id.text(), kIdPrefix)) return text_value(id.text());
      return prefixed(kIdPrefix, id.text());
    case Type::kUuid: return prefixed(kIdPrefix, spell_uuid(id.bytes()));
    case Type::kBinary: {
      const std::string text = spell_binary(id.bytes());
      return prefixed(text.starts_with(kIdPrefix) ? "" : kIdPrefix, text);
    }
    case Type::kUlong: return prefixed(kIdPrefix, std::to_string(id.unsigned_number()));
    default: return std::nullopt;
  }
}

std::optional<Value> Lookup::amqp_value(const Identifier& identifier) {
  if (identifier.amqp_field == AmqpField::kAnnotation) return annotation(identifier);
  std::optional<Value> value = Value{};
  if (identifier.amqp_field != AmqpField::kNone) {
    value = amqp_field(identifier.amqp_field);
  } else if (const auto found = amqp().application_property(identifier.name)) {
    value = value_of_application_property(*found);
  }
  if (!value || !value->is_null()) return value;
  return property(extra_properties(), identifier);
}

Value Lookup::annotation(const Identifier& identifier) {
  if (!identifier.other_annotation.empty()) {
    const auto other = amqp().annotation(identifier.other_annotation);
    if (other && !other->is_null()) return value_of_annotation(*other);
  }
  const auto found = amqp().annotation(identifier.annotation);
  return found ? value_of_annotation(*found) : Value{};
}

std::optional<Value> Lookup::amqp_field(AmqpField field) {
  const auto text_of = [this](amqp::Property property) {
    const amqp::Value& value = amqp_properties()[property];
    return value.type() == amqp::Type::kString ? text_value(value.text()) : Value{};
  };
  switch (field) {
    case AmqpField::kSubject: return text_of(amqp::Property::kSubject);
    case AmqpField::kGroupId: return text_of(amqp::Property::kGroupId);
    case AmqpField::kGroupSequence: {
      const amqp::Value& sequence = amqp_properties()[amqp::Property::kGroupSequence];
      const auto number = static_cast<std::uint32_t>(sequence.unsigned_number());
      return number_value(Kind::kInt, static_cast<std::int32_t>(number));
    }
    case AmqpField::kUserId: {
      const amqp::Value& id = amqp_properties()[amqp::Property::kUserId];
      if (id.type() != amqp::Type::kBinary) return Value{};
      return text_value(Text(id.bytes(), TextEncoding::kUtf8));
    }
    case AmqpField::kConnectionId:
      return message_.connection_id ? text_value(*message_.connection_id) : Value{};
    case AmqpField::kCorrelationId: return correlation_id();
    case AmqpField::kNone:
    case AmqpField::kAnnotation: break;
  }
  return Value{};
}

// As the JMS client of AMQP spells it: types other than text are told by a prefix, and a text that
// looks as if it had one gets another.
std::optional<Value> Lookup::correlation_id() {
  using amqp::Type;
  static constexpr std::string_view kTypePrefixes[] = {
      "ID:AMQP_BINARY:", "ID:AMQP_UUID:", "ID:AMQP_ULONG:", "ID:AMQP_STRING:",
      "ID:AMQP_NO_PREFIX:"};
  const amqp::Value& id = amqp_properties()[amqp::Property::kCorrelationId];
  switch (id.type()) {
    case Type::kNull: return Value{};
    case Type::kString: {
      const Text text = id.text();
      const bool typed = std::ranges::any_of(
          kTypePrefixes, [&](std::string_view prefix) { return starts_with(text, prefix); });
      if (typed) return prefixed("ID:AMQP_STRING:", text);
      return text_value(text);
    }
    case Type::kUlong: return prefixed("ID:AMQP_ULONG:", std::to_string(id.unsigned_number()));
    case Type::kUuid: return prefixed("ID:AMQP_UUID:", spell_uuid(id.bytes()));
    case Type::kBinary: {
      Value value = raw_value(Kind::kBytes, Type::kNull, id.bytes());
      value.flag = true;  // the broker copies it for each look-up
      return value;
    }
    default: return std::nullopt;
  }
}

}  // namespace saranga::message::selector
