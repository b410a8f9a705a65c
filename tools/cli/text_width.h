// How wide text is on a terminal, and text from a store made safe to show there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace saranga::cli {

/// Columns of one character: 0 for combining marks, 2 for wide East Asian characters and most
/// emoji.
[[nodiscard]] std::size_t character_width(std::uint32_t character);

/// Columns of a text without control characters.
[[nodiscard]] std::size_t text_width(std::string_view utf8);

/// The text with control characters, characters that turn the writing direction, surrogates and
/// bytes that are no UTF-8 written as \n, \u001b or \xff: names come from strangers, and must
/// neither steer the terminal nor break a line.
[[nodiscard]] std::string printable(std::string_view text);

/// The text, or as much of its beginning as fits with an ellipsis behind it.
[[nodiscard]] std::string cut_to_width(std::string_view utf8, std::size_t width);

}  // namespace saranga::cli
