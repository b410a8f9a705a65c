// broker.xml and bootstrap.xml: small XML files written by people, read with their placeholders and
// included fragments. No document type is processed and no address on a network is opened.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "libstore/location/config_placeholders.h"
#include "saranga/bytes/error.h"

namespace saranga::store {

/// What reading a configuration needs to know.
struct ConfigurationContext {
  const PlaceholderValues& values;
  std::string current_folder;       ///< where a broker looks for relative includes
  std::vector<std::string>& notes;  ///< gets a sentence for everything odd
};

/// A parsed broker.xml with its includes in place.
class BrokerXml {
 public:
  /// Reads the file; an error when it cannot be read, is not XML, or has no `core` element.
  [[nodiscard]] static Result<BrokerXml> read(const std::string& path,
                                              const ConfigurationContext& context);

  /// The first element of that name below `core`, at any depth; an empty node when there is none.
  [[nodiscard]] pugi::xml_node element(std::string_view name) const;
  /// Its text, placeholders replaced and blanks at both sides dropped.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;

 private:
  std::unique_ptr<pugi::xml_document> document_{};
  pugi::xml_node core_{};
  const PlaceholderValues* values_ = nullptr;
};

/// The attribute `configuration` of the element `server` of a bootstrap.xml, as written.
[[nodiscard]] Result<std::optional<std::string>> bootstrap_configuration(const std::string& path);

}  // namespace saranga::store
