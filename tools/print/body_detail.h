// How much of a message's body a printer shows: option --body of every verb that shows messages.
#pragma once

#include <cstdint>

namespace saranga::cli {
class CommandLine;
}

namespace saranga::print {

enum class BodyDetail : std::uint8_t {
  kNone,     ///< nothing, not even its size
  kSummary,  ///< what it is, and its size in bytes
  kText,     ///< as text where it is text, else the summary
  kHex,      ///< its bytes
  kFull,     ///< decoded, and lossless
};

/// Declares --body with the names of these; both must outlive the parsing.
void add_body_option(cli::CommandLine& line, BodyDetail& detail, const char* text);

}  // namespace saranga::print
