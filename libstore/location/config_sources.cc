#include "libstore/location/config_sources.h"

#include <algorithm>
#include <array>

#include "libstore/location/config_files.h"
#include "libstore/location/config_profile.h"
#include "libstore/location/config_properties.h"
#include "saranga/io/directory.h"

namespace saranga::store {

namespace {

constexpr std::uint64_t kMaximumText = 1 << 20;

/// Whether a folder looks like an instance: it has something besides its etc folder.
bool looks_like_instance(const std::string& folder) {
  return std::ranges::any_of(std::array{"data", "bin", "lock", "log"},
                             [&](const char* name) { return is_folder(path_from(folder, name)); });
}

}  // namespace

InstanceConfiguration::InstanceConfiguration(ConfigurationPlace place, NamedValues environment,
                                             std::string current_folder,
                                             std::vector<std::string>& notes)
    : place_(std::move(place)),
      current_folder_(std::move(current_folder)),
      notes_(notes),
      environment_(std::move(environment)) {}

Result<void> InstanceConfiguration::read() {
  read_profiles();
  find_instance();
  find_broker_xml();
  if (broker_xml_.empty()) {
    notes_.push_back(place_.etc + " holds no broker.xml; the defaults of a broker are used");
  } else {
    const ConfigurationContext context{
        .values = values_, .current_folder = current_folder_, .notes = notes_};
    auto xml = BrokerXml::read(broker_xml_, context);
    if (!xml) return std::unexpected(xml.error());
    xml_ = std::move(*xml);
  }
  read_properties();
  note_prefix_properties();
  return {};
}

/// A broker reads artemis.profile, Artemis' tools read the other one. The broker wrote the store,
/// so its profile has the last word.
void InstanceConfiguration::read_profiles() {
  variables_ = environment_;
  for (const char* name : {"artemis-utility.profile", "artemis.profile"}) {
    const std::string path = path_from(place_.etc, name);
    if (!exists(path)) continue;
    const auto script = read_text_file(path, kMaximumText);
    if (script) {
      // Each profile finds the variables unset that the other one fills in.
      NamedValues own = environment_;
      apply_profile(*script, own);
      for (auto& [variable, value] : own) variables_[variable] = std::move(value);
    } else {
      notes_.push_back(script.error().message());
    }
  }
}

void InstanceConfiguration::find_instance() {
  const auto given = variables_.find("ARTEMIS_INSTANCE");
  if (given != variables_.end()) former_instance_ = path_from({}, given->second);
  if (place_.instance.empty()) {
    place_.instance = parent_of(place_.etc);
    if (is_folder(former_instance_) && !looks_like_instance(place_.instance)) {
      place_.instance = former_instance_;
    }
  }
  NamedValues properties = java_properties(variables_);
  properties["artemis.instance"] = place_.instance;
  properties["artemis.instance.etc"] = place_.etc;
  properties.try_emplace("java.io.tmpdir", path_from(place_.instance, "tmp"));
  values_ = PlaceholderValues(std::move(properties), environment_);
}

void InstanceConfiguration::find_broker_xml() {
  const std::string standard = path_from(place_.etc, "broker.xml");
  const std::string bootstrap = path_from(place_.etc, "bootstrap.xml");
  if (!place_.broker.empty()) {
    broker_xml_ = place_.broker;
    return;
  }
  if (exists(standard)) broker_xml_ = standard;
  if (!exists(bootstrap)) return;
  const auto configured = bootstrap_configuration(bootstrap);
  if (!configured) notes_.push_back(configured.error().message());
  if (!configured || !*configured) return;

  NamedValues known = environment_;
  for (const auto& [name, value] : values_.properties()) known[name] = value;
  known["artemis.URI.instance"] = "file:" + place_.instance;
  const std::string url = substitute_known(**configured, known);
  const std::string path = path_of_url(url);
  std::string named = resolve(path);
  // A bare name is looked up on the class path, to which the etc folder belongs.
  if (!exists(named)) named = path_from(place_.etc, path);
  if (!is_foreign_url(url) && exists(named)) {
    broker_xml_ = named;
  } else {
    notes_.push_back(shown(bootstrap) + " names " + url + ", which is not there" +
                     (broker_xml_.empty() ? "" : "; " + shown(broker_xml_) + " was read instead"));
  }
}

void InstanceConfiguration::read_properties() {
  const auto named = values_.properties().find("broker.properties");
  if (named == values_.properties().end()) {
    const std::string standard = path_from(place_.etc, "broker.properties");
    if (exists(standard)) read_properties_file(standard);
    return;
  }
  std::string_view list = named->second;
  while (!list.empty()) {
    const std::string_view entry = trimmed(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1);
    if (entry.empty()) continue;
    const std::string path = resolve(path_of_url(entry.substr(0, entry.find('?'))));
    if (!is_folder(path)) {
      read_properties_file(path);
      continue;
    }
    const auto folder = open_disk_directory(path);
    const auto entries = folder ? (*folder)->list() : std::unexpected(folder.error());
    if (!entries) continue;
    for (const DirectoryEntry& file : *entries) {
      if (!file.is_directory) read_properties_file(path_from(path, file.name));
    }
  }
}

void InstanceConfiguration::read_properties_file(const std::string& path) {
  if (path.ends_with(".json") || path.ends_with(".yaml")) {
    notes_.push_back(shown(path) + " was not read: only the .properties form is understood");
    return;
  }
  const auto text = read_text_file(path, kMaximumText);
  if (!text) {
    notes_.push_back(text.error().message());
    return;
  }
  for (auto& [key, value] : parse_java_properties(*text)) {
    const std::string name = substitute(std::move(key), values_).text;
    properties_[name] = {.text = substitute(std::move(value), values_).text,
                         .source = shown(path) + ": " + name};
  }
}

/// System properties of the form brokerconfig.journalDirectory override everything else.
void InstanceConfiguration::note_prefix_properties() {
  const auto configured = xml_ ? xml_->text("system-property-prefix") : std::nullopt;
  const std::string prefix = configured.value_or("brokerconfig.");
  for (const auto& [name, value] : values_.properties()) {
    if (!name.starts_with(prefix)) continue;
    properties_[name.substr(prefix.size())] = {.text = substitute(value, values_).text,
                                               .source = "profile: -D" + name};
  }
}

std::optional<ConfiguredValue> InstanceConfiguration::value(std::string_view element,
                                                            std::string_view property) const {
  const auto set = properties_.find(property);
  if (set != properties_.end() && !trimmed(set->second.text).empty()) return set->second;
  if (!xml_) return std::nullopt;
  auto text = xml_->text(element);
  if (!text) return std::nullopt;
  std::string source = shown(broker_xml_) + ": " + std::string(element);
  if (text->empty()) {
    notes_.push_back(source + " is empty; the default is used");
    return std::nullopt;
  }
  return ConfiguredValue{.text = std::move(*text), .source = std::move(source)};
}

std::string InstanceConfiguration::attribute(std::string_view element, const char* name) const {
  if (!xml_) return {};
  return substitute(xml_->element(element).attribute(name).value(), values_).text;
}

bool InstanceConfiguration::has_element(std::string_view name) const {
  return xml_ && xml_->element(name);
}

std::string InstanceConfiguration::resolve(std::string_view path) const {
  const std::string resolved = path_from(place_.instance, path);
  if (former_instance_.empty() || former_instance_ == place_.instance) return resolved;
  if (!resolved.starts_with(former_instance_ + "/")) return resolved;
  const std::string here = path_from(place_.instance, resolved.substr(former_instance_.size() + 1));
  if (!exists(here)) return resolved;
  if (here != resolved && exists(resolved)) {
    notes_.push_back(resolved + " is part of another copy of this instance; " + here +
                     " was taken");
  }
  return here;
}

/// A path as messages show it: short where it lies in the instance.
std::string InstanceConfiguration::shown(const std::string& path) const {
  const std::string inside = place_.instance + "/";
  return path.starts_with(inside) ? path.substr(inside.size()) : path;
}

}  // namespace saranga::store
