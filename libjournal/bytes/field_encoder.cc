#include "saranga/bytes/field_encoder.h"

#include <string>
#include <utility>

namespace saranga {
namespace {

using State = FieldValue::State;

/// Encodes the values of one body.
class FieldEncoder {
 public:
  explicit FieldEncoder(NumberFlag flag) : flag_(flag) {}

  void put(FieldType type, const FieldValue& value) {
    const bool null = value.state != State::kPresent;
    switch (type) {
      case FieldType::kSimpleString: out.simple_string(value.text); break;
      case FieldType::kNullableSimpleString: out.nullable_simple_string(text(value)); break;
      case FieldType::kString: out.string(value.text); break;
      case FieldType::kNullableString: out.nullable_string(text(value)); break;
      case FieldType::kSizedAscii: out.sized_bytes(null ? Bytes{} : value.text.raw()); break;
      case FieldType::kSizedBytes: out.sized_bytes(value.bytes); break;
      case FieldType::kRestBytes:
      case FieldType::kXid: out.bytes(value.bytes); break;
      case FieldType::kI8List:
      case FieldType::kStringList:
      case FieldType::kSimpleStringList:
      case FieldType::kNullableStringList:
      case FieldType::kNullableStringPairs:
        out.size(static_cast<std::size_t>(value.number)).bytes(value.bytes);
        break;
      default: put_number(type, value, null); break;
    }
  }

  Encoder out;

 private:
  static std::optional<Text> text(const FieldValue& value) {
    return value.state == State::kPresent ? std::optional(value.text) : std::nullopt;
  }
  void put_flag(bool present) {
    flag_ == NumberFlag::kOne ? out.flag(present) : out.boolean(present);
  }
  void put_number(FieldType type, const FieldValue& value, bool null) {
    switch (type) {
      case FieldType::kI8: out.i8(static_cast<std::int8_t>(value.number)); break;
      case FieldType::kI16: out.i16(static_cast<std::int16_t>(value.number)); break;
      case FieldType::kI32: out.i32(static_cast<std::int32_t>(value.number)); break;
      case FieldType::kI64: out.i64(value.number); break;
      case FieldType::kF64: out.f64(value.real); break;
      case FieldType::kBoolean: out.boolean(value.number != 0); break;
      case FieldType::kNullableI32:
        put_flag(!null);
        if (!null) out.i32(static_cast<std::int32_t>(value.number));
        break;
      case FieldType::kNullableI64:
        put_flag(!null);
        if (!null) out.i64(value.number);
        break;
      case FieldType::kNullableF64:
        out.boolean(!null);
        if (!null) out.f64(value.real);
        break;
      case FieldType::kNullableBoolean:
        put_flag(!null);
        if (!null) out.boolean(value.number != 0);
        break;
      default: break;
    }
  }

  NumberFlag flag_;
};

std::unexpected<Error> refuse(std::string_view field, std::string_view what) {
  return fail(ErrorCode::kInvalidArgument, "field " + std::string(field) + " " + std::string(what));
}

// Whether a reader expects the field, given the values before it.
bool is_expected(const FieldValues& values, std::size_t at, bool previous) {
  switch (values.fields()[at].presence) {
    case Presence::kRequired: return true;
    case Presence::kIfBytesRemain: return values[at].state != State::kAbsent;
    case Presence::kWithPrevious: return previous;
    case Presence::kIfPreviousNotNull: return at > 0 && values[at - 1].state == State::kPresent;
  }
  return true;
}

}  // namespace

Result<std::vector<std::byte>> encode_fields(const FieldValues& values, NumberFlag flag,
                                             Bytes trailing) {
  FieldEncoder encoder(flag);
  bool previous = true;
  bool ended = false;  // an optional field was left out, so the body ends before it
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Field& field = values.fields()[i];
    const bool expected = is_expected(values, i, previous);
    if (field.presence == Presence::kIfBytesRemain && !expected) ended = true;
    previous = expected;
    if (!expected) continue;
    if (ended) return refuse(field.name, "is there, but one before it is not");
    if (values[i].state == State::kAbsent && !is_nullable(field.type)) {
      return refuse(field.name, "is not set");
    }
    encoder.put(field.type, values[i]);
    if (!encoder.out.ok()) return refuse(field.name, encoder.out.problem());
  }
  encoder.out.bytes(trailing);
  return encoder.out.take();
}

FieldsBuilder::FieldsBuilder(std::span<const Field> fields) { values_.reset(fields); }

FieldValue& FieldsBuilder::set(std::string_view name) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_.fields()[i].name != name) continue;
    values_.at(i).state = State::kPresent;
    return values_.at(i);
  }
  if (unknown_name_.empty()) unknown_name_ = name;
  return unknown_;
}

FieldsBuilder& FieldsBuilder::number(std::string_view name, std::int64_t value) {
  set(name).number = value;
  return *this;
}

FieldsBuilder& FieldsBuilder::real(std::string_view name, double value) {
  set(name).real = value;
  return *this;
}

FieldsBuilder& FieldsBuilder::text(std::string_view name, Text value) {
  set(name).text = value;
  return *this;
}

FieldsBuilder& FieldsBuilder::bytes(std::string_view name, Bytes value) {
  set(name).bytes = value;
  return *this;
}

FieldsBuilder& FieldsBuilder::null(std::string_view name) {
  set(name).state = State::kNull;
  return *this;
}

FieldsBuilder& FieldsBuilder::list(std::string_view name, std::size_t count, Bytes encoded) {
  FieldValue& value = set(name);
  value.number = static_cast<std::int64_t>(count);
  value.bytes = encoded;
  return *this;
}

Result<std::vector<std::byte>> FieldsBuilder::encode(NumberFlag flag) const {
  if (!unknown_name_.empty()) return refuse(unknown_name_, "is not one of this record");
  return encode_fields(values_, flag);
}

}  // namespace saranga
