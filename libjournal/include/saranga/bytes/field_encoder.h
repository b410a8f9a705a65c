// Record bodies made of the same descriptions that they are decoded by (fields.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "saranga/bytes/encoder.h"
#include "saranga/bytes/fields.h"

namespace saranga {

/// The flag in front of a nullable integer or boolean that is there. Readers take both; Artemis
/// writes FF into address settings and 01 into bridges, and FF before a double in either.
enum class NumberFlag : std::uint8_t { kFf, kOne };

/// Encodes values in the layout of their fields, `trailing` behind them: the inverse of decoding.
/// kInvalidArgument, naming the field, when a required one is absent, when one is absent in front
/// of one that is there, or when the format cannot hold a value.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> encode_fields(
    const FieldValues& values, NumberFlag flag = NumberFlag::kFf, Bytes trailing = {});

/// Fills in the fields of a new body by name. Fields that are not set are absent, nullable ones
/// null. Texts and bytes are views that must live until the body is encoded.
class SARANGA_API FieldsBuilder {
 public:
  /// `fields` of a row of a table of record types.
  explicit FieldsBuilder(std::span<const Field> fields);
  FieldsBuilder& number(std::string_view name, std::int64_t value);
  FieldsBuilder& real(std::string_view name, double value);
  FieldsBuilder& text(std::string_view name, Text value);
  FieldsBuilder& text(std::string_view name, std::string_view utf8) {
    return text(name, Text(utf8));
  }
  FieldsBuilder& bytes(std::string_view name, Bytes value);
  /// A list of `count` elements that are encoded already, one behind the other.
  FieldsBuilder& list(std::string_view name, std::size_t count, Bytes encoded);
  /// kInvalidArgument also when a name was given that the fields do not have.
  [[nodiscard]] Result<std::vector<std::byte>> encode(NumberFlag flag = NumberFlag::kFf) const;

 private:
  FieldValue& set(std::string_view name);

  FieldValues values_;
  FieldValue unknown_{};
  std::string unknown_name_;
};

}  // namespace saranga
