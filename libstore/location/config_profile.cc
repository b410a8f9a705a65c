#include "libstore/location/config_profile.h"

#include <array>
#include <utility>

#include "libstore/location/config_files.h"

namespace saranga::store {

namespace {

/// A profile that doubles a variable over and over must not fill the memory.
constexpr std::size_t kMaximumValue = 64 << 10;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Reads a shell script from front to back.
class ScriptReader {
 public:
  ScriptReader(std::string_view text, NamedValues& variables)
      : text_(text), variables_(variables) {}

  void run() {
    while (at_ < text_.size()) {
      skip_blanks();
      if (!skipping_until_fi_ && read_assignment()) continue;
      read_other_word();
    }
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (peek() == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (peek() == '\\' && peek(1) == '\n') {
        at_ += 2;
      } else if (std::string_view(" \t\r\n;").contains(peek())) {
        ++at_;
      } else {
        return;
      }
    }
  }

  /// NAME=word; false, and nothing read, when the next word is something else.
  bool read_assignment() {
    std::size_t end = at_;
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    if (end == at_ || end >= text_.size() || text_[end] != '=') return false;
    const std::string name(text_.substr(at_, end - at_));
    at_ = end + 1;
    variables_[name] = read_word();
    return true;
  }

  /// Any other word. `if [ -z "$NAME" ]` is the one condition that profiles are made of; what
  /// stands under it is skipped when NAME has a value.
  void read_other_word() {
    const std::size_t begin = at_;
    const std::string word = read_word();
    if (at_ == begin) ++at_;
    if (word == "fi" || word == "else" || word == "elif") skipping_until_fi_ = false;
    if (word == "if" || word == "elif") in_condition_ = true;
    if (word == "then") in_condition_ = false;
    if (word != "-z" || !in_condition_ || skipping_until_fi_) return;
    skip_blanks();
    skipping_until_fi_ = !read_word().empty();
  }

  std::string read_word() {
    std::string word;
    while (at_ < text_.size() && !std::string_view(" \t\r\n;").contains(peek())) {
      if (word.size() > kMaximumValue) word.resize(kMaximumValue);
      const char c = text_[at_++];
      if (c == '\'') {
        const std::size_t end = std::min(text_.find('\'', at_), text_.size());
        word += text_.substr(at_, end - at_);
        at_ = end + 1;
      } else if (c == '"') {
        read_quoted(word);
      } else if (c == '\\') {
        if (peek() != '\n') word += peek();
        ++at_;
      } else if (c == '$' || c == '`') {
        read_expansion(c, word);
      } else {
        word += c;
      }
    }
    return word;
  }

  void read_quoted(std::string& word) {
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (c == '\\' && std::string_view("\"\\$`\n").contains(peek())) {
        if (peek() != '\n') word += peek();
        ++at_;
      } else if (c == '$' || c == '`') {
        read_expansion(c, word);
      } else {
        word += c;
      }
      if (word.size() > kMaximumValue) word.resize(kMaximumValue);
    }
    ++at_;
  }

  /// $NAME, ${NAME}, ${NAME:-default}; commands are not run.
  void read_expansion(char opening, std::string& word) {
    if (opening == '`') {
      at_ = std::min(text_.find('`', at_), text_.size()) + 1;
    } else if (peek() == '(') {
      at_ = std::min(text_.find(')', at_), text_.size()) + 1;
    } else if (peek() == '{') {
      const std::size_t end = std::min(text_.find('}', at_), text_.size());
      const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      const std::size_t mark = inside.find_first_of(":-=+?");
      const std::string_view value = value_of(inside.substr(0, mark));
      const std::size_t fallback = inside.find('-');
      word += value;
      if (value.empty() && mark != std::string_view::npos && fallback != std::string_view::npos) {
        word += inside.substr(fallback + 1);
      }
    } else {
      std::size_t end = at_;
      while (end < text_.size() && is_name_character(text_[end])) ++end;
      word += end == at_ ? "$" : value_of(text_.substr(at_, end - at_));
      at_ = end;
    }
  }

  [[nodiscard]] std::string_view value_of(std::string_view name) const {
    const auto hit = variables_.find(name);
    return hit == variables_.end() ? std::string_view() : std::string_view(hit->second);
  }

  std::string_view text_;
  NamedValues& variables_;
  std::size_t at_ = 0;
  bool in_condition_ = false;
  bool skipping_until_fi_ = false;
};

void add_arguments(std::string_view arguments, NamedValues& properties) {
  constexpr std::string_view kBlanks = " \t\r\n";
  while (!(arguments = trimmed(arguments)).empty()) {
    std::string_view word = arguments.substr(0, arguments.find_first_of(kBlanks));
    arguments.remove_prefix(word.size());
    if (!word.starts_with("-D")) continue;
    word.remove_prefix(2);
    const std::size_t equals = word.find('=');
    const bool has_value = equals != std::string_view::npos;
    properties[std::string(word.substr(0, equals))] = has_value ? word.substr(equals + 1) : "";
  }
}

}  // namespace

void apply_profile(std::string_view script, NamedValues& variables) {
  ScriptReader(script, variables).run();
}

NamedValues java_properties(const NamedValues& variables) {
  constexpr std::array kArguments = {"JAVA_ARGS", "JAVA_ARGS_APPEND", "ARTEMIS_CLUSTER_PROPS",
                                     "DEBUG_ARGS", "LOGGING_ARGS"};
  constexpr std::array<std::pair<const char*, const char*>, 4> kFolders = {{
      {"ARTEMIS_HOME", "artemis.home"},
      {"ARTEMIS_INSTANCE", "artemis.instance"},
      {"ARTEMIS_ETC_DIR", "artemis.instance.etc"},
      {"ARTEMIS_DATA_DIR", "data.dir"},
  }};
  NamedValues properties;
  for (const char* name : kArguments) {
    if (const auto hit = variables.find(name); hit != variables.end()) {
      add_arguments(hit->second, properties);
    }
  }
  for (const auto& [variable, property] : kFolders) {
    if (const auto hit = variables.find(variable); hit != variables.end()) {
      properties[property] = hit->second;
    }
  }
  return properties;
}

}  // namespace saranga::store
