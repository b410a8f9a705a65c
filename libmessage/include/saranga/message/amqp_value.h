// Values in the AMQP 1.0 type encoding, as views: nothing is copied, and nothing is decoded before
// it is asked for (docs/format/amqp.md#amqp-values).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/cursor.h"
#include "saranga/bytes/export.h"
#include "saranga/bytes/text.h"

namespace saranga::message::amqp {

/// What a value is, whichever of its encodings was used.
enum class Type : std::uint8_t {
  kNull,
  kBoolean,
  kUbyte,
  kUshort,
  kUint,
  kUlong,
  kByte,
  kShort,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal32,
  kDecimal64,
  kDecimal128,
  kChar,
  kTimestamp,
  kUuid,
  kBinary,
  kString,
  kSymbol,
  kList,
  kMap,
  kArray,
  kDescribed,
  kUnknown,  ///< a code that AMQP leaves unassigned; its width is known all the same
};

/// The name AMQP gives the type: "uint", "timestamp", "list". A constant.
[[nodiscard]] SARANGA_API std::string_view type_name(Type type);

class Elements;

/// A view of one encoded value; the bytes belong to whoever was decoded. It is made of the
/// constructor (one code, or 00, a descriptor value and again a constructor) and the content, which
/// lie apart for the elements of an array. Reading a value checks that its content is inside the
/// enclosing bytes; what is nested in it is checked while iterating. The accessors of other types
/// than the value's own yield zero, empty or null.
class Value {
 public:
  /// A null.
  Value() = default;

  /// Reads one value, in time linear in the bytes of its descriptors and without recursion. A null
  /// when the cursor fails.
  [[nodiscard]] SARANGA_API static Value read(Cursor& cursor);

  [[nodiscard]] SARANGA_API Type type() const;
  [[nodiscard]] bool is_null() const { return type() == Type::kNull; }
  /// The code that decides how the content is encoded; of a described value, the innermost one.
  [[nodiscard]] std::uint8_t code() const {
    return static_cast<std::uint8_t>(constructor_.empty() ? std::byte{0x40} : constructor_.back());
  }
  [[nodiscard]] Bytes constructor() const { return constructor_; }
  [[nodiscard]] Bytes content() const { return content_; }
  /// Constructor and content in a row, as a copy.
  [[nodiscard]] SARANGA_API std::string encoded() const;
  [[nodiscard]] std::size_t encoded_size() const { return constructor_.size() + content_.size(); }

  [[nodiscard]] SARANGA_API bool boolean() const;
  /// ubyte, ushort, uint, ulong; char as its code point.
  [[nodiscard]] SARANGA_API std::uint64_t unsigned_number() const;
  /// byte, short, int, long; timestamp in ms since 1970.
  [[nodiscard]] SARANGA_API std::int64_t signed_number() const;
  /// Any of the eight integer types, when the number fits.
  [[nodiscard]] SARANGA_API std::optional<std::int64_t> integer() const;
  [[nodiscard]] SARANGA_API float real32() const;
  [[nodiscard]] SARANGA_API double real64() const;
  /// string (UTF-8) and symbol (ASCII by the standard).
  [[nodiscard]] SARANGA_API Text text() const;
  /// binary, string and symbol without their size; uuid, decimals and unknown codes as stored.
  [[nodiscard]] SARANGA_API Bytes bytes() const;

  /// The announced number of elements of a list or array, of keys plus values of a map.
  [[nodiscard]] SARANGA_API std::uint32_t count() const;
  /// The elements of a list, map or array; none for other types. Those of an array come without the
  /// descriptors that they share, see element_constructor().
  [[nodiscard]] SARANGA_API Elements elements() const;
  /// The constructor that the elements of an array share; empty when it is damaged.
  [[nodiscard]] SARANGA_API Bytes element_constructor() const;
  /// What the elements of an array are; kUnknown when it is damaged.
  [[nodiscard]] SARANGA_API Type element_type() const;
  /// An array whose elements take no bytes: all are the same, and their count may be any number, so
  /// whoever prints them should print one.
  [[nodiscard]] SARANGA_API bool elements_are_empty() const;

  /// The parts of a described value.
  [[nodiscard]] SARANGA_API Value descriptor() const;
  [[nodiscard]] SARANGA_API Value described() const;

 private:
  friend class Elements;
  Value(Bytes constructor, Bytes content) : constructor_(constructor), content_(content) {}

  Bytes constructor_{};
  Bytes content_{};
};

/// A key and its value.
struct MapEntry {
  Value key;
  Value value;
};

/// Walks the elements of a list, map or array from front to back, once.
class Elements {
 public:
  Elements() : cursor_(Bytes{}) {}

  /// The next element; nothing at the end and at the first damage.
  [[nodiscard]] SARANGA_API std::optional<Value> next();
  /// The next pair of a map.
  [[nodiscard]] SARANGA_API std::optional<MapEntry> next_entry();
  /// Elements announced and not yet read.
  [[nodiscard]] std::uint32_t left() const { return left_; }
  /// Bytes behind the last element read.
  [[nodiscard]] std::size_t remaining_bytes() const { return cursor_.remaining(); }
  /// False once the announced elements turned out not to be there.
  [[nodiscard]] bool ok() const { return cursor_.ok(); }
  /// What is wrong; a constant, valid when !ok().
  [[nodiscard]] const char* problem() const { return cursor_.problem(); }

 private:
  friend class Value;
  Elements(Bytes payload, std::uint32_t count, bool array);

  Cursor cursor_;
  std::uint32_t left_ = 0;
  Bytes code_{};  // of the elements of an array; empty for lists and maps
};

/// Moves the cursor behind one value. Linear time, no recursion, no allocation: sizes carry the
/// cursor over lists and maps. False when the cursor failed.
SARANGA_API bool skip_value(Cursor& cursor);

/// Walks everything nested in the value, in time linear in its bytes, with a stack of its own on
/// the heap. Null when all sizes and counts agree, else what is wrong (a constant).
[[nodiscard]] SARANGA_API const char* check_value(const Value& value);

/// The value under a key of type string or symbol that equals these ASCII characters; the last one
/// when the key is repeated, as for a Java map.
[[nodiscard]] SARANGA_API std::optional<Value> find_key(const Value& map, std::string_view key);

}  // namespace saranga::message::amqp
