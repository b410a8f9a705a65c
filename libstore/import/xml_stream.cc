#include "libstore/import/xml_stream.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace saranga::store {
namespace {

// The parser is asked for its opinion this often, however much it is given.
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
// A tag that is longer than a piece has at most this many values; the parser needs far more memory
// for an attribute than the document does.
constexpr std::uint64_t kMostValues = 4096;

constexpr std::string_view kSection = "<![CDATA[";

// ASCII that means nothing else in a section.
bool is_plain(char c) {
  return (c >= ' ' && c < 0x7F && c != ']') || c == '\n' || c == '\t' || c == '\r';
}

// How many characters of this kind a text begins with.
std::size_t plain_size(std::string_view text) {
  constexpr std::size_t kBlock = 64;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= kBlock) {
      unsigned odd = 0;
      for (std::size_t i = 0; i < kBlock; ++i) {
        const auto c = static_cast<unsigned char>(text[at + i]);
        odd |= static_cast<unsigned>(c < ' ') | static_cast<unsigned>(c > '~') |
               static_cast<unsigned>(c == ']');
      }
      if (odd == 0) {
        at += kBlock;
        continue;
      }
    }
    const std::size_t end = std::min(text.size(), at + kBlock);
    while (at < end && is_plain(text[at])) ++at;
    if (at < end) break;
  }
  return at;
}

// A plain count takes as long as everything else that is done to these bytes.
std::uint64_t line_ends(std::string_view text) {
  constexpr std::size_t kBlock = 128;
  std::uint64_t count = 0;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    std::uint8_t in_block = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      in_block = static_cast<std::uint8_t>(in_block + (text[i] == '\n' ? 1 : 0));
    }
    count += in_block;
  }
  return count + static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

std::uint64_t characters(std::string_view utf8) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string text_of(XML_Error error) {
  switch (error) {
    case XML_ERROR_NO_ELEMENTS: return "the document is cut: it ends before its root does";
    case XML_ERROR_UNCLOSED_TOKEN:
    case XML_ERROR_PARTIAL_CHAR:
    case XML_ERROR_UNCLOSED_CDATA_SECTION: return "the document is cut";
    case XML_ERROR_TAG_MISMATCH:
      return "an end tag that is not the one of the element at hand; part of the document is lost";
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: return "something stands behind the end of the document";
    case XML_ERROR_DUPLICATE_ATTRIBUTE: return "an attribute is there twice";
    case XML_ERROR_UNDEFINED_ENTITY: return "an entity that XML does not know";
    case XML_ERROR_BAD_CHAR_REF:
    case XML_ERROR_INVALID_TOKEN:
      return "not well-formed: a character or a sign that XML does not allow here. Artemis writes "
             "control characters as they are, which no parser reads; `saranga data export` of the "
             "store writes them so that they can be read";
    case XML_ERROR_UNKNOWN_ENCODING:
    case XML_ERROR_INCORRECT_ENCODING:
      return "the encoding is none of UTF-8, UTF-16, ISO-8859-1 and US-ASCII";
    case XML_ERROR_NO_MEMORY: return "there is not enough memory";
    default: return fmt::format("not well-formed: {}", XML_ErrorString(error));
  }
}

}  // namespace

