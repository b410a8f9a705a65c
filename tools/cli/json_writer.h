// The streaming writer of JSON: a million objects go through it without building a document.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/text.h"
#include "saranga/bytes/text_buffer.h"

namespace saranga::cli {

/// Writes into a TextBuffer that the caller owns. The caller keeps the nesting right: every begin
/// has its end, and inside an object every value has its key. Names are snake_case ASCII constants.
class JsonWriter {
 public:
  explicit JsonWriter(TextBuffer& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  /// Ends a line of JSON Lines; call it after the outermost end_object().
  void end_line() {
    out_.put('\n');
    comma_ = false;
  }

  /// A key that needs no escaping.
  void key(std::string_view name);
  /// A key taken from a store, escaped.
  void key(const Text& name);

  void value(std::string_view utf8);
  void value(const char* utf8) { value(std::string_view(utf8)); }
  void value(const Text& text);
  void value(std::int64_t number);
  void value(std::uint64_t number);
  void value(int number) { value(static_cast<std::int64_t>(number)); }
  void value(unsigned number) { value(static_cast<std::uint64_t>(number)); }
  void value(bool truth);
  /// Shortest text that reads back as the same number; NaN and infinities become strings.
  void value(double number);
  void value(float number);
  void null();
  /// Bytes as standard base64; the key should end in _b64.
  void base64(Bytes bytes);

  template <class T>
  void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  template <class T>
  void field(std::string_view name, const std::optional<T>& content) {
    key(name);
    if (content) {
      value(*content);
    } else {
      null();
    }
  }
  void null_field(std::string_view name) {
    key(name);
    null();
  }
  void base64_field(std::string_view name, Bytes bytes) {
    key(name);
    base64(bytes);
  }

  [[nodiscard]] TextBuffer& out() { return out_; }

 private:
  void open(char bracket) {
    separate();
    out_.put(bracket);
    comma_ = false;
  }
  void close(char bracket) {
    out_.put(bracket);
    comma_ = true;
  }
  void separate() {
    if (comma_) out_.put(',');
    comma_ = true;
  }
  void quoted(std::string_view wtf8);

  TextBuffer& out_;
  TextBuffer scratch_;
  bool comma_ = false;
};

}  // namespace saranga::cli
