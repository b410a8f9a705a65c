#include "libstore/import/export_xml_whole.h"

#include <array>
#include <string>
#include <utility>

#include "libstore/import/base64_sections.h"
#include "saranga/bytes/utf8.h"

namespace saranga::store {
namespace {

constexpr std::string_view kSection = "<![CDATA[";
constexpr std::string_view kSectionEnd = "]]>";
constexpr std::string_view kMessageEnd = "</message>";

// What stands for itself between double quotes.
constexpr std::array<bool, 256> make_value_characters() {
  std::array<bool, 256> plain{};
  for (unsigned c = ' '; c <= '~'; ++c) plain[c] = c != '"' && c != '&' && c != '<';
  return plain;
}

constexpr std::array<bool, 256> kValueCharacters = make_value_characters();

constexpr std::pair<std::string_view, char> kReferences[] = {
    {"&amp;", '&'},   {"&lt;", '<'},  {"&gt;", '>'},   {"&quot;", '"'},
    {"&apos;", '\''}, {"&#9;", '\t'}, {"&#10;", '\n'}, {"&#13;", '\r'}};

// Beyond ASCII.
bool is_xml_character(std::uint32_t code) {
  return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) && code != 0xFFFE && code != 0xFFFF;
}

/// Goes over a text; each step is false when something else stands there.
class WholeReader {
 public:
  WholeReader(std::string_view text, ExportXmlElements& elements, bool is_utf8)
      : begin_(text.data()),
        at_(begin_),
        end_(begin_ + text.size()),
        elements_(elements),
        is_utf8_(is_utf8) {}

  [[nodiscard]] std::size_t place() const { return static_cast<std::size_t>(at_ - begin_); }

  [[nodiscard]] bool literal(std::string_view wanted) {
    if (!left().starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  void blanks() {
    while (true) {
      while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t')) ++at_;
      if (!literal("\r\n")) return;
    }
  }

  // Up to the end of the tag, whose name has been read.
  [[nodiscard]] bool attributes(const ExportElementRow& row) {
    elements_.attributes.begin(row);
    for (std::size_t next = 0; at_ != end_ && *at_ == ' '; ++next) {
      ++at_;
      if (!attribute(row, next)) return false;
    }
    return true;
  }

  // An element with others in it that have but attributes.
  template <class Each>
  [[nodiscard]] bool list(std::string_view begin, std::string_view end, std::string_view tag,
                          const ExportElementRow& row, Each each) {
    if (!literal(begin)) return true;
    while (true) {
      blanks();
      if (literal(end)) break;
      if (!literal(tag) || !attributes(row) || !literal("/>") || !each()) return false;
    }
    blanks();
    return true;
  }

  [[nodiscard]] bool body(const ExportElementRow& row, std::uint64_t max_bytes) {
    if (!literal("<body")) return true;
    ExportXmlMessage& message = elements_.message;
    if (!attributes(row) || !literal(">") || !elements_.body() || message.made.large) return false;
    blanks();
    if (!literal(kSection)) return false;
    const std::string_view content = left().substr(0, left().find(kSectionEnd[0]));
    at_ += content.size();
    Base64Sections sections;
    if (!literal(kSectionEnd) || !sections.feed(content, message.body) ||
        !sections.end(message.body) || message.body.size() > max_bytes) {
      return false;
    }
    blanks();
    if (!literal("</body>")) return false;
    blanks();
    return true;
  }

 private:
  [[nodiscard]] std::string_view left() const { return {at_, end_}; }

  // Most come in the order of their row, which `next` follows.
  [[nodiscard]] bool attribute(const ExportElementRow& row, std::size_t next) {
    const std::string_view guess = next < kMostAttributes ? row.attributes[next] : "";
    std::string_view* place = nullptr;
    if (!guess.empty() && left().starts_with(guess) && left().substr(guess.size(), 1) == "=") {
      place = elements_.attributes.place(next);
      at_ += guess.size();
    } else {
      const std::string_view name = left().substr(0, left().substr(0, kMostNameBytes).find('='));
      place = elements_.attributes.place(name);
      at_ += name.size();
    }
    if (place == nullptr || place->data() != nullptr || !literal("=\"")) return false;
    const char* const value = at_;
    while (at_ != end_ && kValueCharacters[static_cast<unsigned char>(*at_)]) ++at_;
    *place = {value, at_};
    return literal("\"") || (next < rooms_.size() && rest_of_value(*place, rooms_[next]));
  }

  // Of a value in which a character means another one, or is none of ASCII.
  [[nodiscard]] bool rest_of_value(std::string_view& value, std::string& room) {
    room = value;
    while (!literal("\"")) {
      std::string_view rest = left();
      const char* const begin = at_;
      if (rest.empty()) return false;
      if (rest.front() == '&') {
        if (!reference(room)) return false;
        continue;
      }
      const std::uint32_t code = take_code_point(rest);
      const bool plain = code < 0x80 ? kValueCharacters[code] : is_utf8_ && is_xml_character(code);
      if (!plain) return false;
      at_ = rest.data();
      room.append(begin, at_);
    }
    value = room;
    return true;
  }

  [[nodiscard]] bool reference(std::string& room) {
    for (const auto& [text, character] : kReferences) {
      if (!literal(text)) continue;
      room += character;
      return true;
    }
    return false;
  }

  static constexpr std::size_t kMostNameBytes = 64;

  const char* begin_;
  const char* at_;
  const char* end_;
  ExportXmlElements& elements_;
  bool is_utf8_;
  std::array<std::string, 2 * kMostAttributes> rooms_;  // for the values of a tag
};

}  // namespace

std::optional<WholeXmlMessage> read_whole_message(std::string_view text,
                                                  ExportXmlElements& elements,
                                                  const WholeXmlOptions& options) {
  const ExportElementRow& head = *row_of(ExportElement::kMessage);
  const ExportElementRow& property = *row_of(ExportElement::kProperty);
  const ExportElementRow& queue = *row_of(ExportElement::kQueue);
  const ExportElementRow& body = *row_of(ExportElement::kBody);
  WholeReader reader(text, elements, options.is_utf8);
  reader.blanks();
  if (!reader.literal("<message") || !reader.attributes(head) || !reader.literal(">")) return {};
  const auto id = elements.head();
  if (!id) return {};
  reader.blanks();
  const bool listed = reader.list("<properties>", "</properties>", "<property", property, [&] {
    return elements.property().has_value();
  }) && reader.list("<queues>", "</queues>", "<queue", queue, [&] {
    return elements.queue().has_value();
  });
  if (!listed || reader.place() > options.max_head_bytes) return {};
  if (!reader.body(body, options.max_body_bytes)) return {};
  const std::size_t end_tag = reader.place();
  if (!reader.literal(kMessageEnd)) return {};
  return WholeXmlMessage{.id = *id, .end_tag = end_tag, .size_bytes = reader.place()};
}

}  // namespace saranga::store
