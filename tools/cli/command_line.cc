#include "tools/cli/command_line.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/cli/suggestion.h"

namespace saranga::cli {

struct Option::Impl {
  CLI::Option* option;
};

struct CommandLine::Impl {
  CLI::App app;
  std::deque<Option::Impl> options;  // never moves them

  Impl(const std::string& description, const std::string& name) : app(description, name) {}
  [[nodiscard]] Option declared(CLI::Option* option) {
    return Option(options.emplace_back(Option::Impl{option}));
  }
};

namespace {

// What to say of arguments that the verb does not take.
std::string describe_extras(const CLI::App& app, const CLI::ExtrasError& error) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& extra : app.remaining()) {
    if (!extra.starts_with('-')) continue;
    const std::string name = extra.substr(0, extra.find('='));
    const auto meant = suggest(name, known);
    return fmt::format("there is no option {}{}", name,
                       meant ? fmt::format("; did you mean {}?", *meant) : "");
  }
  return error.what();
}

}  // namespace

Option Option::required() {
  impl_->option->required();
  return *this;
}

Option Option::group(const std::string& heading) {
  impl_->option->group(heading);
  return *this;
}

Option Option::hidden() { return group(""); }

Option Option::many() {
  impl_->option->allow_extra_args(false)->take_all();
  return *this;
}

Option Option::count(int least, int most) {
  impl_->option->expected(least, most);
  return *this;
}

Option Option::one_of(const std::vector<std::string>& words) {
  impl_->option->check(CLI::IsMember(words));
  return *this;
}

Option Option::range(int least, int most) {
  impl_->option->check(CLI::Range(least, most));
  return *this;
}

Option Option::range(std::uint64_t least, std::uint64_t most) {
  impl_->option->check(CLI::Range(least, most));
  return *this;
}

Option Option::check(const std::function<std::string(const std::string&)>& complaint) {
  impl_->option->check(complaint);
  return *this;
}

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : impl_(std::make_unique<Impl>(description, name)) {}

CommandLine::~CommandLine() = default;

template <OptionValue Value>
Option CommandLine::option(const std::string& name, Value& value, const std::string& text) {
  return impl_->declared(impl_->app.add_option(name, value, text));
}

template Option CommandLine::option(const std::string&, std::string&, const std::string&);
template Option CommandLine::option(const std::string&, std::int64_t&, const std::string&);
template Option CommandLine::option(const std::string&, std::uint64_t&, const std::string&);
template Option CommandLine::option(const std::string&, std::optional<std::string>&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::optional<std::int64_t>&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::vector<std::string>&,
                                    const std::string&);

Option CommandLine::flag(const std::string& name, bool& value, const std::string& text) {
  return impl_->declared(impl_->app.add_flag(name, value, text));
}

Option CommandLine::choice(const std::string& name, const std::vector<std::string>& words,
                           const std::function<void(std::size_t)>& take, const std::string& text) {
  const auto take_word = [take, words, name](const std::string& given) {
    const auto found = std::ranges::find(words, given);
    if (found == words.end()) {
      throw CLI::ValidationError(name,
                                 fmt::format("'{}' is none of {}", given, fmt::join(words, ", ")));
    }
    take(static_cast<std::size_t>(found - words.begin()));
  };
  CLI::Option* option = impl_->app.add_option_function<std::string>(name, take_word, text);
  return impl_->declared(option->type_name(fmt::format("{}", fmt::join(words, "|"))));
}

void CommandLine::footer(const std::string& text) { impl_->app.footer(text); }

std::string CommandLine::name() const { return impl_->app.get_name(); }

std::string CommandLine::help() const { return impl_->app.help(); }

Result<CommandLine::Outcome> CommandLine::parse(const std::vector<std::string>& arguments) {
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    impl_->app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return Outcome::kHelp;
  } catch (const CLI::ExtrasError& error) {
    return fail(ErrorCode::kInvalidArgument, describe_extras(impl_->app, error));
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::kInvalidArgument, error.what());
  }
  return Outcome::kParsed;
}

std::optional<std::string> CommandLine::empty_option() const {
  for (const CLI::Option* option : std::as_const(impl_->app).get_options()) {
    const auto& values = option->results();
    if (option->get_expected_max() == 0 || std::ranges::find(values, "") == values.end()) continue;
    return option->get_name();
  }
  return std::nullopt;
}

}  // namespace saranga::cli
