// Texts of records by template: literal characters with {places} for the values of fields.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "saranga/bytes/fields.h"
#include "saranga/bytes/text_buffer.h"
#include "tools/print/record_body.h"

namespace saranga::print {

/// Appends what the value of a single field is not enough for.
using PlaceFunction = void (*)(TextBuffer&, const RecordBody&, const DecodedRecord&);

/// A place "{@name}" that a function fills.
struct SpecialPlace {
  std::string_view name;
  PlaceFunction append;
};

/// Appends a value as Java's string concatenation does, for all types but lists. `fallback` stands
/// for values that are null or absent, and for numbers of a choice that have no name.
void append_java_value(TextBuffer& out, const Field& field, const FieldValue& value,
                       std::string_view fallback);

/// A template, taken apart once so that appending it is a walk over its pieces.
///
/// `{queue_id}` is the value of a field, "null" when there is none; `{internal?false}` says what
/// stands for that instead; `{@id}` is the record id; other `{@…}` are special places. `{{` and
/// `}}` are braces. Sources have static lifetime and are ours: a name that doesn't exist in a
/// template ends the program.
class TextTemplate {
 public:
  TextTemplate() = default;
  TextTemplate(std::string_view source, std::span<const Field> fields,
               std::span<const SpecialPlace> special);

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  /// `decoded` must hold the fields that the template was made for.
  void append(TextBuffer& out, const RecordBody& record, const DecodedRecord& decoded) const;

 private:
  static constexpr std::uint16_t kNoField = 0xFFFF;

  // Literal characters, then at most one place.
  struct Piece {
    std::string_view literal;
    std::string_view fallback{};
    PlaceFunction special = nullptr;
    std::uint16_t field = kNoField;
  };

  void add_place(std::string_view place, std::span<const Field> fields,
                 std::span<const SpecialPlace> special);

  std::vector<Piece> pieces_;
};

}  // namespace saranga::print
