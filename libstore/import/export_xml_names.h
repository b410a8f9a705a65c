// The elements of an export and their attributes (docs/format/export-xml.md#elements).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace saranga::store {

enum class ExportElement : std::uint8_t {
  kDocument,  ///< what is around the root
  kRoot,
  kBindings,
  kMessages,
  kAddressBinding,
  kQueueBinding,
  kOldBinding,
  kMessage,
  kProperties,
  kProperty,
  kQueues,
  kQueue,
  kBody,
};

/// The most attributes that an element has.
inline constexpr std::size_t kMostAttributes = 6;

struct ExportElementRow {
  std::string_view name;
  ExportElement element;
  ExportElement parent;
  std::string_view attributes[kMostAttributes];  ///< empty names behind the last
};

/// The row of an element; null for kDocument.
[[nodiscard]] const ExportElementRow* row_of(ExportElement element);
/// The row of a name within a parent; null when it has no meaning there.
[[nodiscard]] const ExportElementRow* find_row(ExportElement parent, std::string_view name);
/// The row of a name, wherever it belongs.
[[nodiscard]] const ExportElementRow* find_row(std::string_view name);

/// The place of a name in a row's attributes, and whether it is the form x-<name>-utf16.
struct AttributePlace {
  std::size_t index = 0;
  bool utf16 = false;
};
[[nodiscard]] std::optional<AttributePlace> find_attribute(const ExportElementRow& row,
                                                           std::string_view name);

}  // namespace saranga::store
