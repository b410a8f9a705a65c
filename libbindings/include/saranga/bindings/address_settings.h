// Address settings: the attributes Artemis knows, and those that a JSON text sets
// (docs/format/bindings.md#address-settings).
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/fields.h"

namespace saranga::bindings {

/// The attributes as fields, in the order in which Artemis writes and prints them. Binary records
/// have the same names, in another order and with other types.
[[nodiscard]] SARANGA_API std::span<const Field> setting_fields();

/// How the JSON text calls the attribute of that index.
[[nodiscard]] SARANGA_API std::string_view setting_key(std::size_t index);

/// The attributes that a JSON text sets. Owns what its values are views of, so it doesn't copy.
class SARANGA_API JsonSettings {
 public:
  JsonSettings() = default;
  JsonSettings(const JsonSettings&) = delete;
  JsonSettings& operator=(const JsonSettings&) = delete;
  ~JsonSettings() = default;

  /// Reads the text of a settings record. False when it is not a JSON object, nests deeper than
  /// any release writes, or has an attribute of the wrong type: a broker stops on those.
  bool parse(const Text& json);

  /// By setting_fields(); absent when the text doesn't mention the attribute.
  [[nodiscard]] const FieldValues& values() const { return values_; }
  /// Keys that are no attribute, in the order of the text. A broker ignores them.
  [[nodiscard]] const std::vector<std::string>& unknown_keys() const { return unknown_keys_; }
  /// Why parse() failed.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  friend class SettingsReader;
  FieldValues values_;
  std::deque<std::string> texts_;  // a deque: its elements stay where they are
  std::vector<std::string> unknown_keys_;
  std::string problem_;
};

}  // namespace saranga::bindings
