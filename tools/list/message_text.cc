#include "tools/list/message_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cli/humanise.h"
#include "tools/cli/text_width.h"
#include "tools/list/message_json.h"
#include "tools/print/amqp_text.h"
#include "tools/print/property_map.h"

namespace saranga::list {
namespace {

constexpr std::size_t kShownTextBytes = std::size_t{1} << 20;
constexpr std::size_t kShownHexBytes = std::size_t{1} << 16;
constexpr std::size_t kHexRow = 16;

void append_lines(std::string& out, std::string_view text, std::string_view indent) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += indent;
    out += cli::printable(text.substr(0, end)) + "\n";
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

// Offset, sixteen bytes, and those of them that are ASCII.
void append_hex_rows(std::string& out, Bytes bytes, std::string_view indent) {
  const Bytes shown = bytes.first(std::min(bytes.size(), kShownHexBytes));
  for (std::size_t at = 0; at < shown.size(); at += kHexRow) {
    std::string digits;
    std::string characters;
    for (const std::byte b : shown.subspan(at, std::min(kHexRow, shown.size() - at))) {
      const auto value = static_cast<unsigned char>(b);
      digits += fmt::format("{:02x} ", value);
      characters += value >= 0x20 && value < 0x7F ? static_cast<char>(value) : '.';
    }
    out += fmt::format("{}{:08x}  {:<48} {}\n", indent, at, digits, characters);
  }
  if (shown.size() < bytes.size()) {
    out += fmt::format("{}… {} more; --output with --format jsonl has all of them\n", indent,
                       cli::human_bytes(bytes.size() - shown.size()));
  }
}

std::string value_text(const message::PropertyValue& value) {
  using message::PropertyType;
  switch (value.type) {
    case PropertyType::kNull: return "null";
    case PropertyType::kBoolean: return value.number != 0 ? "true" : "false";
    case PropertyType::kFloat: return fmt::format("{}", value.as_float());
    case PropertyType::kDouble: return fmt::format("{}", value.as_double());
    case PropertyType::kString: return value.text.str();
    case PropertyType::kBytes: return fmt::format("({} bytes)", value.bytes.size());
    case PropertyType::kChar: {
      TextBuffer character;
      append_code_point(character, static_cast<std::uint32_t>(value.number) & 0xFFFFU);
      return character.str();
    }
    default: return fmt::format("{}", value.number);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> property_entries(
    const message::StoredMessage& message) {
  std::vector<std::pair<std::string, std::string>> entries;
  if (message.core) {
    for (const auto& property : print::unique_properties(message.core->headers.properties)) {
      entries.emplace_back(property.key.str(), value_text(property.value));
    }
  } else if (message.amqp) {
    namespace amqp = message::amqp;
    const amqp::Message scanned = amqp::Message::of(*message.amqp);
    auto elements = scanned.section(amqp::SectionKind::kApplicationProperties).value.elements();
    while (const auto entry = elements.next_entry()) {
      TextBuffer value;
      print::append_amqp_value(value, entry->value);
      entries.emplace_back(entry->key.text().str(), value.str());
    }
  }
  return entries;
}

std::string properties_text(const message::StoredMessage& message) {
  std::string out;
  for (const auto& [name, value] : property_entries(message)) {
    if (!out.empty()) out += ", ";
    out += name;
    out += '=';
    out += value;
  }
  return out;
}

std::string body_lines(const store::LiveMessage& message, const MessageBody& body,
                       BodyDetail detail, std::string_view indent) {
  std::string out;
  if (detail == BodyDetail::kNone) return out;
  if (body.where == MessageBody::Where::kMissing) return std::string(indent) + "(no body file)\n";
  if (detail == BodyDetail::kHex && body.where != MessageBody::Where::kLongFile) {
    append_hex_rows(out, body_bytes(body), indent);
    return out;
  }
  const bool wants_text = detail == BodyDetail::kText || detail == BodyDetail::kFull;
  if (const auto text = wants_text ? plain_text(body) : std::nullopt) {
    append_lines(out, std::string_view(*text).substr(0, kShownTextBytes), indent);
    if (text->size() > kShownTextBytes) out += std::string(indent) + "…\n";
    return out;
  }
  if (detail == BodyDetail::kFull && body.where != MessageBody::Where::kLongFile) {
    return std::string(indent) + cli::printable(body_json(body, detail)) + "\n";
  }
  return fmt::format("{}({}, {})\n", indent, body_kind(message),
                     cli::human_bytes(body_size(message, body).value_or(0)));
}

}  // namespace saranga::list
