// Whether the body of a message is what its headers say, to the last byte. Pure functions of the
// message; private to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/message/stored_message.h"

namespace saranga::store {

/// Something wrong with a body; whoever has read it knows the place.
struct BodyProblem {
  std::string_view code;
  Severity severity = Severity::kDamage;
  std::string text;
};

/// Checks everything inside of a message that was decoded. `in_file` when the body is a file of its
/// own.
void check_message(const message::StoredMessage& message, bool in_file,
                   std::vector<BodyProblem>& problems);

/// What a Core message says of the size of its body, as far as it does.
struct DeclaredSize {
  std::optional<std::int64_t> size_bytes{};  ///< of a compressed one, as it was before
  bool compressed = false;
};
[[nodiscard]] DeclaredSize declared_size(const message::CoreMessage& message);
/// How many bytes may come out of a compressed body.
[[nodiscard]] std::uint64_t inflation_limit(const DeclaredSize& declared);
/// What is wrong with a compressed body out of which so many bytes came, if anything is.
[[nodiscard]] std::optional<std::string> inflation_problem(const DeclaredSize& declared,
                                                           const Result<std::uint64_t>& size_bytes);

}  // namespace saranga::store
