// Core messages as words of a recipe (docs/recipes.md#messages).
#pragma once

#include <optional>

#include "libstore/recipe/words.h"

namespace saranga::store {

/// The body of a record of type 45, or of type 30 when `large`: a Core message of the named
/// arguments. `id` is its id when there is no id=.
[[nodiscard]] Parsed<std::vector<std::byte>> read_core_message(Arguments& arguments, bool large,
                                                               std::int64_t id);

/// Appends " core" and the arguments that give these bytes, without id= when it is `id`; false,
/// with some text appended, when none may.
[[nodiscard]] bool put_core_message(TextBuffer& out, Bytes body, bool large, std::int64_t id);

}  // namespace saranga::store
