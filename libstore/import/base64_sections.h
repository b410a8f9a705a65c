// Base64 that comes in pieces: a text of a section, or several texts behind each other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "saranga/bytes/bytes.h"

namespace saranga::store {

/// Decodes either alphabet, padded or not, with blanks and line ends anywhere. Behind padding a new
/// text may begin, if there is a blank in between. One thread.
class Base64Sections {
 public:
  /// Appends what the characters stand for; false at one that cannot be.
  [[nodiscard]] bool feed(std::string_view text, std::vector<std::byte>& out);
  /// Ends a text; false when characters are missing, or the last one has bits too many.
  [[nodiscard]] bool end(std::vector<std::byte>& out);

 private:
  [[nodiscard]] bool one(unsigned char c, std::vector<std::byte>& out);

  std::uint32_t bits_ = 0;
  unsigned digits_ = 0;   // since the last whole group
  unsigned padding_ = 0;  // characters of it still to come
  bool padded_ = false;   // nothing but a blank may come
};

}  // namespace saranga::store
