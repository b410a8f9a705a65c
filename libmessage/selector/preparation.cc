#include "libmessage/selector/preparation.h"

#include <algorithm>
#include <iterator>

#include "libmessage/selector/units.h"

namespace saranga::message::selector {
namespace {

struct Translation {
  std::string_view from;
  std::string_view to;
};

// In the order in which they are made, each on the result of the one before.
constexpr Translation kTranslations[] = {
    {"JMSDeliveryMode", "AMQDurable"},     {"'PERSISTENT'", "'DURABLE'"},
    {"'NON_PERSISTENT'", "'NON_DURABLE'"}, {"JMSPriority", "AMQPriority"},
    {"JMSTimestamp", "AMQTimestamp"},      {"JMSMessageID", "AMQUserID"},
    {"JMSExpiration", "AMQExpiration"},    {"JMSXGroupID", "AMQGroupID"},
};

struct Range {
  std::uint16_t first;
  std::uint16_t last;
};

// The letters, digits, currency signs, connectors, marks and format characters behind ASCII, by
// Unicode 14. Code points that are not assigned count as what is around them.
constexpr Range kIdentifierParts[] = {
    {0x0080, 0x009F}, {0x00A2, 0x00A5}, {0x00AA, 0x00AA}, {0x00AD, 0x00AD}, {0x00B5, 0x00B5},
    {0x00BA, 0x00BA}, {0x00C0, 0x00D6}, {0x00D8, 0x00F6}, {0x00F8, 0x02C1}, {0x02C6, 0x02D1},
    {0x02E0, 0x02E4}, {0x02EC, 0x02EC}, {0x02EE, 0x02EE}, {0x0300, 0x0374}, {0x0376, 0x037D},
    {0x037F, 0x037F}, {0x0386, 0x0386}, {0x0388, 0x03F5}, {0x03F7, 0x0481}, {0x0483, 0x0487},
    {0x048A, 0x0559}, {0x0560, 0x0588}, {0x058F, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
    {0x05C4, 0x05C5}, {0x05C7, 0x05F2}, {0x0600, 0x0605}, {0x060B, 0x060B}, {0x0610, 0x061A},
    {0x061C, 0x061C}, {0x0620, 0x0669}, {0x066E, 0x06D3}, {0x06D5, 0x06DD}, {0x06DF, 0x06E8},
    {0x06EA, 0x06FC}, {0x06FF, 0x06FF}, {0x070F, 0x07F5}, {0x07FA, 0x082D}, {0x0840, 0x085B},
    {0x0860, 0x0887}, {0x0889, 0x0963}, {0x0966, 0x096F}, {0x0971, 0x09F3}, {0x09FB, 0x09FC},
    {0x09FE, 0x0A75}, {0x0A81, 0x0AEF}, {0x0AF1, 0x0B6F}, {0x0B71, 0x0B71}, {0x0B82, 0x0BEF},
    {0x0BF9, 0x0BF9}, {0x0C00, 0x0C6F}, {0x0C80, 0x0C83}, {0x0C85, 0x0D4E}, {0x0D54, 0x0D57},
    {0x0D5F, 0x0D6F}, {0x0D7A, 0x0DF3}, {0x0E01, 0x0E4E}, {0x0E50, 0x0E59}, {0x0E81, 0x0F00},
    {0x0F18, 0x0F19}, {0x0F20, 0x0F29}, {0x0F35, 0x0F35}, {0x0F37, 0x0F37}, {0x0F39, 0x0F39},
    {0x0F3E, 0x0F84}, {0x0F86, 0x0FBC}, {0x0FC6, 0x0FC6}, {0x1000, 0x1049}, {0x1050, 0x109D},
    {0x10A0, 0x10FA}, {0x10FC, 0x135F}, {0x1380, 0x138F}, {0x13A0, 0x13FD}, {0x1401, 0x166C},
    {0x166F, 0x167F}, {0x1681, 0x169A}, {0x16A0, 0x16EA}, {0x16EE, 0x1734}, {0x1740, 0x17D3},
    {0x17D7, 0x17D7}, {0x17DB, 0x17E9}, {0x180B, 0x193B}, {0x1946, 0x19D9}, {0x1A00, 0x1A1B},
    {0x1A20, 0x1A99}, {0x1AA7, 0x1AA7}, {0x1AB0, 0x1ABD}, {0x1ABF, 0x1B59}, {0x1B6B, 0x1B73},
    {0x1B80, 0x1BF3}, {0x1C00, 0x1C37}, {0x1C40, 0x1C7D}, {0x1C80, 0x1CBF}, {0x1CD0, 0x1CD2},
    {0x1CD4, 0x1FBC}, {0x1FBE, 0x1FBE}, {0x1FC2, 0x1FCC}, {0x1FD0, 0x1FDB}, {0x1FE0, 0x1FEC},
    {0x1FF2, 0x1FFC}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x203F, 0x2040}, {0x2054, 0x2054},
    {0x2060, 0x206F}, {0x2071, 0x2071}, {0x207F, 0x207F}, {0x2090, 0x20DC}, {0x20E1, 0x20E1},
    {0x20E5, 0x20F0}, {0x2102, 0x2102}, {0x2107, 0x2107}, {0x210A, 0x2113}, {0x2115, 0x2115},
    {0x2119, 0x211D}, {0x2124, 0x2124}, {0x2126, 0x2126}, {0x2128, 0x2128}, {0x212A, 0x212D},
    {0x212F, 0x2139}, {0x213C, 0x213F}, {0x2145, 0x2149}, {0x214E, 0x214E}, {0x2160, 0x2188},
    {0x2C00, 0x2CE4}, {0x2CEB, 0x2CF3}, {0x2D00, 0x2D6F}, {0x2D7F, 0x2DFF}, {0x2E2F, 0x2E2F},
    {0x3005, 0x3007}, {0x3021, 0x302F}, {0x3031, 0x3035}, {0x3038, 0x303C}, {0x3041, 0x309A},
    {0x309D, 0x309F}, {0x30A1, 0x30FA}, {0x30FC, 0x318E}, {0x31A0, 0x31BF}, {0x31F0, 0x31FF},
    {0x3400, 0x4DBF}, {0x4E00, 0xA48C}, {0xA4D0, 0xA4FD}, {0xA500, 0xA60C}, {0xA610, 0xA66F},
    {0xA674, 0xA67D}, {0xA67F, 0xA6F1}, {0xA717, 0xA71F}, {0xA722, 0xA788}, {0xA78B, 0xA827},
    {0xA82C, 0xA82C}, {0xA838, 0xA838}, {0xA840, 0xA873}, {0xA880, 0xA8C5}, {0xA8D0, 0xA8F7},
    {0xA8FB, 0xA8FB}, {0xA8FD, 0xA92D}, {0xA930, 0xA953}, {0xA960, 0xA9C0}, {0xA9CF, 0xA9D9},
    {0xA9E0, 0xAA59}, {0xAA60, 0xAA76}, {0xAA7A, 0xAADD}, {0xAAE0, 0xAAEF}, {0xAAF2, 0xAB5A},
    {0xAB5C, 0xAB69}, {0xAB70, 0xABEA}, {0xABEC, 0xD7FB}, {0xF900, 0xFB28}, {0xFB2A, 0xFBB1},
    {0xFBD3, 0xFD3D}, {0xFD50, 0xFDC7}, {0xFDF0, 0xFDFC}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xFE33, 0xFE34}, {0xFE4D, 0xFE4F}, {0xFE69, 0xFE69}, {0xFE70, 0xFEFF}, {0xFF04, 0xFF04},
    {0xFF10, 0xFF19}, {0xFF21, 0xFF3A}, {0xFF3F, 0xFF3F}, {0xFF41, 0xFF5A}, {0xFF66, 0xFFE1},
    {0xFFE5, 0xFFE6}, {0xFFF9, 0xFFFB},
};

bool is_ascii_part(std::int32_t c) {
  const bool control = c <= 8 || (c >= 0x0E && c <= 0x1B) || c == 0x7F;
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return control || letter || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// The code point that ends just before `at`.
std::int32_t code_point_before(std::string_view text, std::size_t at) {
  std::size_t from = at - 1;
  while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) --from;
  return UnitReader(Text(text.substr(from, at - from))).next_code_point();
}

std::int32_t code_point_at(std::string_view text, std::size_t at) {
  return UnitReader(Text(text.substr(at, 4))).next_code_point();
}

// Whether what stands from `from` up to `to` is a whole word.
bool stands_alone(std::string_view text, std::size_t from, std::size_t to) {
  if (to < text.size() && is_java_identifier_part(code_point_at(text, to))) return false;
  return from == 0 || !is_java_identifier_part(code_point_before(text, from));
}

// Where `wanted` has to be replaced. The search is Artemis' own: it knows nothing of quotes but the
// single one, and where a match breaks off it does not look at the same character again.
std::vector<std::size_t> find_all(std::string_view text, std::string_view wanted) {
  std::vector<std::size_t> places;
  const bool inside_quotes = wanted.front() == '\'';
  bool quoted = false;
  std::size_t matched = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\'') quoted = !quoted;
    if ((quoted && !inside_quotes) || text[at] != wanted[matched]) {
      matched = 0;
      continue;
    }
    if (++matched < wanted.size()) continue;
    matched = 0;
    const std::size_t from = at + 1 - wanted.size();
    if (stands_alone(text, from, at + 1)) places.push_back(from);
  }
  return places;
}

}  // namespace

