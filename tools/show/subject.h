// What `saranga data show` was asked about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// "42", "journal/activemq-data-1.amq:0x1f40", or a name.
[[nodiscard]] Subject parse_subject(const std::string& text);

/// What a subject turned out to be.
struct Meaning {
  enum class Kind : std::uint8_t { kIds, kAddress, kPage, kPlace, kNothing };
  Kind kind = Kind::kNothing;
  std::vector<std::int64_t> ids{};  ///< of kIds; of an address, that of its record
  bool by_user_id = false;          ///< the ids are those of messages with that user id
  std::string address{};            ///< of kAddress
  const paging::PageStore* page_store = nullptr;  ///< of kPage
  const paging::Page* page = nullptr;             ///< likewise
};

/// Looks a subject up: a number is an id, whatever it is the id of; a name is that of a queue, a
/// file, an address, or the user id of a message. An error when it is a place in a file that is not
/// there.
[[nodiscard]] Result<Meaning> find_meaning(const store::LoadedStore& store, const Subject& subject);

/// Why nothing was found, and what may help. `store` is how the command line names it.
[[nodiscard]] std::string not_found_text(const store::LoadedStore& store, const Subject& subject,
                                         std::string_view store_name);

/// The record or page entry at FILE:OFFSET as annotated hexadecimal; `file` is a label
/// ("journal/x.amq") or the name alone.
[[nodiscard]] Result<void> show_place(const store::LoadedStore& store, const Subject& subject,
                                      TextBuffer& out);

}  // namespace saranga::show
