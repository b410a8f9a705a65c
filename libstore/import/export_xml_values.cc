#include "libstore/import/export_xml_values.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "libstore/import/base64_sections.h"
#include "saranga/bytes/utf8.h"

namespace saranga::store {
namespace {

constexpr std::size_t kUuidBytes = 16;
constexpr std::size_t kUuidCharacters = 36;

bool equals_in_any_case(std::string_view text, std::string_view small) {
  return std::ranges::equal(text, small, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

template <class T>
std::optional<T> read_floating(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  T value{};
  if (text == "NaN") {
    value = std::numeric_limits<T>::quiet_NaN();
  } else if (text == "Infinity") {
    value = std::numeric_limits<T>::infinity();
  } else {
    // from_chars would take "nan" and "inf", too.
    if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return {};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) return {};
  }
  return negative ? -value : value;
}

}  // namespace

std::optional<std::int64_t> read_integer(std::string_view text, std::int64_t least,
                                         std::int64_t most) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || value < least || value > most) return {};
  return value;
}

std::optional<double> read_double(std::string_view text) { return read_floating<double>(text); }

std::optional<float> read_float(std::string_view text) { return read_floating<float>(text); }

std::optional<bool> read_boolean(std::string_view text) {
  if (equals_in_any_case(text, "true")) return true;
  if (equals_in_any_case(text, "false")) return false;
  return {};
}

std::optional<std::array<std::byte, 16>> read_user_id(std::string_view text) {
  std::array<std::byte, kUuidBytes> id{};
  if (text.starts_with("ID:")) text.remove_prefix(3);
  if (text.size() != kUuidCharacters) {
    std::vector<std::byte> bytes;
    if (!append_any_base64(bytes, text) || bytes.size() != kUuidBytes) return {};
    std::ranges::copy(bytes, id.begin());
    return id;
  }
  std::size_t at = 0;
  for (std::byte& byte : id) {
    if (at == 8 || at == 13 || at == 18 || at == 23) {
      if (text[at++] != '-') return {};
    }
    unsigned value = 0;
    const char* const end = text.data() + at + 2;
    const auto read = std::from_chars(text.data() + at, end, value, 16);
    if (read.ec != std::errc{} || read.ptr != end) return {};
    byte = static_cast<std::byte>(value);
    at += 2;
  }
  return id;
}

std::optional<Routing> read_routing_types(std::string_view text) {
  Routing routing;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view type = text.substr(0, end);
    while (type.starts_with(' ')) type.remove_prefix(1);
    while (type.ends_with(' ')) type.remove_suffix(1);
    if (type == "ANYCAST") {
      routing.anycast = true;
    } else if (type == "MULTICAST") {
      routing.multicast = true;
    } else {
      return {};
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return routing;
}

std::optional<message::CoreType> read_message_type(std::string_view text) {
  using message::CoreType;
  if (text == "default") return CoreType::kDefault;
  if (text == "object") return CoreType::kObject;
  if (text == "text") return CoreType::kText;
  if (text == "bytes") return CoreType::kBytes;
  if (text == "map") return CoreType::kMap;
  if (text == "stream") return CoreType::kStream;
  return {};
}

bool append_any_base64(std::vector<std::byte>& out, std::string_view text) {
  Base64Sections sections;
  return sections.feed(text, out) && sections.end(out);
}

std::optional<std::string> read_utf16(std::string_view base64) {
  std::vector<std::byte> bytes;
  if (!append_any_base64(bytes, base64) || bytes.size() % 2 != 0) return {};
  return Text(bytes, TextEncoding::kUtf16Be).str();
}

std::optional<char16_t> read_char(std::string_view text) {
  if (text.empty()) return {};
  const std::uint32_t code = take_code_point(text);
  if (!text.empty() || code > 0xFFFF) return {};
  return static_cast<char16_t>(code);
}

}  // namespace saranga::store
