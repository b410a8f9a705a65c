// What the fields of a queue binding mean once they are decoded
// (docs/format/bindings.md#queue-binding).
#pragma once

#include <optional>

#include "saranga/bytes/fields.h"

namespace saranga::bindings {

/// The user that the metadata "user=bob;" names, as Artemis finds it: the last part of exactly two
/// pieces whose key is "user". A view of `metadata`, which is SimpleString text.
[[nodiscard]] SARANGA_API std::optional<Text> queue_user(const Text& metadata);

/// A name or address of the form "address::queue", cut at the first "::".
struct QualifiedName {
  Text address;
  Text queue;
};
[[nodiscard]] SARANGA_API std::optional<QualifiedName> split_qualified_name(const Text& name);

}  // namespace saranga::bindings