bool is_java_identifier_part(std::int32_t code_point) {
  if (code_point < 0x80) return is_ascii_part(code_point);
  const auto after = std::ranges::upper_bound(kIdentifierParts, code_point, {}, &Range::first);
  return after != std::begin(kIdentifierParts) && code_point <= std::prev(after)->last;
}

PreparedText::PreparedText(std::string_view text, SelectorSource source) : text_(text) {
  if (source == SelectorSource::kString) {
    // As String.trim() does it, which takes every control character for a blank.
    const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    while (!text.empty() && is_blank(text.front())) {
      text.remove_prefix(1);
      ++shift_;
    }
    text_ = text;
  }
  if (source == SelectorSource::kJms) {
    for (const auto& [from, to] : kTranslations) translate(from, to);
  }
}

void PreparedText::translate(std::string_view from, std::string_view to) {
  if (text_.find(from) == std::string::npos) return;
  const std::vector<std::size_t> places = find_all(text_, from);
  if (places.empty()) return;
  std::string text;
  std::vector<std::uint32_t> origins;
  std::size_t at = 0;
  const auto copy = [&](std::size_t end) {
    for (; at < end; ++at) {
      text += text_[at];
      origins.push_back(static_cast<std::uint32_t>(origin(at)));
    }
  };
  for (const std::size_t place : places) {
    copy(place);
    text += to;
    origins.resize(text.size(), static_cast<std::uint32_t>(origin(place)));
    at = place + from.size();
  }
  copy(text_.size());
  origins.push_back(static_cast<std::uint32_t>(origin(text_.size())));
  text_ = std::move(text);
  origins_ = std::move(origins);
}

Prefixes read_prefixes(std::string_view text) {
  Prefixes prefixes;
  const auto take = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    prefixes.size_bytes += prefix.size();
    return true;
  };
  while (true) {
    if (take("convert_string_expressions:")) {
      prefixes.convert_texts = true;
    } else if (take("no_convert_string_expressions:")) {
      prefixes.convert_texts = false;
    } else if (take("hyphenated_props:")) {
      prefixes.hyphenated_names = true;
    } else if (take("no_hyphenated_props:")) {
      prefixes.hyphenated_names = false;
    } else {
      return prefixes;
    }
  }
}

}  // namespace saranga::message::selector
