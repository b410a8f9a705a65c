// What the fields of a queue binding mean once they are decoded
// (docs/format/bindings.md#queue-binding).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "saranga/bytes/fields.h"

namespace saranga::bindings {

/// The user that the metadata "user=bob;" names, as Artemis finds it: the last part of exactly two
/// pieces whose key is "user". A view of `metadata`, which is SimpleString text.
[[nodiscard]] SARANGA_API std::optional<Text> queue_user(const Text& metadata);

/// Names of the settings that a queue binding has of its own: fields behind the filter that hold
/// something else than a reader assumes when they are not there. The routing type and the metadata
/// are not among them. Constants; none when the body does not decode.
[[nodiscard]] SARANGA_API std::vector<std::string_view> own_settings(Bytes queue_binding);

/// A name or address of the form "address::queue", cut at the first "::".
struct QualifiedName {
  Text address;
  Text queue;
};
[[nodiscard]] SARANGA_API std::optional<QualifiedName> split_qualified_name(const Text& name);

}  // namespace saranga::bindings
