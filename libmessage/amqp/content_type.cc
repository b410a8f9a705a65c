#include "libmessage/amqp/content_type.h"

#include <algorithm>
#include <string>

namespace saranga::message::amqp {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool is_textual(std::string_view type, std::string_view subtype) {
  constexpr std::string_view kTextual[] = {"xml", "json", "javascript", "xml-dtd", "ecmascript"};
  if (type == "text") return true;
  return type == "application" && (std::ranges::find(kTextual, subtype) != std::end(kTextual) ||
                                   subtype.ends_with("+xml") || subtype.ends_with("+json"));
}

// Empty when the parameters name none.
std::string_view charset_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    const std::string_view parameter = trimmed(parameters.substr(0, end));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) continue;
    if (trimmed(parameter.substr(0, equals)) != "charset") continue;
    std::string_view value = parameter.substr(equals + 1);
    if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
      value = value.substr(1, value.size() - 2);
    }
    return value;
  }
  return {};
}

}  // namespace

TextKind text_kind(std::string_view content_type) {
  std::string lower(content_type);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view all = lower;
  const std::size_t slash = all.find('/');
  if (slash == std::string_view::npos) return TextKind::kNone;
  const std::string_view rest = all.substr(slash + 1);
  const std::size_t semicolon = std::min(rest.find(';'), rest.size());
  if (!is_textual(trimmed(all.substr(0, slash)), trimmed(rest.substr(0, semicolon)))) {
    return TextKind::kNone;
  }
  const std::string_view charset = charset_of(rest.substr(std::min(semicolon + 1, rest.size())));
  return charset.empty() || charset == "utf-8" ? TextKind::kUtf8 : TextKind::kOtherCharset;
}

}  // namespace saranga::message::amqp
