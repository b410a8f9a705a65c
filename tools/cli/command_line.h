// The command line of one verb: what it takes, and how that is read. Everything else about options
// is built on this, and only its source knows the library underneath.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/bytes/error.h"

namespace saranga::cli {

/// What an option can set.
template <class Value>
concept OptionValue =
    std::same_as<Value, std::string> || std::same_as<Value, std::int64_t> ||
    std::same_as<Value, std::uint64_t> || std::same_as<Value, std::optional<std::string>> ||
    std::same_as<Value, std::optional<std::int64_t>> ||
    std::same_as<Value, std::optional<std::uint64_t>> ||
    std::same_as<Value, std::vector<std::string>>;

/// An option that was declared, to say more about it. A copy means the same option; none of them
/// may be used after its command line is gone.
class Option {
 public:
  struct Impl;
  explicit Option(Impl& impl) : impl_(&impl) {}

  Option required();
  /// The heading under which the help has it.
  Option group(const std::string& heading);
  /// The help does not mention it.
  Option hidden();
  /// One value a time, any number of times: `--queue a STORE` does not take STORE for a second one.
  Option many();
  /// How many values there may be.
  Option count(int least, int most);
  /// Nothing but these words.
  Option one_of(const std::vector<std::string>& words);
  /// Nothing but these numbers, both included. The help has the range.
  Option range(int least, int most);
  Option range(std::uint64_t least, std::uint64_t most);
  /// Tells what is wrong with a value, or an empty string.
  Option check(const std::function<std::string(const std::string&)>& complaint);

 private:
  Impl* impl_;
};

/// To be used from one thread, and to be parsed once.
class CommandLine {
 public:
  /// The name is that of the command as it is called: "saranga data queues".
  CommandLine(const std::string& description, const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Declares an option, or an argument without a name when there are no dashes. `value` must
  /// outlive the parsing; it keeps what it has when the option is not given.
  template <OptionValue Value>
  Option option(const std::string& name, Value& value, const std::string& text = {});
  /// Declares an option without a value.
  Option flag(const std::string& name, bool& value, const std::string& text = {});
  /// Declares an option that takes one of the words; `take` gets the place of the word in the list.
  Option choice(const std::string& name, const std::vector<std::string>& words,
                const std::function<void(std::size_t)>& take, const std::string& text);
  /// What the help ends with.
  void footer(const std::string& text);

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string help() const;

  enum class Outcome : std::uint8_t {
    kParsed,
    kHelp,  ///< help was asked for; not all values are set
  };
  /// Reads the arguments, without the words of the command. The text of an error says what is wrong
  /// with them.
  [[nodiscard]] Result<Outcome> parse(const std::vector<std::string>& arguments);
  /// After parsing: the name of an option that was given an empty value.
  [[nodiscard]] std::optional<std::string> empty_option() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saranga::cli
