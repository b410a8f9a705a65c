// Which content types a broker takes for text. Private to the library.
#pragma once

#include <cstdint>
#include <string_view>

namespace saranga::message::amqp {

inline constexpr std::string_view kJavaObject = "application/x-java-serialized-object";
inline constexpr std::string_view kOctetStream = "application/octet-stream";

enum class TextKind : std::uint8_t {
  kNone,          ///< no text
  kUtf8,          ///< text, in UTF-8 by its charset or for want of one
  kOtherCharset,  ///< text in another charset
};

/// What a content type like "text/plain; charset=utf-8" says. Case does not matter.
[[nodiscard]] TextKind text_kind(std::string_view content_type);

}  // namespace saranga::message::amqp
