// What an instance's etc folder says: profile, bootstrap.xml, broker.xml and broker.properties,
// brought together in the order in which a broker applies them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libstore/location/config_placeholders.h"
#include "libstore/location/config_xml.h"

namespace saranga::store {

/// A configured value, and where it stands.
struct ConfiguredValue {
  std::string text;
  std::string source;
};

/// Where the configuration of a store is to be looked for.
struct ConfigurationPlace {
  std::string etc;       ///< the folder with profile, bootstrap.xml and broker.properties
  std::string instance;  ///< empty: the profile, or else the folder above etc
  std::string broker{};  ///< the broker.xml to use; empty: the one bootstrap.xml names
};

/// The configuration of one instance, read once.
class InstanceConfiguration {
 public:
  InstanceConfiguration(ConfigurationPlace place, NamedValues environment,
                        std::string current_folder, std::vector<std::string>& notes);

  /// Reads the files. An instance without a broker.xml is one with defaults only.
  [[nodiscard]] Result<void> read();

  [[nodiscard]] const std::string& instance() const { return place_.instance; }
  /// The broker.xml that was read; empty when there was none.
  [[nodiscard]] const std::string& broker_xml() const { return broker_xml_; }

  /// The value that a broker would use, empty ones left out.
  [[nodiscard]] std::optional<ConfiguredValue> value(std::string_view element,
                                                     std::string_view property) const;
  /// An attribute of an element of broker.xml; empty when it is not there.
  [[nodiscard]] std::string attribute(std::string_view element, const char* name) const;
  [[nodiscard]] bool has_element(std::string_view name) const;

  /// A configured path, seen from the instance folder. A path inside the folder where the instance
  /// stood when its profile was written is looked for in the instance at hand first.
  [[nodiscard]] std::string resolve(std::string_view path) const;

 private:
  void read_profiles();
  void find_instance();
  void find_broker_xml();
  void read_properties();
  void read_properties_file(const std::string& path);
  void note_prefix_properties();
  [[nodiscard]] std::string shown(const std::string& path) const;

  ConfigurationPlace place_;
  std::string current_folder_;
  std::vector<std::string>& notes_;
  NamedValues environment_;
  NamedValues variables_;
  std::string former_instance_;
  PlaceholderValues values_;
  std::string broker_xml_;
  std::optional<BrokerXml> xml_;
  std::map<std::string, ConfiguredValue, std::less<>> properties_;
};

}  // namespace saranga::store
