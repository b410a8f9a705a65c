// What a damaged stretch of a page file means.
#pragma once

#include <string_view>

#include "saranga/bytes/finding.h"
#include "saranga/paging/page_file.h"

namespace saranga::paging {

/// The finding for a stretch of a page; `file` is its name in findings. A running broker writes to
/// the last page of an address.
[[nodiscard]] SARANGA_API Finding damage_finding(const PageDamage& damage, std::string_view file,
                                                 bool last_page);

}  // namespace saranga::paging
