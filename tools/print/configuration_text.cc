#include "tools/print/configuration_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saranga/bindings/address_settings.h"
#include "saranga/bindings/queue_binding.h"
#include "tools/print/java_text.h"

namespace saranga::print {
namespace {

using State = FieldValue::State;

// ---- queue bindings -----------------------------------------------------------------------------

// Artemis splits "address::queue" wherever it stands; what is found in the address wins.
struct QueueNames {
  Text address;
  Text queue;
  bool qualified = false;
};

QueueNames queue_names(const DecodedRecord& decoded) {
  QueueNames names{.address = decoded.values.get("address").text,
                   .queue = decoded.values.get("name").text};
  if (const auto split = bindings::split_qualified_name(names.queue)) {
    names.queue = split->queue;
    names.qualified = true;
  }
  if (const auto split = bindings::split_qualified_name(names.address)) {
    names = {.address = split->address, .queue = split->queue, .qualified = true};
  }
  return names;
}

void append_queue_name(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  append_java_string(out, queue_names(decoded).queue);
}

void append_queue_address(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  append_java_string(out, queue_names(decoded).address);
}

void append_queue_qualified(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  out.put(queue_names(decoded).qualified ? "true" : "null");
}

void append_queue_user(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  const auto user = bindings::queue_user(decoded.values.get("metadata").text);
  if (!user) return out.put("null");
  append_java_string(out, *user);
}

// What a release before 2.7 didn't write is taken from whether the queue was auto-created.
void append_auto_delete(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  const FieldValue& written = decoded.values.get("auto_delete");
  const FieldValue& created = decoded.values.get("auto_created");
  out.put_boolean((written.state == State::kPresent ? written : created).number != 0);
}

// ---- lists --------------------------------------------------------------------------------------

// An EnumSet lists its members in the order of their numbers, each once.
void append_routing_types(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  const Bytes types = decoded.values.get("routing_types").bytes;
  const bool multicast = std::ranges::find(types, std::byte{0}) != types.end();
  const bool anycast = std::ranges::find(types, std::byte{1}) != types.end();
  if (multicast) out.put("MULTICAST");
  if (multicast && anycast) out.put(',');
  if (anycast) out.put("ANYCAST");
}

void append_roles(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  const FieldValue& roles = decoded.values.get("roles");
  Cursor cursor(roles.bytes);
  for (std::int64_t i = 0; i < roles.number; ++i) {
    if (i != 0) out.put(", ");
    append_java_string(out, cursor.string());
  }
}

void append_jndi_names(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  const FieldValue& names = decoded.values.get("bindings");
  Cursor cursor(names.bytes);
  for (std::int64_t i = 0; i < names.number; ++i) {
    if (i != 0) out.put(", ");
    append_java_string(out, cursor.simple_string());
  }
}

// ---- transformers -------------------------------------------------------------------------------

using JavaString = std::optional<std::u16string>;

// String.hashCode(), spread as java.util.HashMap does it.
std::uint32_t java_hash(const JavaString& text) {
  std::uint32_t hash = 0;
  if (text) {
    for (const char16_t unit : *text) hash = hash * 31 + unit;
  }
  return hash ^ hash >> 16;
}

// The UTF-16 units of WTF-8, which is always well-formed here.
std::u16string to_units(std::string_view wtf8) {
  std::u16string units;
  for (std::size_t at = 0; at < wtf8.size();) {
    const auto lead = static_cast<unsigned char>(wtf8[at++]);
    const std::size_t more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    std::uint32_t c = more == 0 ? lead : lead & (0x3FU >> more);
    for (std::size_t i = 0; i < more && at < wtf8.size(); ++i) {
      c = c << 6 | (static_cast<unsigned char>(wtf8[at++]) & 0x3FU);
    }
    if (c < 0x10000) {
      units.push_back(static_cast<char16_t>(c));
    } else {
      units.push_back(static_cast<char16_t>(0xD7C0 + (c >> 10)));
      units.push_back(static_cast<char16_t>(0xDC00 + (c & 0x3FF)));
    }
  }
  return units;
}

struct Property {
  std::uint32_t hash = 0;
  std::size_t place = 0;  // among the keys, in the order in which they came
  std::optional<Text> key;
  std::optional<Text> value;
};

// The pairs in the order in which a HashMap of Java lists them: by bucket, then as they came. A key
// that comes again replaces the value and keeps the place.
std::vector<Property> in_map_order(const FieldValue& pairs) {
  std::vector<Property> map;
  std::map<JavaString, std::size_t> places;
  Cursor cursor(pairs.bytes);
  for (std::int64_t i = 0; i < pairs.number; ++i) {
    Property property;
    property.key = cursor.nullable_string();
    property.value = cursor.nullable_string();
    const JavaString key = property.key ? JavaString(to_units(property.key->str())) : JavaString();
    property.hash = java_hash(key);
    property.place = map.size();
    const auto [place, is_new] = places.try_emplace(key, map.size());
    if (is_new) {
      map.push_back(property);
    } else {
      map[place->second].value = property.value;
    }
  }
  std::uint32_t buckets = 16;
  while (map.size() > buckets / 4 * 3) buckets *= 2;
  std::ranges::sort(map, {},
                    [=](const Property& p) { return std::pair(p.hash & (buckets - 1), p.place); });
  return map;
}

void append_nullable(TextBuffer& out, const std::optional<Text>& text) {
  if (!text) return out.put("null");
  append_java_string(out, *text);
}

// A transformer that was written without its flag is not seen by Artemis, and not printed.
void append_transformer(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  const FieldValue& name = decoded.values.get("transformer_class");
  if (name.state != State::kPresent || !decoded.layout.empty()) return out.put("null");
  out.put("TransformerConfiguration [className=");
  append_java_string(out, name.text);
  out.put(", properties={");
  std::string_view separator = "";
  for (const Property& property : in_map_order(decoded.values.get("transformer_properties"))) {
    out.put(separator);
    append_nullable(out, property.key);
    out.put('=');
    append_nullable(out, property.value);
    separator = ", ";
  }
  out.put("}]");
}

// ---- address settings ---------------------------------------------------------------------------

void append_settings(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  append_settings_text(out, decoded.values);
}

// The value of an attribute; binary and JSON records have it at different places and types.
void append_setting(TextBuffer& out, const FieldValues& values, std::string_view name) {
  const auto found = std::ranges::find(values.fields(), name, &Field::name);
  if (found == values.fields().end()) return out.put("null");
  const auto index = static_cast<std::size_t>(found - values.fields().begin());
  FieldValue value = values[index];
  // Stored in 64 bits, kept by Artemis in 32.
  if (name == "page_size_bytes") value.number = static_cast<std::int32_t>(value.number);
  append_java_value(out, *found, value, "null");
}

}  // namespace

void append_settings_text(TextBuffer& out, const FieldValues& values) {
  const std::span<const Field> attributes = bindings::setting_fields();
  out.put("AddressSettings{");
  std::string_view separator = "";
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const std::string_view key = bindings::setting_key(i);
    if (key == "dropMessagesWhenFull") continue;  // gone since 2.50
    out.put(separator);
    out.put(key == "pageCacheMaxSize" ? "pageMaxCache" : key);
    out.put('=');
    append_setting(out, values, attributes[i].name);
    separator = ", ";
  }
  out.put('}');
}

std::span<const SpecialPlace> configuration_places() {
  static constexpr SpecialPlace kPlaces[] = {
      {"queue_name", append_queue_name},
      {"queue_address", append_queue_address},
      {"queue_qualified", append_queue_qualified},
      {"queue_user", append_queue_user},
      {"auto_delete", append_auto_delete},
      {"routing_types", append_routing_types},
      {"roles", append_roles},
      {"jndi_names", append_jndi_names},
      {"transformer", append_transformer},
      {"settings", append_settings},
  };
  return kPlaces;
}

}  // namespace saranga::print
