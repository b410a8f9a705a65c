#include "saranga/message/amqp_message.h"

#include <tuple>

#include "libmessage/amqp/encoding.h"
#include "saranga/message/typed_properties.h"

namespace saranga::message::amqp {
namespace {

// A section of an AMQP message: 00, a descriptor (the code as an ulong, or the symbol), a value.
struct SectionRow {
  SectionKind kind;
  std::uint64_t code;
  std::string_view symbol;
  std::string_view name;
  Type type;          // of its value; kNull stands for any
  bool null_allowed;  // the broker reads a null as an empty section
  const char* wrong_type;
};

constexpr SectionRow kSections[] = {
    {SectionKind::kHeader, 0x70, "amqp:header:list", "header", Type::kList, false,
     "the header is not a list"},
    {SectionKind::kDeliveryAnnotations, 0x71, "amqp:delivery-annotations:map",
     "delivery_annotations", Type::kMap, true, "the delivery annotations are not a map"},
    {SectionKind::kMessageAnnotations, 0x72, "amqp:message-annotations:map", "message_annotations",
     Type::kMap, true, "the message annotations are not a map"},
    {SectionKind::kProperties, 0x73, "amqp:properties:list", "properties", Type::kList, false,
     "the properties are not a list"},
    {SectionKind::kApplicationProperties, 0x74, "amqp:application-properties:map",
     "application_properties", Type::kMap, true, "the application properties are not a map"},
    {SectionKind::kData, 0x75, "amqp:data:binary", "data", Type::kBinary, false,
     "a data section is not a binary"},
    {SectionKind::kSequence, 0x76, "amqp:amqp-sequence:list", "sequence", Type::kList, false,
     "a sequence section is not a list"},
    {SectionKind::kValue, 0x77, "amqp:amqp-value:*", "value", Type::kNull, true, ""},
    {SectionKind::kFooter, 0x78, "amqp:footer:map", "footer", Type::kMap, true,
     "the footer is not a map"},
};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < std::size(kSections); ++i) {
    if (static_cast<std::size_t>(kSections[i].kind) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

const SectionRow& row_of(SectionKind kind) { return kSections[static_cast<std::size_t>(kind)]; }

// Which section the descriptor names; null for none.
const SectionRow* find_section(const Value& descriptor) {
  const Type type = descriptor.type();
  for (const SectionRow& row : kSections) {
    if (type == Type::kUlong && descriptor.unsigned_number() == row.code) return &row;
    if (type == Type::kSymbol && descriptor.text().equals(row.symbol)) return &row;
  }
  return nullptr;
}

// Which section starts here, judged by its constructor alone; null for none.
const SectionRow* peek_section(Cursor cursor) {
  if (cursor.u8() != 0) return nullptr;
  const Value descriptor = Value::read(cursor);
  return cursor.ok() ? find_section(descriptor) : nullptr;
}

bool has_expected_type(const SectionRow& row, const Value& value) {
  const Type type = value.type();
  return row.type == Type::kNull || type == row.type || (row.null_allowed && type == Type::kNull);
}

Section make_section(const SectionRow& row, std::size_t offset, const Value& described) {
  return {row.kind, true, offset, described.encoded_size(), described.described()};
}

constexpr Type kHeaderTypes[] = {Type::kBoolean, Type::kUbyte, Type::kUint, Type::kBoolean,
                                 Type::kUint};

// What AMQP asks for; the broker takes any type for the two ids.
constexpr Type kPropertyTypes[kPropertyCount] = {
    Type::kNull,   Type::kBinary, Type::kString, Type::kString,    Type::kString,
    Type::kNull,   Type::kSymbol, Type::kSymbol, Type::kTimestamp, Type::kTimestamp,
    Type::kString, Type::kUint,   Type::kString};

void read_fields(const Value& list, std::span<Value> fields) {
  Elements elements = list.elements();
  for (Value& field : fields) {
    const auto value = elements.next();
    if (!value) return;
    field = *value;
  }
}

// Whether the broker accepts the fields of a list section: not too many, each null or of its type.
bool has_expected_fields(const Value& list, std::span<const Type> types) {
  Elements elements = list.elements();
  if (elements.left() > types.size()) return false;
  for (const Type expected : types) {
    const auto value = elements.next();
    if (!value) break;
    const Type type = value->type();
    if (type != Type::kNull && type != expected && expected != Type::kNull) return false;
  }
  return elements.ok();
}

template <class T>
std::optional<T> unsigned_field(const Value& value, Type type) {
  if (value.type() != type) return std::nullopt;
  return static_cast<T>(value.unsigned_number());
}

std::optional<bool> boolean_field(const Value& value) {
  if (value.type() != Type::kBoolean) return std::nullopt;
  return value.boolean();
}

std::size_t offset_in_file(std::int32_t position) {
  return position < 0 ? 0 : static_cast<std::size_t>(position);
}

BodyKind body_kind_of(SectionKind kind) {
  if (kind == SectionKind::kData) return BodyKind::kData;
  return kind == SectionKind::kSequence ? BodyKind::kSequence : BodyKind::kValue;
}

}  // namespace

std::string_view section_name(SectionKind kind) { return row_of(kind).name; }

std::string_view body_kind_name(BodyKind kind) {
  static constexpr std::string_view kNames[] = {"none", "data", "sequence", "value", "file"};
  return kNames[static_cast<std::size_t>(kind)];
}

BodySections::BodySections(Bytes encoded, std::size_t from) : cursor_(encoded) {
  std::ignore = cursor_.take(from);
}

std::optional<Section> BodySections::next() {
  while (cursor_.ok() && !cursor_.at_end()) {
    const std::size_t offset = cursor_.position();
    const SectionRow* row = peek_section(cursor_);
    const Value described = Value::read(cursor_);
    if (!cursor_.ok()) return std::nullopt;
    if (row == nullptr || row->kind < SectionKind::kData) continue;  // reported by the scan
    return make_section(*row, offset, described);
  }
  return std::nullopt;
}

Message::Message() {
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    sections_[i].kind = i < 5 ? static_cast<SectionKind>(i) : SectionKind::kFooter;
  }
}

Section& Message::slot(SectionKind kind) {
  return sections_[kind == SectionKind::kFooter ? 5 : static_cast<std::size_t>(kind)];
}

const Section& Message::section(SectionKind kind) const {
  const auto index = static_cast<std::size_t>(kind);
  return sections_[index < 5 ? index : 5];
}

bool Message::refuse(const char* problem, std::size_t offset) {
  report(problem, offset);
  scanned_ = false;
  return false;
}

void Message::report(const char* problem, std::size_t offset) {
  if (problem_ != nullptr) return;
  problem_ = problem;
  problem_offset_ = offset;
}

Message Message::scan(Bytes encoded) {
  Message message;
  message.encoded_ = encoded;
  if (message.scan_front()) message.scan_body();
  return message;
}

// As the broker does it: whatever follows the application properties, and the first thing that is
// none of the sections before them, starts the body. False when there is no going on.
bool Message::scan_front() {
  Cursor cursor(encoded_);
  while (!cursor.at_end()) {
    const std::size_t offset = cursor.position();
    body_offset_ = offset;
    const SectionRow* row = peek_section(cursor);
    if (row == nullptr || row->kind > SectionKind::kApplicationProperties) {
      Cursor probe = cursor;
      std::ignore = take_constructor(probe);
      if (!probe.ok()) return refuse(probe.problem(), offset);
      return true;
    }
    const Value described = Value::read(cursor);
    if (!cursor.ok()) return refuse("a section runs past the end of the message", offset);
    if (!add_front_section(make_section(*row, offset, described))) return false;
    body_offset_ = cursor.position();
    if (row->kind == SectionKind::kApplicationProperties) return true;
  }
  body_offset_ = encoded_.size();
  return true;
}

// A section with fields that the broker does not accept is kept all the same: they can be shown.
bool Message::add_front_section(const Section& section) {
  const SectionRow& row = row_of(section.kind);
  if (!has_expected_type(row, section.value)) return refuse(row.wrong_type, section.offset);
  slot(section.kind) = section;
  if (section.kind == SectionKind::kHeader && !has_expected_fields(section.value, kHeaderTypes)) {
    refuse("the header has a field that it should not have", section.offset);
  }
  if (section.kind == SectionKind::kProperties &&
      !has_expected_fields(section.value, kPropertyTypes)) {
    refuse("the properties have a field that they should not have", section.offset);
  }
  return true;
}

void Message::scan_body() {
  Cursor cursor(encoded_);
  std::ignore = cursor.take(body_offset_);
  while (!cursor.at_end()) {
    const std::size_t offset = cursor.position();
    const SectionRow* row = peek_section(cursor);
    const Value described = Value::read(cursor);
    if (!cursor.ok()) return report("the body runs past the end of the message", offset);
    if (row == nullptr) {
      report("the body holds something that is no section", offset);
    } else if (row->kind < SectionKind::kData) {
      report("a section is behind the application properties or the body", offset);
    } else {
      add_body_section(make_section(*row, offset, described));
    }
  }
}

void Message::add_body_section(const Section& section) {
  const SectionRow& row = row_of(section.kind);
  if (!has_expected_type(row, section.value)) report(row.wrong_type, section.offset);
  if (section.kind == SectionKind::kFooter) {
    slot(section.kind) = section;
    return;
  }
  const BodyKind kind = body_kind_of(section.kind);
  if (body_kind_ == BodyKind::kNone) body_kind_ = kind;
  if (body_kind_ != kind || (kind == BodyKind::kValue && body_section_count_ > 0)) {
    report("the body has sections that exclude each other", section.offset);
  }
  ++body_section_count_;
  body_size_bytes_ += section.kind == SectionKind::kData ? section.value.bytes().size()
                                                         : section.value.encoded_size();
}

Message Message::of(const Stored& stored) {
  if (!stored.is_large()) return scan(stored.encoded);
  const LargeParts& large = stored.large;
  Message message;
  message.body_kind_ = BodyKind::kInFile;
  message.body_offset_ = offset_in_file(large.body_position);
  message.take_large_part(SectionKind::kHeader, large.header, large.header_position);
  message.take_large_part(SectionKind::kMessageAnnotations, large.message_annotations,
                          large.message_annotations_position);
  message.take_large_part(SectionKind::kProperties, large.properties, large.properties_position);
  message.take_large_part(SectionKind::kApplicationProperties, large.application_properties,
                          large.application_properties_position);
  return message;
}

void Message::take_large_part(SectionKind kind, const Value& part, std::int32_t position) {
  if (part.is_null()) return;
  const SectionRow& row = row_of(kind);
  const std::size_t offset = offset_in_file(position);
  if (find_section(part.descriptor()) != &row) {
    refuse("a saved section is not the one that belongs there", offset);
    return;
  }
  add_front_section(make_section(row, offset, part));
}

Header Message::header() const {
  std::array<Value, std::size(kHeaderTypes)> fields{};
  Header header;
  const Value& list = section(SectionKind::kHeader).value;
  read_fields(list, fields);
  header.durable = boolean_field(fields[0]);
  header.priority = unsigned_field<std::uint8_t>(fields[1], Type::kUbyte);
  header.ttl_ms = unsigned_field<std::uint32_t>(fields[2], Type::kUint);
  header.first_acquirer = boolean_field(fields[3]);
  header.delivery_count = unsigned_field<std::uint32_t>(fields[4], Type::kUint);
  return header;
}

Properties Message::properties() const {
  Properties properties;
  const Value& list = section(SectionKind::kProperties).value;
  read_fields(list, properties.values);
  return properties;
}

std::optional<Value> Message::annotation(std::string_view key) const {
  return find_key(section(SectionKind::kMessageAnnotations).value, key);
}

std::optional<Value> Message::application_property(std::string_view key) const {
  return find_key(section(SectionKind::kApplicationProperties).value, key);
}

BodySections Message::body() const { return BodySections(encoded_, body_offset_); }

bool is_durable(const Stored& stored, const Message& message) {
  return stored.is_large() ? stored.large_durable : message.header().durable.value_or(false);
}

std::optional<Text> effective_address(const Stored& stored, const Message& message) {
  if (stored.address) return stored.address;
  Cursor cursor(stored.extra_properties);
  const auto extra = TypedProperties::read(cursor).find(kAddressProperty);
  if (extra && extra->type == PropertyType::kString) return extra->text;
  const Properties properties = message.properties();
  const Value& to = properties[Property::kTo];
  if (to.type() == Type::kString) return to.text();
  return std::nullopt;
}

}  // namespace saranga::message::amqp
