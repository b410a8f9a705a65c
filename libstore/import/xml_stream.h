// Well-formed XML as a stream of events, with bounds on what a hostile document can cost.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "saranga/bytes/error.h"

namespace saranga::store {

/// What an XmlStream finds. Views and pointers hold during the call.
class XmlEvents {
 public:
  virtual ~XmlEvents() = default;
  /// `attributes` are pairs of name and value, and a null pointer behind the last.
  virtual void start(std::string_view name, const char* const* attributes) = 0;
  virtual void end() = 0;
  /// A piece of text, outside of CDATA or within it.
  virtual void text(std::string_view piece) = 0;
  /// A CDATA section begins or ends.
  virtual void section() = 0;
  /// Whether the text of the section at hand may keep its line ends as they are in the document.
  /// Such a section is handed on without a detour through the parser as far as it is ASCII.
  [[nodiscard]] virtual bool takes_line_ends() const = 0;
  /// What follows stands between two elements, and the parser has nothing in hand. Who can read
  /// whole elements at the beginning of `piece` without it does so, calls XmlStream::pass() for
  /// what was read, and gives what is left.
  [[nodiscard]] virtual std::string_view ahead(std::string_view piece) = 0;
};

/// A place in the document.
struct XmlPlace {
  std::uint64_t line = 1;
  std::uint64_t column = 1;  ///< in characters
  std::uint64_t offset = 0;  ///< in bytes
};

/// Reads one document of UTF-8, UTF-16, ISO-8859-1 or ASCII. Document types are refused. Memory:
/// one tag. One thread.
class XmlStream {
 public:
  struct Options {
    std::uint64_t max_tag_bytes = 0;
    std::string_view pause_behind{};  ///< an end tag, behind which ahead() is called; a constant
  };

  XmlStream(XmlEvents& events, Options options);
  ~XmlStream();
  XmlStream(const XmlStream&) = delete;
  XmlStream& operator=(const XmlStream&) = delete;

  /// Takes the next piece; the text of an error says what is wrong at place(). Nothing may be
  /// called after an error, or once stop() was called, but place().
  [[nodiscard]] std::expected<void, std::string> feed(std::string_view piece);
  [[nodiscard]] std::expected<void, std::string> finish();

  /// For XmlEvents::ahead(): the parser never sees these bytes of whole elements.
  void pass(std::string_view bytes);
  /// Whether the document is UTF-8 for sure, unless it is UTF-16.
  [[nodiscard]] bool is_utf8() const;
  /// For events: no more of them.
  void stop();
  /// Where the event at hand, or the error, is.
  [[nodiscard]] XmlPlace place() const;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace saranga::store
