// What happens to the text of a selector before it is parsed
// (docs/format/selectors.md#preparation).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/message/selector.h"

namespace saranga::message::selector {

/// A prepared text that remembers where its bytes came from.
class PreparedText {
 public:
  /// The text has to be valid UTF-8 and shorter than 4 GiB.
  PreparedText(std::string_view text, SelectorSource source);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Where in the original text the byte of the prepared one stands.
  [[nodiscard]] std::size_t origin(std::size_t offset) const {
    return origins_.empty() ? offset + shift_ : origins_[offset];
  }

 private:
  void translate(std::string_view from, std::string_view to);

  std::string text_;
  std::size_t shift_ = 0;                 // bytes cut off at the front
  std::vector<std::uint32_t> origins_{};  // of each byte and of the end; empty when all just shift
};

/// What the prefixes of a selector say.
struct Prefixes {
  std::size_t size_bytes = 0;  ///< how much of the text they take
  bool convert_texts = false;
  bool hyphenated_names = false;
};
[[nodiscard]] Prefixes read_prefixes(std::string_view text);

/// Character.isJavaIdentifierPart() of a code point; false beyond the basic plane, whose characters
/// Java sees as two units here.
[[nodiscard]] bool is_java_identifier_part(std::int32_t code_point);

}  // namespace saranga::message::selector
