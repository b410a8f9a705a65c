#include "saranga/message/typed_properties.h"

namespace saranga::message {

std::string_view property_type_name(PropertyType type) {
  switch (type) {
    case PropertyType::kNull: return "null";
    case PropertyType::kBoolean: return "boolean";
    case PropertyType::kByte: return "byte";
    case PropertyType::kBytes: return "bytes";
    case PropertyType::kShort: return "short";
    case PropertyType::kInt: return "int";
    case PropertyType::kLong: return "long";
    case PropertyType::kFloat: return "float";
    case PropertyType::kDouble: return "double";
    case PropertyType::kString: return "string";
    case PropertyType::kChar: return "char";
  }
  return "unknown";
}

PropertyValue read_property_value(Cursor& cursor, PropertyType type) {
  PropertyValue value{.type = type};
  switch (type) {
    case PropertyType::kNull: break;
    case PropertyType::kBoolean: value.number = cursor.boolean() ? 1 : 0; break;
    case PropertyType::kByte: value.number = cursor.i8(); break;
    case PropertyType::kBytes: value.bytes = cursor.sized_bytes(); break;
    case PropertyType::kShort: value.number = cursor.i16(); break;
    case PropertyType::kInt: value.number = cursor.i32(); break;
    case PropertyType::kLong: value.number = cursor.i64(); break;
    case PropertyType::kFloat: value.number = cursor.u32(); break;
    case PropertyType::kDouble: value.number = cursor.i64(); break;
    case PropertyType::kString: value.text = cursor.simple_string(); break;
    case PropertyType::kChar: value.number = cursor.u16(); break;
    default: cursor.fail("has a property of an unknown type"); break;
  }
  return value;
}

TypedProperties TypedProperties::read(Cursor& cursor) {
  TypedProperties result;
  if (!cursor.boolean()) return result;
  const std::int32_t count = cursor.i32();
  if (count < 0) cursor.fail("has a negative count of properties");
  const std::size_t from = cursor.position();
  std::size_t good_end = from;
  for (std::int32_t i = 0; i < count && cursor.ok(); ++i) {
    (void)cursor.sized_bytes();
    (void)read_property_value(cursor, static_cast<PropertyType>(cursor.u8()));
    if (!cursor.ok()) break;
    good_end = cursor.position();
    ++result.count_;
  }
  result.entries_ = cursor.data().subspan(from, good_end - from);
  return result;
}

std::optional<Property> TypedProperties::Iterator::next() {
  if (left_ == 0) return std::nullopt;
  --left_;
  Property property;
  property.key = cursor_.simple_string();
  property.value = read_property_value(cursor_, static_cast<PropertyType>(cursor_.u8()));
  return property;
}

std::optional<PropertyValue> TypedProperties::find(std::string_view ascii_key) const {
  std::optional<PropertyValue> found;
  Iterator iterator(*this);
  while (const auto property = iterator.next()) {
    if (property->key.equals(ascii_key)) found = property->value;
  }
  return found;
}

}  // namespace saranga::message
