// The byte account: what the bytes of each part are. Private to this folder.
#pragma once

#include "saranga/store/loader.h"
#include "saranga/store/verify.h"

namespace saranga::store {

/// Of a journal that was scanned. A file whose account is not its size is reported.
[[nodiscard]] PartAccount journal_account(std::string_view part, const LoadedJournal& journal,
                                          CheckLevel level, FindingSink& sink);

/// Of a journal of which only the headers were read.
[[nodiscard]] PartAccount header_account(std::string_view part,
                                         const journal::JournalFolder& folder);

/// Adds what else is in the paging folder to the account of its pages.
void add_other_paging_files(const ReadableDirectory& paging, PartAccount& account);

/// Of the body files. `live_bytes` when it is known who refers to them.
[[nodiscard]] PartAccount large_account(const ReadableDirectory& directory,
                                        std::optional<std::uint64_t> live_bytes);

/// Of the files beside the journals that belong to none of them, such as locks.
[[nodiscard]] PartAccount other_account(const StoreParts& parts);

}  // namespace saranga::store
