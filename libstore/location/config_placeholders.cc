#include "libstore/location/config_placeholders.h"

#include "libstore/location/config_files.h"

namespace saranga::store {

namespace {

/// Far beyond any real configuration, and little enough to be done in a moment.
constexpr int kMaximumRounds = 500;
constexpr std::size_t kMaximumSize = 4 << 20;

void replace_all(std::string& text, const std::string& what, std::string_view with) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t hit = text.find(what); hit != std::string::npos; hit = text.find(what, at)) {
    result.append(text, at, hit - at).append(with);
    at = hit + what.size();
    if (result.size() > kMaximumSize) break;
  }
  result.append(text, at);
  text = std::move(result);
}

/// Drops whatever still looks like a placeholder.
std::string without_placeholders(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find("${", at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    result.append(text, at, close == std::string::npos ? close : open - at);
    if (close == std::string::npos) return result;
    at = close + 1;
  }
}

}  // namespace

PlaceholderValues::PlaceholderValues(NamedValues properties, NamedValues environment)
    : properties_(std::move(properties)) {
  constexpr std::string_view kSwitch = "org.apache.activemq.artemis.utils.considerOsEnv";
  const auto given = properties_.find(kSwitch);
  if (given == properties_.end() || given->second == "true") environment_ = std::move(environment);
}

std::optional<std::string_view> PlaceholderValues::find(std::string_view name) const {
  for (const NamedValues* values : {&properties_, &environment_}) {
    if (const auto hit = values->find(name); hit != values->end()) return hit->second;
  }
  return std::nullopt;
}

Substituted substitute(std::string text, const PlaceholderValues& values) {
  for (int round = 0; text.size() <= kMaximumSize && round < kMaximumRounds; ++round) {
    const std::size_t open = text.find("${");
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return {std::move(text), true};

    const std::string placeholder = text.substr(open, close + 1 - open);
    std::string_view name = std::string_view(placeholder).substr(2, placeholder.size() - 3);
    std::string_view fallback;
    if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
      fallback = trimmed(name.substr(colon + 1));
      name = name.substr(0, colon);
    }
    replace_all(text, placeholder, values.find(trimmed(name)).value_or(fallback));
  }
  return {without_placeholders(text), false};
}

std::string substitute_known(std::string_view text, const NamedValues& values) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find("${", at);
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return result.append(text.substr(at));
    const auto known = values.find(text.substr(open + 2, close - open - 2));
    result.append(text.substr(at, open - at));
    if (known == values.end()) {
      result.append(text.substr(open, close + 1 - open));
    } else {
      result.append(known->second);
    }
    at = close + 1;
  }
}

}  // namespace saranga::store
