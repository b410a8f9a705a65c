// The attributes of one element of an export.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "libstore/import/export_xml_names.h"

namespace saranga::store {

/// What an element says, or what is wrong with it, as a text for people without its place.
template <class T>
using ExportRead = std::expected<T, std::string>;

/// Values by their place in the row of the element. Views of whoever sets them, and of its own
/// room. One thread.
class ExportXmlAttributes {
 public:
  /// Forgets the element before.
  void begin(const ExportElementRow& row);
  /// Where the value of an attribute belongs, a view without data as long as there is none; null
  /// for a name that has no meaning here.
  [[nodiscard]] std::string_view* place(std::string_view name);
  /// The same of a name that the row has.
  [[nodiscard]] std::string_view* place(std::size_t index) { return &plain_[index]; }

  [[nodiscard]] bool has(std::size_t index) const { return plain_[index].data() != nullptr; }
  [[nodiscard]] bool has_utf16(std::size_t index) const { return utf16_[index].data() != nullptr; }
  /// As it stands there, empty when it does not.
  [[nodiscard]] std::string_view plain(std::size_t index) const { return plain_[index]; }
  /// Its second form goes first; nothing when that is damaged. The view holds until the next call
  /// for the same index.
  [[nodiscard]] std::optional<std::string_view> text(std::size_t index);
  /// The same of one that has to be there.
  [[nodiscard]] ExportRead<std::string_view> required(std::size_t index);
  /// 0 when it is not there.
  [[nodiscard]] ExportRead<std::int64_t> number(std::size_t index, std::int64_t least,
                                                std::int64_t most) const;
  /// That it is not what was wanted.
  [[nodiscard]] std::unexpected<std::string> wrong(std::size_t index,
                                                   std::string_view wanted) const;

 private:
  const ExportElementRow* row_ = nullptr;
  std::array<std::string_view, kMostAttributes> plain_{};
  std::array<std::string_view, kMostAttributes> utf16_{};
  std::array<std::string, kMostAttributes> room_{};
};

/// As much of a text from the document as belongs into a message to people.
[[nodiscard]] std::string shown_text(std::string_view text);

}  // namespace saranga::store
