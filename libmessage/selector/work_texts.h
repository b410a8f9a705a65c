// Texts that come into being while a selector is evaluated.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>

#include "libmessage/selector/value.h"

namespace saranga::message::selector {

/// Owns the texts of one evaluation; views of them stay valid as long as it lives. All are in one
/// encoding, that of the message at hand, so that comparing them is cheap. Together they may take
/// Selector::kMaximumWorkBytes.
class WorkTexts {
 public:
  explicit WorkTexts(TextEncoding encoding) : encoding_(encoding) {}

  /// A new text.
  [[nodiscard]] std::string& create() { return texts_.emplace_back(); }
  [[nodiscard]] Text view(const std::string& text) const { return {as_bytes(text), encoding_}; }
  [[nodiscard]] Value value(std::string& text) const { return text_value(view(text)); }

  /// Appending; false once there is no more room.
  [[nodiscard]] bool append(std::string& out, const Text& text);
  [[nodiscard]] bool append_ascii(std::string& out, std::string_view ascii);
  /// What Java puts behind a text for a value that is not null.
  [[nodiscard]] bool append_spelling(std::string& out, const Value& value);

 private:
  [[nodiscard]] bool charge(std::size_t bytes);
  void append_unit(std::string& out, std::int32_t unit);

  TextEncoding encoding_;
  std::size_t used_bytes_ = 0;
  std::list<std::string> texts_;  // a list, so that the texts stay where they are
};

/// The 36 characters of a UUID of 16 bytes.
[[nodiscard]] std::string spell_uuid(Bytes bytes);

/// Bytes as AMQP's Binary prints them: what is printable, and \xNN for the rest.
[[nodiscard]] std::string spell_binary(Bytes bytes);

}  // namespace saranga::message::selector