class XmlStream::Parser {
 public:
  Parser(XmlEvents& events, Options options)
      : options_(options), events_(events), parser_(XML_ParserCreate(nullptr)) {
    if (parser_ == nullptr) return;
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(parser_, on_start, on_end);
    XML_SetCharacterDataHandler(parser_, on_text);
    XML_SetCdataSectionHandler(parser_, on_section_start, on_section_end);
    XML_SetStartDoctypeDeclHandler(parser_, on_doctype);
    XML_SetXmlDeclHandler(parser_, on_declaration);
  }
  ~Parser() {
    if (parser_ != nullptr) XML_ParserFree(parser_);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  [[nodiscard]] std::expected<void, std::string> feed(std::string_view piece) {
    while (!piece.empty() && !stopped_) {
      if (past_parser_) {
        piece = pass_on(piece);
        continue;
      }
      if (std::exchange(between_, false)) {
        leave_parser();
        piece = events_.ahead(piece);
        between_ = piece.empty();
        continue;
      }
      const auto [size, stop] = next_stop(piece.substr(0, kPieceBytes));
      const std::string_view part = piece.substr(0, size);
      piece.remove_prefix(size);
      // A tag that is not whole is looked at again from its beginning, so this waits until there
      // is as much again of it.
      if (held_.size() + part.size() < pending_bytes_) {
        held_ += part;
        continue;
      }
      std::expected<void, std::string> done;
      if (held_.empty()) {
        done = parse(part, false);
      } else {
        held_ += part;
        done = parse(held_, false);
        held_.clear();
      }
      if (!done || stopped_) return done;
      if (pending_bytes_ != 0) continue;
      between_ = stop == Stop::kPause && !in_section_;
      past_parser_ = stop == Stop::kSection && in_section_ && events_.takes_line_ends();
      if (past_parser_) leave_parser();
    }
    return {};
  }

  [[nodiscard]] bool is_utf8() const { return utf8_; }

  [[nodiscard]] std::expected<void, std::string> finish() {
    const auto done = parse(held_, true);
    held_.clear();
    return done;
  }

  void pass(std::string_view bytes) {
    passed_bytes_ += bytes.size();
    const std::size_t line_end = bytes.rfind('\n');
    if (line_end == std::string_view::npos) {
      column_shift_ += characters(bytes);
    } else {
      passed_lines_ += line_ends(bytes);
      // May wrap, and the sum wraps back.
      column_shift_ = characters(bytes.substr(line_end + 1)) - parser_column_;
    }
  }

  void stop() {
    stopped_ = true;
    XML_StopParser(parser_, XML_FALSE);
  }

  [[nodiscard]] XmlPlace place() const {
    if (parser_ == nullptr) return {};
    const std::uint64_t line = XML_GetCurrentLineNumber(parser_);
    std::uint64_t column = XML_GetCurrentColumnNumber(parser_) + 1;
    if (line == parser_line_) column += column_shift_;
    return {.line = line + passed_lines_,
            .column = column,
            .offset = place_of_pending() + passed_bytes_};
  }

 private:
  static void on_start(void* self, const char* name, const char** attributes) {
    auto& parser = *static_cast<Parser*>(self);
    if (!parser.stopped_) parser.events_.start(name, attributes);
  }
  static void on_end(void* self, const char* /*name*/) {
    auto& parser = *static_cast<Parser*>(self);
    if (!parser.stopped_) parser.events_.end();
  }
  static void on_text(void* self, const char* text, int size) {
    auto& parser = *static_cast<Parser*>(self);
    if (!parser.stopped_) parser.events_.text({text, static_cast<std::size_t>(size)});
  }
  static void on_section_start(void* self) {
    auto& parser = *static_cast<Parser*>(self);
    parser.in_section_ = true;
    if (!parser.stopped_) parser.events_.section();
  }
  static void on_section_end(void* self) {
    auto& parser = *static_cast<Parser*>(self);
    parser.in_section_ = false;
    if (!parser.stopped_) parser.events_.section();
  }
  static void on_declaration(void* self, const char* /*version*/, const char* encoding,
                             int /*standalone*/) {
    constexpr std::string_view kUtf8[] = {"UTF-8", "utf-8"};
    auto& parser = *static_cast<Parser*>(self);
    parser.utf8_ = encoding == nullptr || std::ranges::find(kUtf8, encoding) != std::end(kUtf8);
  }
  static void on_doctype(void* self, const char* /*name*/, const char* /*system_id*/,
                         const char* /*public_id*/, int /*internal*/) {
    auto& parser = *static_cast<Parser*>(self);
    parser.problem_ =
        "a document type, which no export has; it could define entities, so it is refused";
    parser.stop();
  }

  enum class Stop : std::uint8_t { kNone, kSection, kPause };

  // How much the parser is given at a time: it ends where something may go past the parser.
  [[nodiscard]] std::pair<std::size_t, Stop> next_stop(std::string_view part) const {
    for (std::size_t at = part.find('<'); at != std::string_view::npos; at = part.find('<', at)) {
      const std::string_view rest = part.substr(at);
      if (rest.starts_with(kSection)) return {at + kSection.size(), Stop::kSection};
      const std::string_view pause = options_.pause_behind;
      if (!pause.empty() && rest.starts_with(pause)) return {at + pause.size(), Stop::kPause};
      ++at;
    }
    return {part.size(), Stop::kNone};
  }

  [[nodiscard]] std::expected<void, std::string> parse(std::string_view bytes, bool last) {
    if (parser_ == nullptr) return std::unexpected(text_of(XML_ERROR_NO_MEMORY));
    const XML_Status status =
        XML_Parse(parser_, bytes.data(), static_cast<int>(bytes.size()), last ? 1 : 0);
    fed_bytes_ += bytes.size();
    if (!problem_.empty()) return std::unexpected(problem_);
    if (stopped_) return {};
    if (status == XML_STATUS_ERROR) return std::unexpected(text_of(XML_GetErrorCode(parser_)));
    return bound_tag(bytes);
  }

  // What the parser does not see begins here.
  void leave_parser() {
    const std::uint64_t line = XML_GetCurrentLineNumber(parser_);
    if (line != parser_line_) column_shift_ = 0;
    parser_line_ = line;
    parser_column_ = XML_GetCurrentColumnNumber(parser_);
  }

  // Hands on the beginning of a piece that lies in a section, and gives what is left for the
  // parser. It never sees what is handed on, so the place is moved by that.
  [[nodiscard]] std::string_view pass_on(std::string_view piece) {
    const std::size_t size = plain_size(piece);
    const std::string_view plain = piece.substr(0, size);
    past_parser_ = size == piece.size();
    if (size != 0) events_.text(plain);
    pass(plain);
    return piece.substr(size);
  }

  // What the parser keeps, because it is the beginning of something.
  [[nodiscard]] std::expected<void, std::string> bound_tag(std::string_view bytes) {
    const std::uint64_t begin = place_of_pending();
    const std::uint64_t pending = fed_bytes_ - std::min(begin, fed_bytes_);
    if (begin != pending_begin_ || pending == 0) {
      quote_ = 0;
      values_ = 0;
      pending_begin_ = begin;
      bytes = bytes.substr(bytes.size() - std::min<std::uint64_t>(pending, bytes.size()));
      counts_values_ = bytes.size() < 2 || (bytes[1] != '!' && bytes[1] != '?');
    }
    pending_bytes_ = pending;
    if (pending > options_.max_tag_bytes) {
      return std::unexpected(fmt::format(
          "a tag of more than {} bytes, which is the most that is read", options_.max_tag_bytes));
    }
    if (counts_values_) count_values(bytes);
    if (pending > kPieceBytes && values_ > kMostValues) {
      return std::unexpected(
          fmt::format("a tag with more than {} attributes, which no export has", kMostValues));
    }
    return {};
  }

  void count_values(std::string_view bytes) {
    for (const char c : bytes) {
      if (quote_ != 0) {
        if (c == quote_) quote_ = 0;
      } else if (c == '"' || c == '\'') {
        quote_ = c;
        ++values_;
      }
    }
  }

  [[nodiscard]] std::uint64_t place_of_pending() const {
    return static_cast<std::uint64_t>(std::max(XML_GetCurrentByteIndex(parser_), XML_Index{0}));
  }

  Options options_;
  XmlEvents& events_;
  XML_Parser parser_;
  std::string held_;
  std::string problem_;
  bool stopped_ = false;
  bool utf8_ = true;
  std::uint64_t fed_bytes_ = 0;
  std::uint64_t pending_begin_ = 0;
  std::uint64_t pending_bytes_ = 0;
  // Of what goes past the parser; its line and column where that began the last time.
  bool in_section_ = false;
  bool past_parser_ = false;  // in a section
  bool between_ = false;      // behind an element
  std::uint64_t parser_line_ = 0;
  std::uint64_t parser_column_ = 0;
  std::uint64_t column_shift_ = 0;
  std::uint64_t passed_lines_ = 0;
  std::uint64_t passed_bytes_ = 0;
  char quote_ = 0;
  std::uint64_t values_ = 0;
  bool counts_values_ = true;
};

XmlStream::XmlStream(XmlEvents& events, Options options)
    : parser_(std::make_unique<Parser>(events, options)) {}

XmlStream::~XmlStream() = default;

std::expected<void, std::string> XmlStream::feed(std::string_view piece) {
  return parser_->feed(piece);
}

std::expected<void, std::string> XmlStream::finish() { return parser_->finish(); }

bool XmlStream::is_utf8() const { return parser_->is_utf8(); }

void XmlStream::pass(std::string_view bytes) { parser_->pass(bytes); }

void XmlStream::stop() { parser_->stop(); }

XmlPlace XmlStream::place() const { return parser_->place(); }

}  // namespace saranga::store
