// The paging folder: one folder an address that pages or has paged (docs/format/paging.md#folders).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/io/directory.h"

namespace saranga::paging {

/// One page file.
struct Page {
  std::int64_t number = 0;
  std::string name;
  std::uint64_t size_bytes = 0;
};

/// The pages of one address.
struct PageStore {
  std::string folder;       ///< name below the paging folder
  std::string address;      ///< first line of address.txt, bytes as they are (UTF-8 as a rule)
  std::vector<Page> pages;  ///< ascending by number
};

/// "000000007.page": under this name a broker looks for a page.
[[nodiscard]] SARANGA_API std::string page_file_name(std::int64_t number);

/// The number in the name of a page file; nothing for other names, and for pages of numbers that a
/// broker refuses.
[[nodiscard]] SARANGA_API std::optional<std::int64_t> page_number(std::string_view name);

/// Lists the stores, by address and then folder. Folders without address and files that a broker
/// does not read go to `sink`. Errors are failures to list the paging folder.
[[nodiscard]] SARANGA_API Result<std::vector<PageStore>> list_page_stores(
    const ReadableDirectory& paging, std::string_view label, FindingSink& sink);

}  // namespace saranga::paging
