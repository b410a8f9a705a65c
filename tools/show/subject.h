// What `saranga data show` was asked about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "saranga/bytes/error.h"
#include "saranga/store/loader.h"

namespace saranga::show {

/// One argument, understood as far as it goes without the store.
struct Subject {
  std::string text;                       ///< as it was given
  std::optional<std::int64_t> id{};       ///< a number
  std::string file{};                     ///< of FILE:OFFSET
  std::optional<std::uint64_t> offset{};  ///< likewise
};

/// "42", "journal/activemq-data-1.amq:0x1f40", or the name of a queue.
[[nodiscard]] Subject parse_subject(const std::string& text);

/// The record or page entry at FILE:OFFSET as annotated hexadecimal; `file` is a label
/// ("journal/x.amq") or the name alone.
[[nodiscard]] Result<void> show_place(const store::LoadedStore& store, const Subject& subject,
                                      TextBuffer& out);

}  // namespace saranga::show
