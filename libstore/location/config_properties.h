// Java properties files, as broker.properties is one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saranga::store {

/// The keys and values in the order of the file. Comments, continued lines, the three separators
/// and the escapes are those of java.util.Properties; bytes above 0x7f count as Latin-1.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_java_properties(
    std::string_view text);

}  // namespace saranga::store
