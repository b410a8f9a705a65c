#include "libstore/location/config_xml.h"

#include <algorithm>
#include <cstring>

#include "libstore/location/config_files.h"

namespace saranga::store {

namespace {

constexpr std::uint64_t kMaximumXml = 4 << 20;
constexpr std::size_t kMaximumIncludeDepth = 8;
constexpr int kMaximumIncludes = 200;
/// What an include element is called once its content stands inside it.
constexpr const char* kIncluded = "included";

std::string_view local_name(pugi::xml_node node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') + 1);
}

/// The next element in document order that stands below `top`; `inside` says whether to descend.
pugi::xml_node next_element(pugi::xml_node top, pugi::xml_node node, bool inside) {
  if (inside && node.first_child()) return node.first_child();
  while (node && node != top && !node.next_sibling()) node = node.parent();
  return node == top ? pugi::xml_node() : node.next_sibling();
}

/// The fallback of an include that was found does not count.
bool is_unused_fallback(pugi::xml_node node) {
  return local_name(node) == "fallback" && std::strcmp(node.parent().name(), kIncluded) == 0;
}

pugi::xml_node find_element(pugi::xml_node top, std::string_view name) {
  pugi::xml_node node = next_element(top, top, true);
  while (node) {
    const bool used = !is_unused_fallback(node);
    if (used && node.type() == pugi::node_element && local_name(node) == name) return node;
    node = next_element(top, node, used);
  }
  return {};
}

std::string text_of(pugi::xml_node node) {
  std::string text;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      text += child.value();
    }
  }
  return text;
}

Result<std::unique_ptr<pugi::xml_document>> parse(const std::string& path,
                                                  const std::string& content) {
  auto document = std::make_unique<pugi::xml_document>();
  const pugi::xml_parse_result outcome = document->load_buffer(content.data(), content.size());
  if (outcome) return document;
  Error error{.code = ErrorCode::kDamaged, .text = "is not well-formed XML: ", .file = path};
  error.text += outcome.description();
  if (outcome.offset >= 0) error.offset = static_cast<std::uint64_t>(outcome.offset);
  return std::unexpected(std::move(error));
}

/// Puts included fragments into place, depth first.
class Includer {
 public:
  explicit Includer(const ConfigurationContext& context) : context_(context) {}

  void expand(pugi::xml_node top, const std::string& file) {
    open_files_.push_back(file);
    pugi::xml_node node = next_element(top, top, true);
    while (node) {
      const bool include = node.type() == pugi::node_element && local_name(node) == "include" &&
                           local_name(node).size() < std::strlen(node.name());
      const pugi::xml_node next = next_element(top, node, !include);
      if (include) fill(node);
      node = next;
    }
    open_files_.pop_back();
  }

 private:
  void fill(pugi::xml_node node) {
    const std::string href = substitute(node.attribute("href").value(), context_.values).text;
    if (is_foreign_url(href)) {
      context_.notes.push_back("the include " + href + " is not on this machine and was left out");
      return;
    }
    const std::string path = resolve(path_of_url(href));
    if (open_files_.size() > kMaximumIncludeDepth || ++count_ > kMaximumIncludes) {
      context_.notes.push_back("the include " + path + " was left out: too many, or too deep");
      return;
    }
    if (std::ranges::find(open_files_, path) != open_files_.end()) {
      context_.notes.push_back("the include " + path + " contains itself and was left out");
      return;
    }
    auto content = read_text_file(path, kMaximumXml);
    if (!content) {
      context_.notes.push_back("an include was left out: " + content.error().message());
      return;
    }
    auto fragment = parse(path, *content);
    if (!fragment) {
      context_.notes.push_back("an include was left out: " + fragment.error().message());
      return;
    }
    node.set_name(kIncluded);
    // In front of a fallback that may stand there, so that it is found first.
    expand(node.prepend_copy((*fragment)->document_element()), path);
  }

  /// A broker parses broker.xml as a text without a place, so that relative names count from its
  /// current folder; an included file has a place.
  [[nodiscard]] std::string resolve(const std::string& href) const {
    const std::string beside = path_from(parent_of(open_files_.back()), href);
    if (open_files_.size() > 1 || href.starts_with('/')) return beside;
    const std::string here = path_from(context_.current_folder, href);
    if (!exists(here)) return beside;
    if (here != beside && exists(beside)) {
      context_.notes.push_back("the include " + href + " exists in the current folder and beside " +
                               open_files_.back() + "; the one in the current folder was taken");
    }
    return here;
  }

  const ConfigurationContext& context_;
  std::vector<std::string> open_files_{};
  int count_ = 0;
};

bool includes_are_off(const PlaceholderValues& values) {
  const auto& properties = values.properties();
  const auto given = properties.find("artemis.disableXxe");
  return given != properties.end() && (given->second.empty() || given->second == "true");
}

}  // namespace

Result<BrokerXml> BrokerXml::read(const std::string& path, const ConfigurationContext& context) {
  auto content = read_text_file(path, kMaximumXml);
  if (!content) return std::unexpected(content.error());
  const Substituted replaced = substitute(std::move(*content), context.values);
  if (!replaced.complete) {
    context.notes.push_back(path + ": placeholders contain themselves; they count as empty");
  }
  auto document = parse(path, replaced.text);
  if (!document) return std::unexpected(document.error());

  BrokerXml xml;
  xml.document_ = std::move(*document);
  xml.values_ = &context.values;
  if (!includes_are_off(context.values)) Includer(context).expand(*xml.document_, path);
  xml.core_ = find_element(*xml.document_, "core");
  if (!xml.core_) return fail(ErrorCode::kDamaged, "has no core element", path);
  return xml;
}

pugi::xml_node BrokerXml::element(std::string_view name) const { return find_element(core_, name); }

std::optional<std::string> BrokerXml::text(std::string_view name) const {
  const pugi::xml_node node = element(name);
  if (!node) return std::nullopt;
  return std::string(trimmed(substitute(text_of(node), *values_).text));
}

Result<std::optional<std::string>> bootstrap_configuration(const std::string& path) {
  auto content = read_text_file(path, kMaximumXml);
  if (!content) return std::unexpected(content.error());
  const auto document = parse(path, *content);
  if (!document) return std::unexpected(document.error());
  const pugi::xml_node server = find_element(**document, "server");
  if (!server.attribute("configuration")) return std::nullopt;
  return server.attribute("configuration").value();
}

}  // namespace saranga::store
