#include "saranga/bytes/cursor.h"

#include <fmt/format.h>

namespace saranga {

namespace {
constexpr std::int32_t kShortStringUnits = 9;    // fewer are written as plain UTF-16BE units
constexpr std::int32_t kLongStringUnits = 4095;  // from here on the text is a whole SimpleString
}  // namespace

Error Cursor::error() const {
  return Error{
      .code = ErrorCode::kDamaged, .text = fmt::format("value {}", problem()), .offset = at_};
}

Text Cursor::string() {
  const std::int32_t units = i32();
  if (units < 0) {
    fail("has a negative length");
    return {};
  }
  if (units < kShortStringUnits) {
    return {take(static_cast<std::uint64_t>(units) * 2), TextEncoding::kUtf16Be};
  }
  return units < kLongStringUnits ? utf() : simple_string();
}

}  // namespace saranga
