// The elements of a message in an export, as their attributes describe them
// (docs/format/export-xml.md#elements).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libstore/import/export_xml_attributes.h"
#include "libstore/import/export_xml_message.h"

namespace saranga::store {

/// Reads the attributes at hand into the message at hand. One thread.
class ExportXmlElements {
 public:
  /// `max_head_bytes` bounds the properties and queue names of a message together.
  explicit ExportXmlElements(std::uint64_t max_head_bytes) : max_head_bytes_(max_head_bytes) {}

  ExportXmlAttributes attributes{};
  ExportXmlMessage message{};
  std::map<std::string, std::string, std::less<>> renamed_queues{};  ///< new names by old ones

  /// Of <message>: forgets the message before. Gives its id in the export.
  [[nodiscard]] ExportRead<std::optional<std::int64_t>> head();
  [[nodiscard]] ExportRead<void> property();  ///< of <property>
  [[nodiscard]] ExportRead<void> queue();     ///< of <queue>
  [[nodiscard]] ExportRead<void> body();      ///< of <body>: whether the message is large

 private:
  [[nodiscard]] ExportRead<void> put(std::string_view key, std::string_view type,
                                     std::string_view text);
  [[nodiscard]] bool put_number(std::string_view key, std::string_view type, std::string_view text);
  [[nodiscard]] ExportRead<void> bound_head() const;

  std::uint64_t max_head_bytes_;
  std::vector<std::byte> bytes_;
};

}  // namespace saranga::store
