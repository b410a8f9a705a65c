// Messages of an export that need no XML parser, because they look as Artemis and saranga write
// almost all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libstore/import/export_xml_elements.h"

namespace saranga::store {

/// A message that was read as a whole.
struct WholeXmlMessage {
  std::optional<std::int64_t> id{};  ///< in the export
  std::size_t end_tag = 0;           ///< where `</message>` begins in the text
  std::size_t size_bytes = 0;        ///< of the text that it takes
};

struct WholeXmlOptions {
  bool is_utf8 = false;  ///< other characters than ASCII are UTF-8
  std::uint64_t max_head_bytes = 0;
  std::uint64_t max_body_bytes = 0;
};

/// Reads the message at the beginning of a text, blanks in front of it included, into
/// `elements.message`. Nothing, with that in any state, when it is not all there, or is anything
/// but this, whose meaning no parser could see otherwise:
///
/// * `<message>`, in it `<properties>`, `<queues>` and `<body>` in this order, as far as they are
///   there, and blanks between tags;
/// * one blank in front of each attribute, none elsewhere in a tag; names that have a meaning, each
///   once; values in double quotes, without `<` and control characters, and with those references
///   that saranga writes;
/// * no body file; as body one CDATA section of Base64;
/// * no value that an import would refuse, and nothing beyond the bounds.
[[nodiscard]] std::optional<WholeXmlMessage> read_whole_message(std::string_view text,
                                                                ExportXmlElements& elements,
                                                                const WholeXmlOptions& options);

}  // namespace saranga::store
