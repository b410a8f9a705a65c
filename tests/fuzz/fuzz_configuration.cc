// Fuzzes the readers of configuration text: profile, properties, placeholders, all of which must
// end, and end soon, whatever the text says.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libstore/location/config_placeholders.h"
#include "libstore/location/config_profile.h"
#include "libstore/location/config_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saranga::store;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  NamedValues variables{{"JAVA_ARGS", ""}, {"ARTEMIS_INSTANCE", "/instance"}};
  apply_profile(text, variables);
  NamedValues properties = java_properties(variables);
  for (auto& [key, value] : parse_java_properties(text)) properties.try_emplace(key, value);
  static_cast<void>(substitute_known(text, properties));

  const PlaceholderValues values(std::move(properties), {});
  const Substituted result = substitute(std::string(text), values);
  if (result.complete && result.text.find("${") < result.text.rfind('}') &&
      result.text.find('}', result.text.find("${")) != std::string::npos) {
    __builtin_trap();  // a placeholder was left behind
  }
  return 0;
}
