// Record bodies that are a plain sequence of fields: described once, as data, and decoded, printed,
// documented and tested from that description.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "saranga/bytes/cursor.h"

namespace saranga {

/// How a field is stored. "Nullable" forms start with a flag byte, zero for null.
enum class FieldType : std::uint8_t {
  kI8,
  kI16,
  kI32,
  kI64,
  kF64,
  kBoolean,
  kNullableI32,
  kNullableI64,
  kNullableF64,
  kNullableBoolean,
  kSimpleString,
  kNullableSimpleString,
  kString,            ///< three-mode String
  kNullableString,    ///< flag, then three-mode String
  kSizedAscii,        ///< i32 length, bytes of ASCII; length 0 is null
  kSizedBytes,        ///< i32 length, bytes
  kRestBytes,         ///< everything up to the end of the body
  kXid,               ///< i32 format id; i32 length and branch qualifier; i32 length and global id
  kI8List,            ///< i32 count, then so many i8
  kStringList,        ///< i32 count, then so many Strings
  kSimpleStringList,  ///< i32 count, then so many SimpleStrings
  kNullableStringList,   ///< i32 count, then so many nullable Strings
  kNullableStringPairs,  ///< i32 count, then so many pairs of nullable Strings
};

/// Whether a value of the type can be null.
[[nodiscard]] SARANGA_API bool is_nullable(FieldType type);

/// When a field is there at all.
enum class Presence : std::uint8_t {
  kRequired,           ///< always; a body that ends before it is damaged
  kIfBytesRemain,      ///< read only when at least one byte is left (fields of later releases)
  kWithPrevious,       ///< there exactly when the field before it is there
  kIfPreviousNotNull,  ///< there exactly when the field before it is there and not null
};

/// What of a field may be shown.
enum class Privacy : std::uint8_t {
  kPublic,
  kUrl,     ///< a URL, whose query may hold passwords
  kSecret,  ///< a password
};

/// The name of one value of a number that stands for a choice.
struct ValueName {
  std::int64_t value;
  std::string_view name;
};

/// One field of a record body. All strings are constants with static lifetime.
struct Field {
  std::string_view name;  ///< as in JSON: snake_case, unit last; bytes end in _b64
  FieldType type;
  Presence presence = Presence::kRequired;
  std::string_view absent = "null";       ///< what a reader assumes when the body ends before it
  std::span<const ValueName> names = {};  ///< empty when the number is just a number
  Privacy privacy = Privacy::kPublic;
};

/// The name of a value of the field, empty when that value has none.
[[nodiscard]] SARANGA_API std::string_view value_name(const Field& field, std::int64_t value);

/// The value of one field, as a view of the body it was decoded from.
struct FieldValue {
  enum class State : std::uint8_t { kAbsent, kNull, kPresent };
  State state = State::kAbsent;
  std::int64_t number = 0;  ///< integers and booleans; the count of a list
  double real = 0;          ///< kF64 and kNullableF64
  Text text{};              ///< strings
  Bytes bytes{};            ///< sized and rest bytes; an Xid; a list, without its count
};

/// The decoded fields of one body, in the order of their description. Cheap to make: room for the
/// values is set aside, but only those of the fields at hand are begun.
class FieldValues {
 public:
  static constexpr std::size_t kMaximum = 96;

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see above
  FieldValues() {}

  [[nodiscard]] std::span<const Field> fields() const { return fields_; }
  [[nodiscard]] const FieldValue& operator[](std::size_t index) const { return values_[index]; }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  /// The value of the named field; a name that is not described yields an absent value.
  [[nodiscard]] SARANGA_API const FieldValue& get(std::string_view name) const;

  /// Decodes `fields` (at most kMaximum) from the cursor. False when the cursor failed; the values
  /// decoded before stay. Trailing bytes are left to the caller.
  SARANGA_API bool decode(std::span<const Field> fields, Cursor& cursor);

  /// Makes every value of `fields` (at most kMaximum) absent, for filling them one by one.
  SARANGA_API void reset(std::span<const Field> fields);
  [[nodiscard]] FieldValue& at(std::size_t index) { return values_[index]; }

 private:
  std::span<const Field> fields_{};
  union {
    std::array<FieldValue, kMaximum> values_;
  };
};

/// A transaction's global name as XA resource managers store it (docs/format/messages.md#xid).
struct Xid {
  std::int32_t format_id = 0;
  Bytes branch_qualifier{};
  Bytes global_id{};
};

/// Reads an Xid; check the cursor afterwards.
[[nodiscard]] SARANGA_API Xid read_xid(Cursor& cursor);

/// The name as a broker's management wants it (commitPreparedTransaction) and Artemis prints it:
/// base64 of branch qualifier, global id and format id, in the alphabet for URLs.
[[nodiscard]] SARANGA_API std::string xid_base64(const Xid& xid);

/// What a record type does to the state a broker loads; verify and the model are driven by it.
enum class RecordEffect : std::uint8_t {
  kMessage,        ///< a message comes into being
  kReference,      ///< a message is put on a queue
  kAcknowledge,    ///< a message leaves a queue
  kMessageState,   ///< delivery count or schedule of a reference
  kPaging,         ///< cursors, counters and transactions of paged messages
  kConfiguration,  ///< addresses, queues, settings, users, diverts, bridges
  kCounter,        ///< the id generator
  kBookkeeping,    ///< duplicate ids, heuristic outcomes, mirror and protocol state
  kNone,           ///< no effect on the state that is loaded
};

/// How the body of a record type is decoded.
enum class BodyForm : std::uint8_t {
  kFields,           ///< the described fields
  kMessage,          ///< persister id, then a message (docs/format/messages.md#persisters)
  kLargeMessage,     ///< headers and properties of a Core large message
  kOldMessage,       ///< a message of before 2.0
  kAddressSettings,  ///< address match, then settings of one of several generations
  kDivert,           ///< fields, then possibly a transformer
  kBridge,           ///< fields, then possibly a transformer, then connectors
  kRaw,              ///< bytes
};

/// One row of a table of record types. Strings and spans have static lifetime.
struct RecordType {
  std::int8_t number;
  std::string_view name;   ///< as Artemis names the constant
  std::string_view since;  ///< first release that writes it
  RecordEffect effect;
  BodyForm form;
  std::span<const Field> fields = {};         ///< of an add, and of an update unless below
  std::span<const Field> update_fields = {};  ///< of an update, when it differs
};

/// A record body taken apart. Views of the body; reused between records.
struct DecodedRecord {
  const RecordType* type = nullptr;
  FieldValues values;         ///< what was read; up to the failure when there is a problem
  Bytes trailing{};           ///< bytes behind the described fields
  std::string_view layout{};  ///< which of several layouts fits; empty when the type has only one
  const char* problem = nullptr;  ///< why the body does not decode; a constant
};

/// One way of laying out the body of a type that has several.
struct Layout {
  std::string_view name;  ///< empty for the usual one
  std::span<const Field> fields;
};

/// Decodes a body that is a plain sequence of fields, or raw bytes. True when it decodes; what is
/// left over is in `out.trailing`.
SARANGA_API bool decode_fields(const RecordType& type, bool is_update, Bytes body,
                               DecodedRecord& out);

/// Decodes the body by the first of the layouts that uses up every byte; false when none does.
SARANGA_API bool decode_exactly(const RecordType& type, std::span<const Layout> layouts, Bytes body,
                                DecodedRecord& out);

}  // namespace saranga
