// ${name} and ${name:default} in a broker's configuration.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace saranga::store {

using NamedValues = std::map<std::string, std::string, std::less<>>;

/// Where the value of a placeholder comes from: the broker's system properties, then its
/// environment.
class PlaceholderValues {
 public:
  PlaceholderValues() = default;
  PlaceholderValues(NamedValues properties, NamedValues environment);

  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] const NamedValues& properties() const { return properties_; }

 private:
  NamedValues properties_{};
  NamedValues environment_{};
};

/// A text with its placeholders replaced.
struct Substituted {
  std::string text;
  /// False when it was given up because values contain their own placeholders, or grow too long;
  /// the placeholders that were left are then empty.
  bool complete = true;
};

/// Replaces placeholders as a broker does, values being expanded again: an unknown name without a
/// default becomes empty, an opening without its brace ends the work. Always ends.
[[nodiscard]] Substituted substitute(std::string text, const PlaceholderValues& values);

/// The simpler rule of bootstrap.xml: one pass, no defaults, an unknown name stays as written.
[[nodiscard]] std::string substitute_known(std::string_view text, const NamedValues& values);

}  // namespace saranga::store
