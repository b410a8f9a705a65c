// The settings of an instance's artemis.profile: a shell script, of which only assignments count.
#pragma once

#include <string_view>

#include "libstore/location/config_placeholders.h"

namespace saranga::store {

/// Carries out the assignments of a profile over `variables`, which the script would inherit from
/// its environment. Nothing is executed: conditions count as true, except the usual
/// `if [ -z "$NAME" ]`, and command substitutions as empty.
void apply_profile(std::string_view script, NamedValues& variables);

/// The system properties that the instance's start script hands to Java: the folders, and the
/// -Dname=value arguments of JAVA_ARGS and its like.
[[nodiscard]] NamedValues java_properties(const NamedValues& variables);

}  // namespace saranga::store
