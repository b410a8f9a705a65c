// The typed property map of Core messages (docs/format/messages.md#typed-properties):
//
//   1  flag, zero: no properties, and nothing follows
//   4  count
//   …  so many times: i32 size and UTF-16LE key, type byte, value
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "saranga/bytes/cursor.h"

namespace saranga::message {

/// The type byte of a property value.
enum class PropertyType : std::uint8_t {
  kNull = 0,
  kBoolean = 2,
  kByte = 3,
  kBytes = 4,
  kShort = 5,
  kInt = 6,
  kLong = 7,
  kFloat = 8,
  kDouble = 9,
  kString = 10,
  kChar = 11,
};

/// The name of a type as in JSON ("int", "string", …); "unknown" for other bytes.
[[nodiscard]] SARANGA_API std::string_view property_type_name(PropertyType type);

/// A value as a view of the block it was read from.
struct PropertyValue {
  PropertyType type = PropertyType::kNull;
  std::int64_t number = 0;  ///< booleans, integers, chars; the bits of floats and doubles
  Text text{};              ///< kString
  Bytes bytes{};            ///< kBytes

  [[nodiscard]] float as_float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(number));
  }
  [[nodiscard]] double as_double() const {
    return std::bit_cast<double>(static_cast<std::uint64_t>(number));
  }
};

/// A key and its value.
struct Property {
  Text key{};
  PropertyValue value{};
};

/// Reads a value of the given type; unknown type bytes fail the cursor. Strings inside STREAM
/// bodies are stored in another form (stream_body.h).
[[nodiscard]] SARANGA_API PropertyValue read_property_value(Cursor& cursor, PropertyType type);

/// A checked block of properties: reading it once has shown that every entry is whole.
class SARANGA_API TypedProperties {
 public:
  TypedProperties() = default;

  /// Reads a block and leaves the cursor behind it. When an entry is damaged the cursor has failed
  /// and the properties in front of it stay readable.
  [[nodiscard]] static TypedProperties read(Cursor& cursor);

  /// The count of readable entries, duplicates of a key included.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// The encoded entries, without flag and count.
  [[nodiscard]] Bytes entries() const { return entries_; }

  /// Walks the entries in stored order.
  class Iterator {
   public:
    explicit Iterator(const TypedProperties& all) : cursor_(all.entries_), left_(all.count_) {}
    /// The next entry, nothing behind the last.
    [[nodiscard]] SARANGA_API std::optional<Property> next();

   private:
    Cursor cursor_;
    std::uint32_t left_;
  };

  /// The value of a key, the last one when it occurs more than once (as in a Java map).
  [[nodiscard]] std::optional<PropertyValue> find(std::string_view ascii_key) const;

 private:
  Bytes entries_{};
  std::uint32_t count_ = 0;
};

}  // namespace saranga::message
